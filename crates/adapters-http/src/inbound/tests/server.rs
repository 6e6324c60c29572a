//! Behaviour over a real connection.

use std::{
    net::{SocketAddr, TcpListener},
    sync::atomic::{AtomicUsize, Ordering},
    time::Duration,
};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpSocket, TcpStream},
    time::timeout,
};

use super::*;
use crate::{ConnectionLimits, ServerHandle, serve};

/// Longest time for anything that is bound to happen.
const TIMEOUT: Duration = Duration::from_secs(30);
const LIMITS: ConnectionLimits = ConnectionLimits {
    connections: 100,
    connections_per_address: 1,
    client_timeout: Duration::from_secs(20),
    idle_timeout: Duration::from_secs(60),
    shutdown_timeout: Duration::from_secs(1),
};

struct Running {
    address: SocketAddr,
    handle: ServerHandle,
}

impl Running {
    fn start(test_api: TestApi) -> Self {
        Self::start_with(test_api, LIMITS)
    }

    fn start_with(test_api: TestApi, limits: ConnectionLimits) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let (server, address) = serve(&test_api.api(), |_| {}, listener, limits).unwrap();
        let handle = server.handle();
        actix_web::rt::spawn(server);
        Self { address, handle }
    }

    /// Sends `request`, and returns all that comes back until the server closes.
    async fn exchange(&self, request: &[u8]) -> String {
        let mut stream = TcpStream::connect(self.address).await.unwrap();
        stream.write_all(request).await.unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).await.unwrap();
        String::from_utf8(answer).unwrap()
    }

    /// Opens a connection with a small receive buffer.
    async fn connect_narrowly(&self) -> TcpStream {
        let socket = TcpSocket::new_v4().unwrap();
        socket.set_recv_buffer_size(4_096).unwrap();
        socket.connect(self.address).await.unwrap()
    }
}

#[actix_web::test]
async fn head_is_get_without_a_body() {
    let server = Running::start(TestApi::default());
    let request = b"HEAD /health/live HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
    let answer = server.exchange(request).await;
    assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
    assert!(answer.contains("content-length: 15\r\n"), "{answer}");
    assert!(answer.ends_with("\r\n\r\n"), "{answer}");
    server.handle.stop(false).await;
}

#[actix_web::test]
async fn a_panic_reaches_the_client_as_an_envelope_and_the_server_goes_on() {
    let metrics: MetricsText = Arc::new(|| panic!("the secret is 42"));
    let server = Running::start(TestApi { metrics, ..TestApi::default() });
    for _ in 0..2 {
        let request = b"GET /metrics HTTP/1.1\r\nHost: a\r\nX-Request-Id: mine\r\n\
                        Connection: close\r\n\r\n";
        let answer = server.exchange(request).await;
        assert!(answer.starts_with("HTTP/1.1 500 "), "{answer}");
        assert!(answer.contains("x-request-id: mine\r\n"), "{answer}");
        assert!(answer.contains("\"code\":\"INTERNAL_ERROR\""), "{answer}");
    }
    server.handle.stop(false).await;
}

#[actix_web::test]
async fn a_client_that_sends_too_much_still_sees_the_answer() {
    let server = Running::start(TestApi::default());
    let size = 4 << 20;
    let mut request = format!(
        "POST /auth/login HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n\
         Connection: close\r\nContent-Length: {size}\r\n\r\n"
    )
    .into_bytes();
    request.resize(request.len() + size, b' ');
    let answer = server.exchange(&request).await;
    assert!(answer.starts_with("HTTP/1.1 413 "), "{answer}");
    assert!(answer.contains("\"code\":\"PAYLOAD_TOO_LARGE\""), "{answer}");
    server.handle.stop(false).await;
}

