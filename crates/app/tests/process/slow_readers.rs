//! Clients that send requests and never read.

use std::time::{Duration, Instant};

use tokio::{io::AsyncWriteExt, net::TcpSocket, task::JoinSet};

use crate::{
    program::{command, folder, serve_with},
    system::resident_kilobytes,
};

const CLIENTS: usize = 50;
/// Memory that all clients together may cost, in kB.
const KILOBYTES: u64 = 20_000;

/// Sends requests until the connection is closed.
async fn ask_without_reading(program: std::net::SocketAddr) {
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_recv_buffer_size(4_096).unwrap();
    let mut stream = socket.connect(program).await.unwrap();
    let requests = "GET /openapi.json HTTP/1.1\r\nHost: a\r\n\r\n".repeat(200);
    while stream.write_all(requests.as_bytes()).await.is_ok() {}
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn clients_that_never_read_cost_little_and_are_closed() {
    let folder = folder();
    let program = serve_with(command(folder.path()).env("ATUMPAN_CLIENT_TIMEOUT", "5"));
    for _ in 0..CLIENTS {
        assert_eq!(program.status("/openapi.json").await, 200);
    }
    let before = resident_kilobytes(program.id());

    let address = program.url.strip_prefix("http://").unwrap().parse().unwrap();
    let mut clients: JoinSet<_> = (0..CLIENTS).map(|_| ask_without_reading(address)).collect();

    let began = Instant::now();
    let mut most = before;
    while !clients.is_empty() {
        assert!(began.elapsed() < Duration::from_secs(60), "{} are not closed", clients.len());
        assert_eq!(program.status("/health/live").await, 200);
        most = most.max(resident_kilobytes(program.id()));
        while clients.try_join_next().is_some() {}
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert!(most - before < KILOBYTES, "they cost {} kB", most - before);
}
