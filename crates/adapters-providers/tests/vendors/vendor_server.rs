//! An HTTP server that takes one request and keeps it as it came.

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    task::JoinHandle,
};

/// What the server does once it has the request.
pub(crate) enum Then {
    /// Writes these bytes.
    Answer(String),
    /// Keeps the connection open, and says nothing.
    FallSilent,
    /// Closes the connection.
    HangUp,
}

/// A server at `url` whose `request` ends with the request.
pub(crate) struct VendorServer {
    pub(crate) url: String,
    pub(crate) request: JoinHandle<String>,
}

impl VendorServer {
    pub(crate) async fn start(then: Then) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let request = tokio::spawn(async move {
            let (mut stream, _) = listener.accept().await.unwrap();
            let request = read(&mut stream).await;
            match then {
                Then::Answer(answer) => {
                    // Fails if the client has heard enough.
                    let _ = stream.write_all(answer.as_bytes()).await;
                }
                Then::HangUp => {}
                Then::FallSilent => {
                    tokio::spawn(async move {
                        tokio::time::sleep(std::time::Duration::from_secs(60)).await;
                        drop(stream);
                    });
                }
            }
            request
        });
        Self { url, request }
    }
}

/// An address at which nobody listens.
pub(crate) async fn nobody() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    listener.local_addr().unwrap().to_string()
}

pub(crate) fn answer(status: &str, headers: &str, body: &str) -> Then {
    Then::Answer(format!(
        "HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n{headers}\r\n{body}",
        body.len()
    ))
}

async fn read(stream: &mut TcpStream) -> String {
    let mut request = Vec::new();
    loop {
        let mut buffer = [0; 4096];
        let read = stream.read(&mut buffer).await.unwrap();
        request.extend_from_slice(&buffer[..read]);
        let text = String::from_utf8_lossy(&request);
        if read == 0 || text.split_once("\r\n\r\n").is_some_and(|(head, body)| is_all(head, body)) {
            return text.into_owned();
        }
    }
}

fn is_all(head: &str, body: &str) -> bool {
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
    body.len() >= length.map_or(0, |length| length.parse().unwrap())
}
