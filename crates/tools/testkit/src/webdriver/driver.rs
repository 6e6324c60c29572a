//! `chromedriver`, which starts browsers and controls them.

use std::{
    os::unix::process::CommandExt,
    path::Path,
    process::{Child, Command, Stdio},
    sync::mpsc::Receiver,
    time::Duration,
};

use crate::{processes, requires};

/// Beginning of the line that names the port.
const STARTED: &str = "ChromeDriver was started successfully on port ";
/// Longest time until the next line of a start.
const TIMEOUT: Duration = Duration::from_secs(60);

/// Running driver. It is killed with its browsers when this is dropped.
pub(super) struct Driver {
    process: Child,
    /// URL for requests, without a path.
    pub(super) url: String,
}

impl Driver {
    /// Starts a driver at a free port; returns `None` if it is not installed. Profiles of browsers and all
    /// temporary files lie in the folder.
    pub(super) fn start(folder: &Path) -> Option<Self> {
        let process = requires("chromedriver")?
            .arg("--port=0")
            .env("TMPDIR", folder)
            .process_group(0)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("chromedriver can be run");
        let mut driver = Self { process, url: String::new() };
        let output = processes::output_lines(&mut driver.process);
        driver.url = format!("http://127.0.0.1:{}", port_in(&output));
        Some(driver)
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        // A driver that ends leaves its browsers running. They are in its process group.
        let group = format!("-{}", self.process.id());
        let _ = Command::new("kill").args(["-s", "KILL", "--", &group]).status();
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Waits for the line that names the port, and returns the port.
fn port_in(output: &Receiver<String>) -> u16 {
    loop {
        let line = output.recv_timeout(TIMEOUT).expect("the driver prints its port");
        if let Some(port) = line.trim().strip_prefix(STARTED) {
            return port.trim_end_matches('.').parse().expect("a port is a number");
        }
    }
}
