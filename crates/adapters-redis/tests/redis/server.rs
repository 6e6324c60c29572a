//! Servers that end with the test: a Redis, and one that is not a Redis.

use std::{
    io::{Read, Write},
    net::{TcpListener, TcpStream},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use adapters_redis::RedisConnection;
use ports::platform::health::SharedProbe;
use test_harness::requires;
use tokio::time::sleep;

pub(crate) const TIMEOUT: Duration = Duration::from_secs(20);

/// Redis server of a test.
pub(crate) struct Server {
    pub(crate) port: u16,
    process: Option<Child>,
}

impl Server {
    /// Starts a server; `None` if the program is not installed.
    pub(crate) fn start() -> Option<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        drop(listener);
        let mut server = Self { port, process: None };
        server.launch(&[]).then_some(server)
    }

    pub(crate) fn launch(&mut self, options: &[&str]) -> bool {
        let Some(mut program) = requires("redis-server") else { return false };
        program
            .args(["--bind", "127.0.0.1", "--port", &self.port.to_string(), "--save", ""])
            .args(options)
            .stdout(Stdio::null());
        self.process = Some(program.spawn().unwrap());
        true
    }

    /// Kills the server.
    pub(crate) fn stop(&mut self) {
        if let Some(mut process) = self.process.take() {
            process.kill().unwrap();
            process.wait().unwrap();
        }
    }

    pub(crate) async fn listens(&self) {
        let began = Instant::now();
        while let Err(error) = TcpStream::connect(("127.0.0.1", self.port)) {
            assert!(began.elapsed() < TIMEOUT, "{error}");
            sleep(Duration::from_millis(20)).await;
        }
    }

    pub(crate) fn signal(&self, name: &str) {
        let id = self.process.as_ref().unwrap().id().to_string();
        assert!(Command::new("kill").args(["-s", name, &id]).status().unwrap().success());
    }

    pub(crate) fn connection(&self) -> RedisConnection {
        RedisConnection::new(&format!("redis://127.0.0.1:{}", self.port)).unwrap()
    }

    /// Runs a command as an operator would, and returns the answer.
    pub(crate) fn run(&self, command: &[&str]) -> String {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(TIMEOUT)).unwrap();
        stream.write_all(format!("{}\r\n", command.join(" ")).as_bytes()).unwrap();
        let mut answer = vec![0; 65_536];
        let length = stream.read(&mut answer).unwrap();
        String::from_utf8_lossy(&answer[..length]).into_owned()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop();
    }
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
