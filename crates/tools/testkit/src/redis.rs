//! Redis of a test.

use std::{
    env,
    net::{TcpListener, TcpStream},
    process::{Child, Stdio},
};

use crate::{processes, requires, until};

/// Redis that keeps nothing. It ends when this is dropped.
pub struct Redis {
    /// Port on this machine.
    pub port: u16,
    process: Child,
}

impl Redis {
    /// Starts Redis; returns `None` if the program is not installed.
    pub fn start() -> Option<Self> {
        Self::start_at(free_port())
    }

    /// Starts Redis at that port, likewise.
    pub fn start_at(port: u16) -> Option<Self> {
        Some(Self { port, process: launch(port, &[])? })
    }

    /// Returns its URL.
    pub fn url(&self) -> String {
        format!("redis://127.0.0.1:{}", self.port)
    }

    /// Waits until it accepts connections.
    pub async fn listens(&self) {
        until("Redis listens", async || TcpStream::connect(("127.0.0.1", self.port)).is_ok()).await;
    }

    /// Suspends the process. The kernel goes on accepting connections.
    pub fn freeze(&self) {
        self.signal("STOP");
    }

    /// Resumes the process.
    pub fn thaw(&self) {
        self.signal("CONT");
    }

    /// Kills the process at once.
    pub fn kill(&mut self) {
        self.process.kill().expect("a process can be killed");
        self.process.wait().expect("a killed process ends");
    }

    /// Starts Redis again at the same address.
    pub fn come_back(&mut self) {
        self.come_back_with(&[]);
    }

    /// Starts Redis again at the same address, with these options.
    pub fn come_back_with(&mut self, options: &[&str]) {
        self.process = launch(self.port, options).expect("Redis is still installed");
    }

    fn signal(&self, signal: &str) {
        let sent = processes::signal(self.process.id(), signal);
        assert!(sent.is_ok_and(|sent| sent), "{signal} is sent");
    }
}

impl Drop for Redis {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Returns a port on which nobody listens.
pub fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    listener.local_addr().expect("it is bound").port()
}

fn launch(port: u16, options: &[&str]) -> Option<Child> {
    let mut server = requires("redis-server")?;
    server
        .args(["--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--port"])
        .arg(port.to_string())
        .args(options)
        .current_dir(env::temp_dir())
        .stdout(Stdio::null());
    Some(server.spawn().expect("redis-server can be run"))
}
