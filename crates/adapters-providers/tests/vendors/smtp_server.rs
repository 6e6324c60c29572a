//! The mail server of `tests/smtp_server.py`, and certificates for it.

use std::{
    io::{self, Write},
    process::{Command, Stdio},
};

use serde::Deserialize;
use tempfile::TempDir;
use tokio::{
    io::{AsyncBufReadExt, BufReader, Lines},
    process::{Child, ChildStdout},
};

const PYTHON: &str = "/usr/bin/python3";
const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/smtp_server.py");

/// A running server. It ends when this is dropped.
pub(crate) struct SmtpServer {
    pub(crate) port: u16,
    lines: Lines<BufReader<ChildStdout>>,
    _process: Child,
}

/// A message as the server got it.
#[derive(Debug, Deserialize)]
pub(crate) struct Received {
    pub(crate) sender: String,
    pub(crate) recipients: Vec<String>,
    pub(crate) content: String,
    pub(crate) user: Option<String>,
    pub(crate) encrypted: bool,
    /// How many connections were made before it.
    #[serde(skip)]
    pub(crate) connections: usize,
}

/// Whether the server can be run. If it cannot, that is an error in continuous integration.
pub(crate) fn is_available() -> bool {
    let mut import = Command::new(PYTHON);
    import.args(["-c", "import aiosmtpd"]).stderr(Stdio::null());
    let available = import.status().is_ok_and(|status| status.success());
    if !available {
        let advice = "install python3-aiosmtpd";
        assert!(std::env::var_os("CI").is_none(), "no mail server to test against: {advice}");
        // Past the capture of the test harness, which shows nothing of a test that passes.
        let why = format!("no mail server to test against: {advice}");
        let _ = writeln!(io::stderr(), "\n*** NOT TESTED: {why} ***");
    }
    available
}

impl SmtpServer {
    pub(crate) async fn start(arguments: &[&str]) -> Self {
        let mut process = tokio::process::Command::new(PYTHON)
            .arg(SCRIPT)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(process.stdout.take().unwrap()).lines();
        let port = lines.next_line().await.unwrap().unwrap().parse().unwrap();
        Self { port, lines, _process: process }
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

/// A certificate for `localhost` and 127.0.0.1, which vouches for itself.
pub(crate) struct Certificate {
    folder: TempDir,
}

impl Certificate {
    pub(crate) fn make() -> Self {
        const CONFIGURATION: &str = "[req]\ndistinguished_name=name\nx509_extensions=server\n\
            prompt=no\n[name]\nCN=localhost\n[server]\nbasicConstraints=critical,CA:FALSE\n\
            subjectAltName=DNS:localhost,IP:127.0.0.1\n";

        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("openssl.cnf"), CONFIGURATION).unwrap();
        let made = Command::new("openssl")
            .current_dir(&folder)
            .args(["req", "-x509", "-config", "openssl.cnf", "-days", "2", "-nodes"])
            .args(["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"])
            .args(["-keyout", "key.pem", "-out", "cert.pem"])
            .output()
            .unwrap();
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
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
