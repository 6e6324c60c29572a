//! A real mail server, and a service that sends its mail through it.

use std::{
    fs,
    io::{self, Write},
    process::{Command, Stdio},
};

use acceptance::World;
use serde_json::Value;
use tempfile::TempDir;
use tokio::{
    io::{AsyncBufReadExt, BufReader, Lines},
    process::{Child, ChildStdout},
};

/// That of the distribution: it finds the distribution's packages.
const PYTHON: &str = "/usr/bin/python3";
const SCRIPT: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/../crates/adapters-providers/tests/smtp_server.py");

/// A running server. It ends when this is dropped.
pub(crate) struct MailServer {
    port: u16,
    lines: Lines<BufReader<ChildStdout>>,
    _process: Child,
}

impl MailServer {
    /// Starts a server, unless it cannot be run here. In continuous integration that is an error.
    pub(crate) async fn start() -> Option<Self> {
        if !is_available() {
            return None;
        }
        let mut process = tokio::process::Command::new(PYTHON)
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

    /// A service with this server as its provider `mail`.
    pub(crate) async fn world(&self) -> (World, TempDir) {
        self.world_with(&[]).await
    }

    /// The same, with more variables set.
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

    /// The next mail: `sender`, `recipients` and `content`.
    pub(crate) async fn received(&mut self) -> Value {
        loop {
            let line = self.lines.next_line().await.unwrap().unwrap();
            let mail: Value = serde_json::from_str(&line).unwrap();
            if mail["content"].is_string() {
                return mail;
            }
        }
    }
}

fn is_available() -> bool {
    let mut import = Command::new(PYTHON);
    import.args(["-c", "import aiosmtpd"]).stderr(Stdio::null());
    let available = import.status().is_ok_and(|status| status.success());
    if !available {
        not_tested("no mail server to test against: install python3-aiosmtpd");
    }
    available
}

/// Something that a test needs is not installed. In continuous integration that is an error.
pub(crate) fn not_tested(why: &str) {
    assert!(std::env::var_os("CI").is_none(), "{why}");
    // Past the capture of the test harness, which shows nothing of a test that passes.
    let _ = writeln!(io::stderr(), "\n*** NOT TESTED: {why} ***");
}
