//! Redis for a test of its own.

use std::{
    net::TcpListener,
    process::{Child, Stdio},
};

use test_harness::requires;

use crate::system;

/// Redis that keeps nothing. It ends when this is dropped.
pub(crate) struct Redis {
    port: u16,
    process: Child,
}

impl Redis {
    /// Starts Redis; returns `None` if the program is not installed.
    pub(crate) fn start() -> Option<Self> {
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        Some(Self { port, process: launch(port)? })
    }

    pub(crate) fn url(&self) -> String {
        format!("redis://127.0.0.1:{}", self.port)
    }

    /// Suspends the process. The kernel goes on accepting connections.
    pub(crate) fn freeze(&self) {
        system::signal(self.process.id(), "STOP");
    }

    pub(crate) fn thaw(&self) {
        system::signal(self.process.id(), "CONT");
    }

    /// Kills the process at once.
    pub(crate) fn kill(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }

    /// Starts Redis again at the same address.
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
