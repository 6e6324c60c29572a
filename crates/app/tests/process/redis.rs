//! A Redis of a test's own.

use std::{
    env,
    io::{self, ErrorKind, Write},
    net::TcpListener,
    process::{Child, Command, Stdio},
};

use crate::system;

/// A Redis that keeps nothing. It ends when this is dropped.
pub(crate) struct Redis {
    port: u16,
    process: Child,
}

impl Redis {
    /// `None` where the program is not installed, which is borne on a developer's machine only.
    pub(crate) fn start() -> Option<Self> {
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        match launch(port) {
            Ok(process) => Some(Self { port, process }),
            Err(error) if error.kind() == ErrorKind::NotFound && env::var_os("CI").is_none() => {
                // Past the capture of the test harness, which shows nothing of a test that passes.
                let why = "no Redis to test with: install redis-server";
                let _ = writeln!(io::stderr(), "\n*** NOT TESTED: {why} ***");
                None
            }
            Err(error) => panic!("redis-server does not start: {error}"),
        }
    }

    pub(crate) fn url(&self) -> String {
        format!("redis://127.0.0.1:{}", self.port)
    }

    /// Stops it where it stands. Its kernel goes on taking connections.
    pub(crate) fn freeze(&self) {
        system::signal(self.process.id(), "STOP");
    }

    pub(crate) fn thaw(&self) {
        system::signal(self.process.id(), "CONT");
    }

    /// Kills it at once.
    pub(crate) fn kill(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }

    /// Starts it again where it was.
    pub(crate) fn come_back(&mut self) {
        self.process = launch(self.port).unwrap();
    }
}

impl Drop for Redis {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn launch(port: u16) -> io::Result<Child> {
    Command::new("redis-server")
        .args(["--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--port"])
        .arg(port.to_string())
        .stdout(Stdio::null())
        .spawn()
}
