//! What only a real connection shows.

use actix_web::{HttpServer, dev::ServerHandle};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

use super::*;

struct Running {
    address: std::net::SocketAddr,
    handle: ServerHandle,
}

impl Running {
    fn start(backstage: Backstage) -> Self {
        let api = backstage.api();
        let server = HttpServer::new(move || app(&api)).workers(1).bind(("127.0.0.1", 0)).unwrap();
        let address = server.addrs()[0];
        let server = server.run();
        let handle = server.handle();
        actix_web::rt::spawn(server);
        Self { address, handle }
    }

    /// What comes back when `request` is sent, until the server closes.
    async fn exchange(&self, request: &[u8]) -> String {
        let mut stream = TcpStream::connect(self.address).await.unwrap();
        stream.write_all(request).await.unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).await.unwrap();
        String::from_utf8(answer).unwrap()
    }
}

#[actix_web::test]
async fn head_is_get_without_a_body() {
    let server = Running::start(Backstage::default());
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
    let server = Running::start(Backstage { metrics, ..Backstage::default() });
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
    let server = Running::start(Backstage::default());
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
