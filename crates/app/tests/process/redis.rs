//! A Redis of a test's own.

use std::{
    net::TcpListener,
    process::{Child, Stdio},
};

use test_harness::requires;

use crate::system;

/// A Redis that keeps nothing. It ends when this is dropped.
pub(crate) struct Redis {
    port: u16,
    process: Child,
}

impl Redis {
    /// `None` where the program is not installed.
    pub(crate) fn start() -> Option<Self> {
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        Some(Self { port, process: launch(port)? })
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

fn launch(port: u16) -> Option<Child> {
    let mut server = requires("redis-server")?;
    server
        .args(["--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--port"])
        .arg(port.to_string())
        .stdout(Stdio::null());
    Some(server.spawn().unwrap())
}
