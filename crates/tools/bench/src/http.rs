//! HTTP/1.1 for a load generator: requests are written as they are, and only status and body of an
//! answer are read, so that the client takes as little processor time as possible.

mod fetched;

use std::{
    io::{Error, ErrorKind},
    net::SocketAddr,
    ops::Range,
};

use serde_json::Value;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

pub(crate) use self::fetched::Fetched;

const MAX_HEADERS: usize = 32;
/// Separator of the parts of a form.
const BOUNDARY: &str = "atumpan-bench";

/// Request, as it goes over the wire.
#[derive(Clone)]
pub(crate) struct Request(Vec<u8>);

/// Connection that is kept alive.
pub(crate) struct Connection {
    stream: TcpStream,
    buffer: Vec<u8>,
}

/// Answer to a request.
pub(crate) struct Answer<'c> {
    pub(crate) status: u16,
    /// True if the answer says when to ask again.
    pub(crate) has_retry_after: bool,
    pub(crate) body: &'c [u8],
}

/// Head of an answer, and the position of its body.
struct Head {
    status: u16,
    has_retry_after: bool,
    body: Range<usize>,
}

impl Request {
    /// Returns a request with a JSON body.
    pub(crate) fn post(path: &str, headers: &[(&str, &str)], body: &Value) -> Self {
        Self::post_text(path, headers, &body.to_string())
    }

    /// Returns a request with that body.
    pub(crate) fn post_text(path: &str, headers: &[(&str, &str)], body: &str) -> Self {
        Self::post_form(path, headers, ("application/json", body))
    }

    /// Returns a request with a form of that media type.
    pub(crate) fn post_form(
        path: &str,
        headers: &[(&str, &str)],
        (media_type, form): (&str, &str),
    ) -> Self {
        let length = form.len().to_string();
        let own = [("Content-Type", media_type), ("Content-Length", length.as_str())];
        Self::write("POST", path, own.iter().chain(headers), form)
    }

    /// Returns a request with one file, as a form of a browser sends it.
    pub(crate) fn upload(path: &str, headers: &[(&str, &str)], (name, text): (&str, &str)) -> Self {
        let body = format!(
            "--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"file\"; filename=\"{name}\"\r\n\
             Content-Type: text/csv\r\n\r\n{text}\r\n--{BOUNDARY}--\r\n"
        );
        let media_type = format!("multipart/form-data; boundary={BOUNDARY}");
        Self::post_form(path, headers, (&media_type, &body))
    }

    /// Returns a request without a body.
    pub(crate) fn get(path: &str, headers: &[(&str, &str)]) -> Self {
        Self::write("GET", path, headers.iter(), "")
    }

    fn write<'h>(
        method: &str,
        path: &str,
        headers: impl Iterator<Item = &'h (&'h str, &'h str)>,
        body: &str,
    ) -> Self {
        let headers: String =
            headers.map(|(name, value)| [name, ": ", value, "\r\n"].concat()).collect();
        let text = format!("{method} {path} HTTP/1.1\r\nHost: localhost\r\n{headers}\r\n{body}");
        Self(text.into_bytes())
    }
}

impl Connection {
    /// Connects.
    pub(crate) async fn open(address: SocketAddr) -> Result<Self, Error> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        Ok(Self { stream, buffer: Vec::with_capacity(4_096) })
    }

    /// Sends a request and waits for the whole answer.
    pub(crate) async fn call(&mut self, request: &Request) -> Result<Answer<'_>, Error> {
        self.stream.write_all(&request.0).await?;
        self.buffer.clear();
        loop {
            if self.stream.read_buf(&mut self.buffer).await? == 0 {
                return Err(ErrorKind::UnexpectedEof.into());
            }
            if let Some(Head { status, has_retry_after, body }) = parse(&self.buffer)? {
                return Ok(Answer { status, has_retry_after, body: &self.buffer[body] });
            }
        }
    }
}

impl Connection {
    /// Sends a request, and returns the number of lines of an answer that comes in chunks.
    pub(crate) async fn count_lines(&mut self, request: &Request) -> Result<usize, Error> {
        self.stream.write_all(&request.0).await?;
        self.buffer.clear();
        let head = self.read_until(b"\r\n\r\n").await?;
        if !self.buffer.starts_with(b"HTTP/1.1 200") {
            return Err(ErrorKind::InvalidData.into());
        }
        self.buffer.drain(..head);
        let mut lines = 0;
        loop {
            let start = self.read_until(b"\r\n").await?;
            let size = std::str::from_utf8(&self.buffer[..start - 2]).ok();
            let size = size.and_then(|size| usize::from_str_radix(size, 16).ok());
            let size = size.ok_or(ErrorKind::InvalidData)?;
            let end = start + size + 2;
            while self.buffer.len() < end {
                self.read_more().await?;
            }
            let chunk = &self.buffer[start..start + size];
            lines += chunk.split(|byte| *byte == b'\n').count() - 1;
            self.buffer.drain(..end);
            if size == 0 {
                return Ok(lines);
            }
        }
    }

    /// Reads until a mark, and returns the number of bytes up to its end.
    async fn read_until(&mut self, mark: &[u8]) -> Result<usize, Error> {
        loop {
            let found = self.buffer.windows(mark.len()).position(|bytes| bytes == mark);
            if let Some(at) = found {
                return Ok(at + mark.len());
            }
            self.read_more().await?;
        }
    }

    async fn read_more(&mut self) -> Result<(), Error> {
        if self.stream.read_buf(&mut self.buffer).await? == 0 {
            return Err(ErrorKind::UnexpectedEof.into());
        }
        Ok(())
    }
}

/// Parses the head of an answer; returns `None` until the whole answer is there.
fn parse(bytes: &[u8]) -> Result<Option<Head>, Error> {
    let mut headers = [httparse::EMPTY_HEADER; MAX_HEADERS];
    let mut response = httparse::Response::new(&mut headers);
    let malformed = |_| Error::from(ErrorKind::InvalidData);
    let httparse::Status::Complete(start) = response.parse(bytes).map_err(malformed)? else {
        return Ok(None);
    };
    let header = |name| response.headers.iter().find(|it| it.name.eq_ignore_ascii_case(name));
    let length = header("content-length");
    let length = length.and_then(|it| std::str::from_utf8(it.value).ok()?.parse::<usize>().ok());
    let end = start + length.ok_or(ErrorKind::InvalidData)?;
    let (status, has_retry_after) =
        (response.code.unwrap_or_default(), header("retry-after").is_some());
    Ok((bytes.len() >= end).then_some(Head { status, has_retry_after, body: start..end }))
}
