//! Mail server without TLS and accounts, which keeps the received bytes, and replies as scripted.

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
pub struct Manners {
    /// Replies to commands with these prefixes; all others are accepted. `.` is the end of the
    /// text.
    pub replies: Vec<(&'static str, &'static str)>,
    /// Command to which the server replies only when permitted.
    pub waits_at: Option<(&'static str, Arc<Semaphore>)>,
}

/// Server at `address`.
pub struct PlainSmtp {
    /// Address on this machine.
    pub address: String,
    transcript: Arc<Mutex<Transcript>>,
}

/// Data received by the server.
#[derive(Default, Clone)]
pub struct Transcript {
    /// Number of connections.
    pub connections: usize,
    /// Commands, without the ends of their lines.
    pub commands: Vec<String>,
    /// Texts, with the dot at their end.
    pub texts: Vec<Vec<u8>>,
    /// Mails, each as it was meant.
    pub mails: Vec<Mail>,
}

/// Mail that the server accepted.
#[derive(Default, Debug, Clone)]
pub struct Mail {
    /// Address of the sender.
    pub sender: String,
    /// Addresses of the recipients.
    pub recipients: Vec<String>,
    /// Text, with its headers.
    pub content: String,
}

impl PlainSmtp {
    /// Starts a server.
    pub async fn start(manners: Manners) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
        let address = listener.local_addr().expect("it is bound").to_string();
        let transcript = Arc::new(Mutex::new(Transcript::default()));
        let (kept, manners) = (Arc::clone(&transcript), Arc::new(manners));
        tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.expect("it listens");
                kept.lock().expect("nobody panicked").connections += 1;
                // Fails when the client hangs up.
                tokio::spawn(converse(stream, Arc::clone(&manners), Arc::clone(&kept)));
            }
        });
        Self { address, transcript }
    }

    /// Returns the data received so far.
    pub fn transcript(&self) -> Transcript {
        self.transcript.lock().expect("nobody panicked").clone()
    }

    /// Waits until the received data fulfils `is_enough`.
    pub async fn transcript_when(&self, is_enough: impl Fn(&Transcript) -> bool) -> Transcript {
        loop {
            let transcript = self.transcript();
            if is_enough(&transcript) {
                return transcript;
            }
            sleep(Duration::from_millis(5)).await;
        }
    }
}

async fn converse(
    stream: TcpStream,
    manners: Arc<Manners>,
    transcript: Arc<Mutex<Transcript>>,
) -> std::io::Result<()> {
    let mut stream = BufReader::new(stream);
    stream.write_all(b"220 mail.example\r\n").await?;
    let mut mail = Mail::default();
    loop {
        let mut line = Vec::new();
        if stream.read_until(b'\n', &mut line).await? == 0 {
            return Ok(());
        }
        let command = String::from_utf8_lossy(&line).trim_end().to_owned();
        transcript.lock().expect("nobody panicked").commands.push(command.clone());
        let reply = manners.reply(&command, "250 2.0.0 fine\r\n").await;
        stream.write_all(reply.as_bytes()).await?;
        if reply.starts_with('2') {
            mail.note(&command);
        }
        if reply.starts_with("354") {
            let mut text = Vec::new();
            while !text.ends_with(b"\r\n.\r\n") {
                if stream.read_until(b'\n', &mut text).await? == 0 {
                    return Ok(());
                }
            }
            mail.content = unstuffed(&text);
            transcript.lock().expect("nobody panicked").texts.push(text);
            let reply = manners.reply(".", "250 2.0.0 queued\r\n").await;
            if reply.starts_with('2') {
                transcript.lock().expect("nobody panicked").mails.push(mail.clone());
            }
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
        let mut scripted = self.replies.iter().filter(|(begins, _)| command.starts_with(begins));
        let usual = if command == "DATA" { "354 go on\r\n" } else { usual };
        scripted.next().map_or(usual, |(_, reply)| reply)
    }
}

impl Mail {
    /// Notes the address in an accepted command.
    fn note(&mut self, command: &str) {
        let address = || {
            let (_, rest) = command.split_once('<')?;
            Some(rest.split_once('>')?.0.to_owned())
        };
        if command.starts_with("MAIL FROM:") {
            *self = Self { sender: address().unwrap_or_default(), ..Self::default() };
        } else if command.starts_with("RCPT TO:") {
            self.recipients.extend(address());
        }
    }
}

/// Returns the text before its last line, without the dots that were added to its lines.
fn unstuffed(text: &[u8]) -> String {
    let text = String::from_utf8_lossy(text);
    let text = text.strip_suffix(".\r\n").unwrap_or(&text);
    text.split_inclusive("\r\n").map(|line| line.strip_prefix('.').unwrap_or(line)).collect()
}
