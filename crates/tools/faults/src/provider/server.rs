//! Server for the calls to a provider.

use std::{io, sync::Arc};

use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    sync::mpsc::UnboundedSender,
    task::JoinSet,
};

use super::{
    manner::{Lie, Reply},
    reports::Told,
    taken::Taken,
};

const MAX_HEADERS: usize = 32;

/// Call: its head, and its whole length.
struct Call {
    /// Identifier of the message; `None` if the service checks the provider.
    id: Option<String>,
    /// Instance that calls.
    instance: Option<usize>,
    head: usize,
    length: usize,
}

/// Serves until it is aborted; its connections end with it.
pub(super) async fn serve(
    listener: TcpListener,
    taken: Arc<Taken>,
    reports: UnboundedSender<Told>,
) {
    let mut connections = JoinSet::new();
    while let Ok((stream, _)) = listener.accept().await {
        // A broken connection does not affect the others.
        connections.spawn(answer_calls(stream, Arc::clone(&taken), reports.clone()));
        while connections.try_join_next().is_some() {}
    }
}

async fn answer_calls(
    mut stream: TcpStream,
    taken: Arc<Taken>,
    reports: UnboundedSender<Told>,
) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let mut buffer = Vec::new();
    loop {
        let call = loop {
            match read(&buffer)? {
                Some(call) if buffer.len() >= call.length => break call,
                _ if stream.read_buf(&mut buffer).await? == 0 => return Ok(()),
                _ => {}
            }
        };
        let body = serde_json::from_slice(&buffer[call.head..call.length]);
        buffer.drain(..call.length);
        let Some(id) = call.id else {
            stream.write_all(&response(200, "")).await?;
            continue;
        };
        let to = body.map(|body: Value| body["to"].as_str().unwrap_or_default().to_owned());
        let (reply, statuses) = taken.begin(&id, &to.unwrap_or_default(), call.instance);
        // The reporter is gone when the provider ends.
        let _ = reports.send(Told { id: id.clone(), statuses });
        let answered = answer(&mut stream, &taken, &id, reply).await;
        taken.end(&id);
        answered?;
    }
}

/// Answers a call. An error ends the connection.
async fn answer(stream: &mut TcpStream, taken: &Taken, id: &str, reply: Reply) -> io::Result<()> {
    tokio::time::sleep(taken.manner().delay()).await;
    let accepted = || response(200, &json!({"id": format!("ref-{id}")}).to_string());
    let bytes = match reply {
        Reply::Taken | Reply::Lie(Lie::ReportsTwice | Lie::ReportsFailureAfterDelivery) => {
            accepted()
        }
        Reply::Refused => response(400, r#"{"error":{"code":"INVALID_RECIPIENT"}}"#),
        Reply::OutOfOrder => response(503, ""),
        Reply::Lie(Lie::Nonsense) => response(200, "<html>It works!</html>"),
        Reply::Lie(Lie::Broken) => response(500, "oops"),
        Reply::Lie(Lie::OddIdentifier) => {
            response(200, &json!({"id": format!("odd\0{id}")}).to_string())
        }
        Reply::Lie(Lie::CutOff) => {
            stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 64\r\n\r\n").await?;
            return Err(io::ErrorKind::ConnectionReset.into());
        }
        Reply::Lie(Lie::Endless) => {
            stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n").await?;
            loop {
                stream.write_all(&[b' '; 4_096]).await?;
            }
        }
        Reply::Lie(Lie::Silence) => {
            // It ends when the service closes the connection.
            let mut rest = Vec::new();
            stream.read_to_end(&mut rest).await?;
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
    };
    stream.write_all(&bytes).await
}

fn response(status: u16, body: &str) -> Vec<u8> {
    let length = body.len();
    format!("HTTP/1.1 {status} Told\r\ncontent-length: {length}\r\n\r\n{body}").into_bytes()
}

/// Parses the call at the start of the bytes; returns `None` until its whole head is there.
fn read(bytes: &[u8]) -> io::Result<Option<Call>> {
    let mut headers = [httparse::EMPTY_HEADER; MAX_HEADERS];
    let mut request = httparse::Request::new(&mut headers);
    let malformed = |_| io::Error::from(io::ErrorKind::InvalidData);
    let httparse::Status::Complete(head) = request.parse(bytes).map_err(malformed)? else {
        return Ok(None);
    };
    let header = |name: &str| {
        let header = request.headers.iter().find(|it| it.name.eq_ignore_ascii_case(name))?;
        std::str::from_utf8(header.value).ok()
    };
    let body = header("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
    let id = header("webhook-id").map(str::to_owned);
    let instance = request.path.and_then(|path| path.trim_matches('/').parse().ok());
    Ok(Some(Call { id, instance, head, length: head + body }))
}
