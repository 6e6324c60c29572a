//! HTTP server that accepts one request and keeps its bytes.

use std::time::Duration;

use testkit::Received;
use tokio::{
    io::{AsyncWriteExt, BufReader},
    net::{TcpListener, TcpSocket, TcpStream},
    task::JoinHandle,
    time::sleep,
};

/// Predefined response.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Canned {
    /// Status line, such as `201 Created`.
    pub(crate) status: &'static str,
    /// Headers, each with `\r\n` at its end.
    pub(crate) headers: &'static str,
    pub(crate) body: &'static str,
}

/// Behaviour of the server after the request.
pub(crate) enum Then {
    /// Writes these bytes.
    Answer(String),
    /// Writes these bytes, and then a space at intervals.
    Drip(String),
    /// Writes these bytes before it reads anything, and reads nothing.
    Blurt(&'static str),
    /// Closes the connection before it reads anything.
    HangUpUnread,
    /// Keeps the connection open without a response.
    FallSilent,
    /// Closes the connection.
    HangUp,
}

/// Server at `url` whose `request` resolves to the received request.
pub(crate) struct VendorServer {
    pub(crate) url: String,
    pub(crate) request: JoinHandle<String>,
}

impl VendorServer {
    /// Asserts that the request has these lines, those of every request of this service, this body,
    /// and nothing else. The order of headers is ignored.
    pub(crate) async fn assert_request(self, lines: &[&str], body: &str) {
        let host = self.url.strip_prefix("http://").unwrap().to_owned();
        let usual = [
            "accept: application/json",
            &format!("user-agent: atumpan/{}", env!("CARGO_PKG_VERSION")),
            &format!("host: {host}"),
            &format!("content-length: {}", body.len()),
            "",
            body,
        ];
        let mut expected = [lines, &usual].concat();
        expected.sort_unstable();
        let request = self.request.await.unwrap();
        let mut sent: Vec<_> = request.split("\r\n").collect();
        sent.sort_unstable();
        assert_eq!(sent, expected);
    }

    pub(crate) async fn start(then: Then) -> Self {
        Self::start_after(&[], then).await
    }

    /// Starts a server that gives the answers `before` to requests whose path contains their text,
    /// and does `then` with the first other one.
    pub(crate) async fn start_after(before: &'static [(&'static str, Canned)], then: Then) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let request = tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                let mut stream = BufReader::new(stream);
                if let Then::Blurt(text) = then {
                    let _ = stream.write_all(text.as_bytes()).await;
                    return String::new();
                }
                if matches!(then, Then::HangUpUnread) {
                    return String::new();
                }
                // `None` if the client has gone away.
                let Some(request) = Received::read(&mut stream).await.unwrap() else { continue };
                match before.iter().find(|(part, _)| request.path.contains(part)) {
                    Some((_, canned)) => {
                        let Then::Answer(text) = answer(canned.status, canned.headers, canned.body)
                        else {
                            continue;
                        };
                        let _ = stream.write_all(text.as_bytes()).await;
                    }
                    None => {
                        then.act(stream).await;
                        return request.text();
                    }
                }
            }
        });
        Self { url, request }
    }
}

impl Then {
    async fn act(self, mut stream: BufReader<TcpStream>) {
        match self {
            // Fails if the client stops reading.
            Self::Answer(answer) => drop(stream.write_all(answer.as_bytes()).await),
            Self::Drip(beginning) => {
                tokio::spawn(async move {
                    let mut text = beginning;
                    while stream.write_all(text.as_bytes()).await.is_ok() {
                        " ".clone_into(&mut text);
                        sleep(Duration::from_millis(50)).await;
                    }
                });
            }
            Self::FallSilent => {
                tokio::spawn(async move {
                    sleep(Duration::from_secs(60)).await;
                    drop(stream);
                });
            }
            Self::HangUp | Self::HangUpUnread | Self::Blurt(_) => {}
        }
    }
}

/// Returns an address without a listener.
pub(crate) async fn nobody() -> String {
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind(([127, 0, 0, 1], 0).into()).unwrap();
    let address = socket.local_addr().unwrap().to_string();
    assert!(TcpStream::connect(&address).await.is_err());
    // Kept, so that the system gives the port to no other test.
    std::mem::forget(socket);
    address
}

pub(crate) fn answer(status: &str, headers: &str, body: &str) -> Then {
    Then::Answer(format!(
        "HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n{headers}\r\n{body}",
        body.len()
    ))
}
