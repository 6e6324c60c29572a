//! Real mail server, and a service that sends its mail through it.

use std::{fs, process::Stdio, time::Duration};

use acceptance::World;
use serde_json::Value;
use tempfile::TempDir;
use test_harness::requires;
use tokio::{
    io::{AsyncBufReadExt, BufReader, Lines},
    process::{Child, ChildStdout, Command},
    time::timeout,
};

const SCRIPT: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/../crates/adapters-providers/tests/smtp_server.py");

const TIMEOUT: Duration = Duration::from_secs(30);

/// Running server, stopped when dropped.
pub(crate) struct MailServer {
    port: u16,
    lines: Lines<BufReader<ChildStdout>>,
    _process: Child,
}

impl MailServer {
    /// Starts a server; `None` if it is not installed.
    pub(crate) async fn start() -> Option<Self> {
        let mut process = Command::from(requires("aiosmtpd")?)
            .arg(SCRIPT)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(process.stdout.take().unwrap()).lines();
        let port = lines.next_line().await.unwrap().unwrap().parse().unwrap();
        Some(Self { port, lines, _process: process })
    }

    /// Starts a service with this server as its provider `mail`.
    pub(crate) async fn world(&self) -> (World, TempDir) {
        self.world_with(&[]).await
    }

    /// Starts a service with this server as its provider `mail`, and these environment variables.
    pub(crate) async fn world_with(&self, variables: &[(&str, &str)]) -> (World, TempDir) {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("providers.toml");
        let port = self.port;
        let declaration = format!(
            "[[provider]]\n\
             name = \"mail\"\n\
             kind = \"smtp\"\n\
             channel = \"EMAIL\"\n\
             sender = \"Atumpan <no-reply@atumpan.example>\"\n\
             base_url = \"smtp://127.0.0.1:{port}\"\n\
             [[provider.route]]\n\
             country = \"*\"\n"
        );
        fs::write(&file, declaration).unwrap();
        let mut all = vec![("ATUMPAN_PROVIDERS", file.to_str().unwrap())];
        all.extend(variables);
        (World::start_with(&all).await, folder)
    }

    /// Waits for the next mail and returns its `sender`, `recipients` and `content`.
    pub(crate) async fn received(&mut self) -> Value {
        loop {
            let line = timeout(TIMEOUT, self.lines.next_line()).await;
            let line = line.unwrap().unwrap().unwrap();
            let mail: Value = serde_json::from_str(&line).unwrap();
            if mail["content"].is_string() {
                return mail;
            }
        }
    }
}
