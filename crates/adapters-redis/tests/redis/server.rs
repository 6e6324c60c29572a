//! Connections to a Redis, and a server that is not a Redis.

use std::{
    io::{ErrorKind, Read, Write},
    net::{TcpListener, TcpStream},
    thread,
    time::{Duration, Instant},
};

use adapters_redis::RedisConnection;
use ports::platform::health::SharedProbe;
use testkit::Redis;
use tokio::time::sleep;

pub(crate) const TIMEOUT: Duration = Duration::from_secs(20);

pub(crate) fn connection(server: &Redis) -> RedisConnection {
    RedisConnection::new(&server.url()).unwrap()
}

/// Runs a command as an operator would, and returns the answer.
pub(crate) fn run(server: &Redis, command: &[&str]) -> String {
    let mut stream = TcpStream::connect(("127.0.0.1", server.port)).unwrap();
    stream.set_read_timeout(Some(TIMEOUT)).unwrap();
    stream.write_all(format!("{}\r\n", command.join(" ")).as_bytes()).unwrap();
    let mut answer = vec![0; 65_536];
    let length = loop {
        match stream.read(&mut answer) {
            // A process of another test has ended.
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            read => break read.unwrap(),
        }
    };
    String::from_utf8_lossy(&answer[..length]).into_owned()
}

/// Starts a server that answers any request with the same bytes, as long as the test runs. Returns its URL.
pub(crate) fn babbler(answer: &'static [u8]) -> String {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let url = format!("redis://{}", listener.local_addr().unwrap());
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            thread::spawn(move || babble(stream, answer));
        }
    });
    url
}

fn babble(mut stream: TcpStream, answer: &[u8]) {
    let mut request = [0; 4_096];
    while stream.read(&mut request).is_ok_and(|length| length > 0) {
        if stream.write_all(answer).is_err() {
            return;
        }
    }
}

pub(crate) async fn answers(connection: &RedisConnection) {
    until_answer_is("Redis answers", connection).await;
}

pub(crate) async fn until_answer_is(expected: &str, connection: &RedisConnection) {
    let began = Instant::now();
    loop {
        let answer = connection.ping().await;
        let text = answer.unwrap_or_else(|problem| problem);
        if text == expected {
            return;
        }
        assert!(began.elapsed() < TIMEOUT, "{text}");
        sleep(Duration::from_millis(20)).await;
    }
}
