//! Scripted reply of a server.

use std::{any::Any, io, sync::Arc, time::Duration};

use serde_json::Value;
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt},
    sync::Semaphore,
    time::sleep,
};

/// Reply to a call.
#[derive(Clone)]
pub struct Reply {
    status: u16,
    headers: Vec<(&'static str, String)>,
    body: Body,
    delay: Duration,
    gate: Option<Arc<Semaphore>>,
    held: Option<Arc<dyn Any + Send + Sync>>,
}

#[derive(Clone)]
enum Body {
    Text(String),
    /// Ends before it is complete.
    CutOff,
    Endless,
    /// There is no reply; the connection stays open.
    Silence,
}

impl Reply {
    /// Returns a reply with a status and nothing else.
    pub fn status(status: u16) -> Self {
        Self::text(status, "")
    }

    /// Returns a reply with a text.
    pub fn text(status: u16, text: impl Into<String>) -> Self {
        Self::new(status, Body::Text(text.into()))
    }

    /// Returns a reply in JSON.
    pub fn json(status: u16, body: &Value) -> Self {
        Self::text(status, body.to_string()).with("content-type", "application/json")
    }

    /// Returns a reply whose connection breaks after the headers.
    pub fn cut_off() -> Self {
        Self::new(200, Body::CutOff)
    }

    /// Returns a reply whose body never ends.
    pub fn endless() -> Self {
        Self::new(200, Body::Endless)
    }

    /// Returns no reply: the connection stays open until the caller closes it.
    pub fn silence() -> Self {
        Self::new(200, Body::Silence)
    }

    /// Adds a header.
    #[must_use]
    pub fn with(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }

    /// Replies after a delay.
    #[must_use]
    pub fn after(self, delay: Duration) -> Self {
        Self { delay, ..self }
    }

    /// Replies when the semaphore has a permit, which it takes.
    #[must_use]
    pub fn when(self, gate: &Arc<Semaphore>) -> Self {
        Self { gate: Some(Arc::clone(gate)), ..self }
    }

    /// Holds a value until the reply has been written, or the connection has broken.
    #[must_use]
    pub fn holding(self, value: impl Any + Send + Sync) -> Self {
        Self { held: Some(Arc::new(value)), ..self }
    }

    fn new(status: u16, body: Body) -> Self {
        let (headers, delay) = (Vec::new(), Duration::ZERO);
        Self { status, headers, body, delay, gate: None, held: None }
    }

    /// Writes the reply. An error ends the connection.
    pub(super) async fn write(
        self,
        stream: &mut (impl AsyncRead + AsyncWrite + Unpin + Send),
    ) -> io::Result<()> {
        let Self { status, headers, body, delay, gate, held: _held } = self;
        if let Some(gate) = gate
            && let Ok(permit) = gate.acquire().await
        {
            permit.forget();
        }
        if !delay.is_zero() {
            sleep(delay).await;
        }
        let mut begin = format!("HTTP/1.1 {status} Reply\r\n");
        for (name, value) in headers {
            begin.extend([name, ": ", &value, "\r\n"]);
        }
        match body {
            Body::Text(text) => {
                let length = text.len();
                let whole = format!("{begin}content-length: {length}\r\n\r\n{text}");
                stream.write_all(whole.as_bytes()).await
            }
            Body::CutOff => {
                stream.write_all(format!("{begin}content-length: 64\r\n\r\n").as_bytes()).await?;
                Err(io::ErrorKind::ConnectionReset.into())
            }
            Body::Endless => {
                stream.write_all(format!("{begin}\r\n").as_bytes()).await?;
                loop {
                    stream.write_all(&[b' '; 4_096]).await?;
                }
            }
            Body::Silence => {
                stream.read_to_end(&mut Vec::new()).await?;
                Err(io::ErrorKind::UnexpectedEof.into())
            }
        }
    }
}
