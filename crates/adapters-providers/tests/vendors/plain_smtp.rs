//! Mail server that keeps the received bytes, and replies as scripted.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader},
    net::{TcpListener, TcpStream},
    sync::Semaphore,
    time::sleep,
};

/// Scripted behaviour of the server.
#[derive(Default)]
pub(crate) struct Manners {
    /// Replies to commands with these prefixes; all others are accepted. `.` is the end of the
    /// text.
    pub(crate) replies: Vec<(&'static str, &'static str)>,
    /// Command to which the server replies only when permitted.
    pub(crate) waits_at: Option<(&'static str, Arc<Semaphore>)>,
}

/// Server at `address`.
pub(crate) struct PlainSmtp {
    pub(crate) address: String,
    heard: Arc<Mutex<Heard>>,
}

/// Data received by the server.
#[derive(Default, Clone)]
pub(crate) struct Heard {
    pub(crate) connections: usize,
    /// Commands, without the ends of their lines.
    pub(crate) commands: Vec<String>,
    /// Texts, with the dot at their end.
    pub(crate) texts: Vec<Vec<u8>>,
}

impl PlainSmtp {
    pub(crate) async fn start(manners: Manners) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let heard = Arc::new(Mutex::new(Heard::default()));
        let (kept, manners) = (Arc::clone(&heard), Arc::new(manners));
        tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                kept.lock().unwrap().connections += 1;
                // Fails when the client hangs up.
                tokio::spawn(converse(stream, Arc::clone(&manners), Arc::clone(&kept)));
            }
        });
        Self { address, heard }
    }

    pub(crate) fn heard(&self) -> Heard {
        self.heard.lock().unwrap().clone()
    }

    /// Waits until the received data fulfils `is_enough`.
    pub(crate) async fn hears(&self, is_enough: impl Fn(&Heard) -> bool) -> Heard {
        loop {
            let heard = self.heard();
            if is_enough(&heard) {
                return heard;
            }
            sleep(Duration::from_millis(5)).await;
        }
    }
}

async fn converse(
    stream: TcpStream,
    manners: Arc<Manners>,
    heard: Arc<Mutex<Heard>>,
) -> std::io::Result<()> {
    let mut stream = BufReader::new(stream);
    stream.write_all(b"220 mail.example\r\n").await?;
    loop {
        let mut line = Vec::new();
        if stream.read_until(b'\n', &mut line).await? == 0 {
            return Ok(());
        }
        let command = String::from_utf8_lossy(&line).trim_end().to_owned();
        heard.lock().unwrap().commands.push(command.clone());
        let reply = manners.reply(&command, "250 2.0.0 fine\r\n").await;
        stream.write_all(reply.as_bytes()).await?;
        if reply.starts_with("354") {
            let mut text = Vec::new();
            while !text.ends_with(b"\r\n.\r\n") {
                if stream.read_until(b'\n', &mut text).await? == 0 {
                    return Ok(());
                }
            }
            heard.lock().unwrap().texts.push(text);
            let reply = manners.reply(".", "250 2.0.0 queued\r\n").await;
            stream.write_all(reply.as_bytes()).await?;
        }
    }
}

impl Manners {
    async fn reply(&self, command: &str, usual: &'static str) -> &'static str {
        if let Some((at, gate)) = &self.waits_at
            && command.starts_with(at)
            && let Ok(permit) = gate.acquire().await
        {
            permit.forget();
        }
        let mut told = self.replies.iter().filter(|(begins, _)| command.starts_with(begins));
        let usual = if command == "DATA" { "354 go on\r\n" } else { usual };
        told.next().map_or(usual, |(_, reply)| reply)
    }
}