#[actix_web::test]
async fn a_client_that_never_reads_is_not_served_on_and_is_closed() {
    let asked = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&asked);
    let metrics: MetricsText = Arc::new(move || {
        counter.fetch_add(1, Ordering::Relaxed);
        "a".repeat(500_000)
    });
    let limits = ConnectionLimits { client_timeout: Duration::from_secs(1), ..LIMITS };
    let server = Running::start_with(TestApi { metrics, ..TestApi::default() }, limits);
    let mut greedy = server.connect_narrowly().await;

    let requests = "GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n".repeat(200);
    greedy.write_all(requests.as_bytes()).await.unwrap();

    let others = b"GET /health/live HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
    let answer = timeout(TIMEOUT, server.exchange(others)).await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");

    // A write fails once the server has closed.
    let closed = async {
        loop {
            if greedy.write_all(requests.as_bytes()).await.is_err() {
                break;
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    };
    timeout(TIMEOUT, closed).await.unwrap();
    // The system buffers some megabytes of answers; all of them would be a hundred.
    let asked = asked.load(Ordering::Relaxed);
    assert!(asked < 50, "{asked} requests were answered");
    server.handle.stop(false).await;
}

#[actix_web::test]
async fn a_client_that_reads_gets_all_it_asked_for_at_once() {
    let metrics: MetricsText = Arc::new(|| "a".repeat(100_000));
    let server = Running::start(TestApi { metrics, ..TestApi::default() });
    let mut requests = "GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n".repeat(100);
    requests += "GET /metrics HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";

    let answer = timeout(TIMEOUT, server.exchange(requests.as_bytes())).await.unwrap();

    assert_eq!(answer.matches("HTTP/1.1 200 OK\r\n").count(), 101);
    assert!(answer.len() > 10_100_000, "{}", answer.len());
    server.handle.stop(false).await;
}

#[actix_web::test]
async fn requests_with_bodies_may_follow_each_other_at_once() {
    let server = Running::start(TestApi::default());
    let body = format!("{{\"email\":\"{}\"}}", "\\n\r\n\r\n".repeat(10_000));
    let request = |end: &str| {
        format!(
            "POST /auth/login HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n{end}\
             Content-Length: {}\r\n\r\n{body}",
            body.len()
        )
    };
    let requests = request("").repeat(20) + &request("Connection: close\r\n");

    let answer = timeout(TIMEOUT, server.exchange(requests.as_bytes())).await.unwrap();

    assert_eq!(answer.matches("HTTP/1.1 400 ").count(), 21, "{answer}");
    assert_eq!(answer.matches("VALIDATION_ERROR").count(), 21, "{answer}");
    server.handle.stop(false).await;
}

#[actix_web::test]
async fn refuses_clients_when_all_places_are_taken() {
    let server =
        Running::start_with(TestApi::default(), ConnectionLimits { connections: 2, ..LIMITS });
    let request = b"GET /health/live HTTP/1.1\r\nHost: a\r\n\r\n";
    let mut taken = Vec::new();
    for _ in 0..2 {
        let mut stream = TcpStream::connect(server.address).await.unwrap();
        stream.write_all(request).await.unwrap();
        let mut answer = [0; 12];
        timeout(TIMEOUT, stream.read_exact(&mut answer)).await.unwrap().unwrap();
        assert_eq!(&answer, b"HTTP/1.1 200");
        taken.push(stream);
    }

    let mut refused = TcpStream::connect(server.address).await.unwrap();
    let read = timeout(TIMEOUT, refused.read(&mut [0])).await.unwrap();
    assert!(matches!(read, Ok(0) | Err(_)), "{read:?}");

    drop(taken);
    let close = b"GET /health/live HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
    let served = async {
        loop {
            let mut stream = TcpStream::connect(server.address).await.unwrap();
            let mut answer = Vec::new();
            let _ = stream.write_all(close).await;
            if stream.read_to_end(&mut answer).await.is_ok() && !answer.is_empty() {
                break;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    timeout(TIMEOUT, served).await.unwrap();
    server.handle.stop(false).await;
}
