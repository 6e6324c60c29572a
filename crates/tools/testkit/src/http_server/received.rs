//! Call as a server received it.

use std::{collections::HashMap, io, time::Instant};

use serde_json::Value;
use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncReadExt};

/// Received call.
#[derive(Debug, Clone)]
pub struct Received {
    /// Time at which it was complete.
    pub at: Instant,
    /// Method, such as `POST`.
    pub method: String,
    /// Path, with the query.
    pub path: String,
    /// Headers, with names in lower case.
    pub headers: HashMap<String, String>,
    /// Body as text.
    pub body: String,
    /// Body as it came.
    pub bytes: Vec<u8>,
    head: String,
}

impl Received {
    /// Reads the next call of a connection; `None` if the connection ended.
    pub async fn read(stream: &mut (impl AsyncBufRead + Unpin + Send)) -> io::Result<Option<Self>> {
        let mut head = String::new();
        if stream.read_line(&mut head).await? == 0 {
            return Ok(None);
        }
        let mut words = head.split(' ').map(str::to_owned);
        let (method, path) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        let mut headers = HashMap::new();
        loop {
            let begin = head.len();
            stream.read_line(&mut head).await?;
            let Some((name, value)) = head[begin..].trim_end().split_once(':') else { break };
            headers.insert(name.to_ascii_lowercase(), value.trim().to_owned());
        }
        let length = headers.get("content-length").and_then(|length| length.parse().ok());
        let mut bytes = vec![0; length.unwrap_or(0)];
        stream.read_exact(&mut bytes).await?;
        let body = String::from_utf8_lossy(&bytes).into_owned();
        Ok(Some(Self { at: Instant::now(), method, path, headers, body, bytes, head }))
    }

    /// Returns the whole call, as it was sent.
    pub fn text(&self) -> String {
        [self.head.as_str(), self.body.as_str()].concat()
    }

    /// Parses the body as JSON.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).expect("a body is JSON")
    }

    /// Returns the identifier of the event or message.
    pub fn id(&self) -> &str {
        &self.headers["webhook-id"]
    }

    /// Returns the status of the message that the event reports.
    pub fn status(&self) -> String {
        self.json()["data"]["status"].as_str().expect("a message has a status").to_owned()
    }
}
