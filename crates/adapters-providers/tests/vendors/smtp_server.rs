//! The mail server of `tests/smtp_server.py`, and certificates for it.

use std::{fs, process::Stdio};

use rcgen::generate_simple_self_signed;
use serde::Deserialize;
use tempfile::TempDir;
use testkit::requires;
use tokio::{
    io::{AsyncBufReadExt, BufReader, Lines},
    process::{Child, ChildStdout, Command},
};

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/smtp_server.py");

/// Running server, stopped on drop.
pub(crate) struct SmtpServer {
    pub(crate) port: u16,
    lines: Lines<BufReader<ChildStdout>>,
    _process: Child,
}

/// Message as the server received it.
#[derive(Debug, Deserialize)]
pub(crate) struct Received {
    pub(crate) sender: String,
    pub(crate) recipients: Vec<String>,
    pub(crate) content: String,
    pub(crate) user: Option<String>,
    pub(crate) encrypted: bool,
    /// Number of connections made before it.
    #[serde(skip)]
    pub(crate) connections: usize,
}

impl SmtpServer {
    /// Starts the server; `None` if it cannot be run here.
    pub(crate) async fn start(arguments: &[&str]) -> Option<Self> {
        let mut process = Command::from(requires("aiosmtpd")?)
            .arg(SCRIPT)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(process.stdout.take().unwrap()).lines();
        let port = lines.next_line().await.unwrap().unwrap().parse().unwrap();
        Some(Self { port, lines, _process: process })
    }

    pub(crate) async fn received(&mut self) -> Received {
        let mut connections = 0;
        loop {
            let line = self.lines.next_line().await.unwrap().unwrap();
            if line.contains("connected") {
                connections += 1;
                continue;
            }
            return Received { connections, ..serde_json::from_str(&line).unwrap() };
        }
    }
}

/// Self-signed certificate for `localhost` and 127.0.0.1.
pub(crate) struct Certificate {
    folder: TempDir,
}

impl Certificate {
    pub(crate) fn make() -> Self {
        let names = ["localhost", "127.0.0.1"].map(str::to_owned);
        let made = generate_simple_self_signed(names).unwrap();
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("cert.pem"), made.cert.pem()).unwrap();
        fs::write(folder.path().join("key.pem"), made.signing_key.serialize_pem()).unwrap();
        Self { folder }
    }

    pub(crate) fn certificate(&self) -> String {
        self.path("cert.pem")
    }

    pub(crate) fn key(&self) -> String {
        self.path("key.pem")
    }

    fn path(&self, name: &str) -> String {
        self.folder.path().join(name).to_str().unwrap().to_owned()
    }
}
