//! Clients that are many, or slow.

use std::{
    net::SocketAddr,
    time::{Duration, Instant},
};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpSocket, TcpStream},
    task::JoinSet,
    time::sleep,
};

use super::{RECOVERED, Scale};
use crate::{
    failure::Result,
    load::Demand,
    report::Row,
    stage::{Plan, Stage},
    system,
};

const CALM: Duration = Duration::from_secs(2);
const CONNECTIONS: usize = 2_000;
const PAUSE: Duration = Duration::from_millis(500);
const MEMORY: u64 = 600;
/// Number of clients that are slow in each way.
const SLOW: usize = 200;
/// Seconds that a client has for a request, or to take an answer.
const TIMEOUT: &str = "5";
/// Time within which all of them are closed.
const CLOSED: Duration = Duration::from_secs(60);

/// Connects many clients. The service is measured until the load has ended.
pub(super) async fn many(scale: Scale) -> Result<Row> {
    system::allow_open_files()?;
    let demand = Demand { clients: CONNECTIONS, pause: PAUSE, has_codes: true };
    let mut stage = Stage::start(Plan { demand, memory: MEMORY, ..Plan::default() }).await?;
    stage.load.watch_gaps();
    sleep(scale.seconds(3, 15)).await;
    stage.note_recovery(stage.load.longest_gap());
    stage.finish(1, RECOVERED).await
}

/// Connects slow clients. The result is the longest time in which other clients were not served.
pub(super) async fn slow(scale: Scale) -> Result<Row> {
    system::allow_open_files()?;
    let plan = Plan { memory: MEMORY, ..Plan::default() }.with("ATUMPAN_CLIENT_TIMEOUT", TIMEOUT);
    let mut stage = Stage::start(plan).await?;
    sleep(CALM).await;
    let service = stage.services[0].settings().address;
    stage.load.watch_gaps();
    let rounds = scale.rounds(1, 3);
    for _ in 0..rounds {
        let mut clients = JoinSet::new();
        for _ in 0..SLOW {
            clients.spawn(send_headers_slowly(service));
            clients.spawn(send_body_slowly(service));
            clients.spawn(never_read(service));
        }
        let began = Instant::now();
        let closed = async { while clients.join_next().await.is_some() {} };
        tokio::time::timeout(CLOSED, closed)
            .await
            .map_err(|_| format!("slow clients are open after {:?}", began.elapsed()))?;
    }
    stage.note_recovery(stage.load.longest_gap());
    stage.finish(rounds, RECOVERED).await
}

async fn send_headers_slowly(service: SocketAddr) -> Result<()> {
    let stream = TcpStream::connect(service).await?;
    drip(stream, "POST /messages/send HTTP/1.1\r\nHost: a\r\nX-").await
}

async fn send_body_slowly(service: SocketAddr) -> Result<()> {
    let stream = TcpStream::connect(service).await?;
    let head = "POST /auth/login HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n\
                Content-Length: 100000\r\n\r\n";
    drip(stream, head).await
}

/// Writes byte by byte, until it is answered or closed.
async fn drip(mut stream: TcpStream, beginning: &str) -> Result<()> {
    stream.write_all(beginning.as_bytes()).await?;
    let mut answer = [0];
    loop {
        tokio::select! {
            _ = stream.read(&mut answer) => return Ok(()),
            () = sleep(Duration::from_millis(500)) => stream.write_all(b"a").await?,
        }
    }
}

/// Sends requests and reads nothing, until it is closed.
async fn never_read(service: SocketAddr) -> Result<()> {
    let socket = TcpSocket::new_v4()?;
    socket.set_recv_buffer_size(4_096)?;
    let mut stream = socket.connect(service).await?;
    let requests = "GET /openapi.json HTTP/1.1\r\nHost: a\r\n\r\n".repeat(200);
    loop {
        stream.write_all(requests.as_bytes()).await?;
    }
}
