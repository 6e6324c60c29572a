//! Receiver of webhooks on a local socket.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
    time::Duration,
};

use serde_json::Value;
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
    net::{TcpListener, TcpStream},
    task::JoinHandle,
};

/// Received call.
#[derive(Debug, Clone)]
pub struct Received {
    /// Headers, with names in lower case.
    pub headers: HashMap<String, String>,
    /// Body as text.
    pub body: String,
}

impl Received {
    /// Parses the body as JSON.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).expect("a body is JSON")
    }

    /// Returns the identifier of the event.
    pub fn id(&self) -> &str {
        &self.headers["webhook-id"]
    }

    /// Returns the status of the message that the event reports.
    pub fn status(&self) -> String {
        self.json()["data"]["status"].as_str().expect("a message has a status").to_owned()
    }
}

/// Reply of a receiver.
#[derive(Debug, Clone)]
pub enum Reply {
    /// Status with these headers.
    Status(u16, Vec<(&'static str, String)>),
    /// 200, after a delay.
    Late(Duration),
    /// No reply; the connection stays open.
    Silence,
    /// 200, with a body that never ends.
    Endless,
}

impl Reply {
    /// Returns a reply with a status and no headers.
    pub const fn status(status: u16) -> Self {
        Self::Status(status, Vec::new())
    }
}

type Answers = dyn Fn(&Received, usize) -> Reply + Send + Sync;

/// Running receiver, stopped when dropped.
pub struct Receiver {
    /// URL of the receiver.
    pub url: String,
    received: Arc<Mutex<Vec<Received>>>,
    task: JoinHandle<()>,
}

impl Receiver {
    /// Starts a receiver; `answers` takes each call and the number of calls before it.
    pub async fn start(
        answers: impl Fn(&Received, usize) -> Reply + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
        let url = format!("http://{}/hooks", listener.local_addr().expect("it is bound"));
        let received = Arc::new(Mutex::new(Vec::new()));
        let (kept, answers): (_, Arc<Answers>) = (Arc::clone(&received), Arc::new(answers));
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let serving = serve(stream, Arc::clone(&kept), Arc::clone(&answers));
                tokio::spawn(async move {
                    // Serving ends with the connection.
                    let _ = serving.await;
                });
            }
        });
        Self { url, received, task }
    }

    /// Starts a receiver that accepts every call.
    pub async fn taking_everything() -> Self {
        Self::start(|_, _| Reply::status(204)).await
    }

    /// Returns the calls received so far.
    pub fn received(&self) -> Vec<Received> {
        self.received.lock().expect("nobody panicked").clone()
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn serve(
    stream: TcpStream,
    received: Arc<Mutex<Vec<Received>>>,
    answers: Arc<Answers>,
) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    let mut stream = BufReader::new(stream);
    while let Some(call) = read(&mut stream).await? {
        let earlier = {
            let mut received = received.lock().expect("nobody panicked");
            received.push(call.clone());
            received.len() - 1
        };
        match answers(&call, earlier) {
            Reply::Status(status, headers) => {
                let headers = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n"));
                let headers: String = headers.collect();
                let head = format!("HTTP/1.1 {status} Told\r\ncontent-length: 0\r\n{headers}\r\n");
                stream.write_all(head.as_bytes()).await?;
            }
            Reply::Late(time) => {
                tokio::time::sleep(time).await;
                stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n").await?;
            }
            Reply::Silence => std::future::pending().await,
            Reply::Endless => {
                stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n").await?;
                loop {
                    stream.write_all(&[b' '; 4_096]).await?;
                }
            }
        }
    }
    Ok(())
}

/// Reads the next call; `None` if the connection ended.
async fn read(stream: &mut BufReader<TcpStream>) -> std::io::Result<Option<Received>> {
    let mut line = String::new();
    if stream.read_line(&mut line).await? == 0 {
        return Ok(None);
    }
    let mut headers = HashMap::new();
    loop {
        line.clear();
        stream.read_line(&mut line).await?;
        let Some((name, value)) = line.trim_end().split_once(':') else { break };
        headers.insert(name.to_ascii_lowercase(), value.trim().to_owned());
    }
    let length = headers.get("content-length").and_then(|length| length.parse().ok());
    let mut body = vec![0; length.unwrap_or(0)];
    stream.read_exact(&mut body).await?;
    let body = String::from_utf8_lossy(&body).into_owned();
    Ok(Some(Received { headers, body }))
}
