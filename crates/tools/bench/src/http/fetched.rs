//! Whole answers, as a browser receives them: their bodies may be compressed and come in chunks.

use std::io::{Error, ErrorKind};

use httparse::Status;
use tokio::io::AsyncWriteExt;

use super::{Connection, MAX_HEADERS, Request};

/// End of the head of an answer.
const END_OF_HEAD: &[u8] = b"\r\n\r\n";
/// Number of bytes after a chunk.
const AFTER_CHUNK: usize = 2;

/// Whole answer to a request.
pub(crate) struct Fetched {
    pub(crate) status: u16,
    /// Address to which a redirection leads; empty if the answer is none.
    pub(crate) location: String,
    /// Number of bytes of the whole answer: head, body, and marks of chunks.
    pub(crate) transferred: usize,
    /// Body as it was sent.
    pub(crate) body: Vec<u8>,
    /// Length of the body; `None` if it comes in chunks.
    length: Option<usize>,
}

impl Connection {
    /// Sends a request, and returns the whole answer.
    pub(crate) async fn fetch(&mut self, request: &Request) -> Result<Fetched, Error> {
        self.stream.write_all(&request.0).await?;
        self.buffer.clear();
        let head = self.read_until(END_OF_HEAD).await?;
        let mut fetched = Fetched::of_head(&self.buffer)?;
        self.buffer.drain(..head);
        let Some(length) = fetched.length else {
            self.read_chunks(&mut fetched).await?;
            return Ok(fetched);
        };
        fetched.body = self.take(length).await?;
        fetched.transferred += length;
        Ok(fetched)
    }

    async fn read_chunks(&mut self, fetched: &mut Fetched) -> Result<(), Error> {
        loop {
            let (line, size) = self.read_chunk_size().await?;
            self.buffer.drain(..line);
            let mut chunk = self.take(size + AFTER_CHUNK).await?;
            fetched.transferred += line + chunk.len();
            chunk.truncate(size);
            fetched.body.append(&mut chunk);
            if size == 0 {
                return Ok(());
            }
        }
    }

    /// Reads the line before a chunk, and returns its length and that of the chunk.
    async fn read_chunk_size(&mut self) -> Result<(usize, usize), Error> {
        loop {
            let size = httparse::parse_chunk_size(&self.buffer);
            let size = size.map_err(|_| Error::from(ErrorKind::InvalidData))?;
            if let Status::Complete((line, size)) = size {
                let size =
                    usize::try_from(size).map_err(|_| Error::from(ErrorKind::InvalidData))?;
                return Ok((line, size));
            }
            self.read_more().await?;
        }
    }

    /// Reads that number of bytes.
    async fn take(&mut self, length: usize) -> Result<Vec<u8>, Error> {
        while self.buffer.len() < length {
            self.read_more().await?;
        }
        Ok(self.buffer.drain(..length).collect())
    }
}

impl Fetched {
    /// Parses a whole head, after which more may follow.
    fn of_head(bytes: &[u8]) -> Result<Self, Error> {
        let mut headers = [httparse::EMPTY_HEADER; MAX_HEADERS];
        let mut response = httparse::Response::new(&mut headers);
        let malformed = || Error::from(ErrorKind::InvalidData);
        let Status::Complete(transferred) = response.parse(bytes).map_err(|_| malformed())? else {
            return Err(malformed());
        };
        let header = |name| {
            let header = response.headers.iter().find(|it| it.name.eq_ignore_ascii_case(name));
            header.and_then(|it| std::str::from_utf8(it.value).ok())
        };
        let length = header("content-length").and_then(|it| it.parse().ok());
        if length.is_none() && header("transfer-encoding") != Some("chunked") {
            return Err(malformed());
        }
        Ok(Self {
            status: response.code.unwrap_or_default(),
            location: header("location").unwrap_or_default().to_owned(),
            transferred,
            body: Vec::new(),
            length,
        })
    }
}
