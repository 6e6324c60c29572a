//! A receiver that records requests, and answers with given bytes.

use std::{
    net::SocketAddr,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
};

use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
    net::{TcpListener, TcpStream},
};

/// Received request.
#[derive(Debug, Clone)]
pub(super) struct Received {
    /// Request line and headers.
    pub(super) head: String,
    pub(super) body: String,
}

pub(super) struct Receiver {
    address: SocketAddr,
    connections: Arc<AtomicUsize>,
    requests: Arc<Mutex<Vec<Received>>>,
}

impl Receiver {
    /// Starts a receiver that answers each request with `answer`, on connections that stay open.
    pub(super) async fn answering(answer: impl Into<String>) -> Self {
        Self::running("127.0.0.1:0", answer.into().into_bytes(), false).await
    }

    /// Starts a receiver that writes `answer` again and again, until nobody reads it.
    pub(super) async fn never_ending(answer: Vec<u8>) -> Self {
        Self::running("127.0.0.1:0", answer, true).await
    }

    pub(super) async fn running(address: &str, answer: Vec<u8>, repeats: bool) -> Self {
        let listener = TcpListener::bind(address).await.unwrap();
        let address = listener.local_addr().unwrap();
        let connections = Arc::<AtomicUsize>::default();
        let requests = Arc::<Mutex<Vec<Received>>>::default();
        let (count, received) = (Arc::clone(&connections), Arc::clone(&requests));
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                count.fetch_add(1, Ordering::SeqCst);
                tokio::spawn(converse(stream, answer.clone(), repeats, Arc::clone(&received)));
            }
        });
        Self { address, connections, requests }
    }

    pub(super) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    pub(super) fn port(&self) -> u16 {
        self.address.port()
    }

    pub(super) fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }

    pub(super) fn requests(&self) -> Vec<Received> {
        self.requests.lock().unwrap().clone()
    }
}

async fn converse(
    stream: TcpStream,
    answer: Vec<u8>,
    repeats: bool,
    requests: Arc<Mutex<Vec<Received>>>,
) {
    let mut stream = BufReader::new(stream);
    while let Some(request) = read(&mut stream).await {
        requests.lock().unwrap().push(request);
        while stream.write_all(&answer).await.is_ok() && repeats {}
    }
}

async fn read(stream: &mut BufReader<TcpStream>) -> Option<Received> {
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if stream.read_line(&mut head).await.ok()? == 0 {
            return None;
        }
    }
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
    let mut body = vec![0; length.map_or(0, |length| length.parse().unwrap())];
    stream.read_exact(&mut body).await.ok()?;
    Some(Received { head, body: String::from_utf8(body).unwrap() })
}
