//! Built program of the service, run as an operator would.

use std::{
    env,
    ffi::OsStr,
    io,
    net::SocketAddr,
    process::{Child, Command, ExitStatus, Stdio},
    sync::mpsc::Receiver,
    thread,
    time::{Duration, Instant},
};

use crate::processes;

/// Longest time of a start or a stop, on a machine that is busy with other tests.
const TIMEOUT: Duration = Duration::from_secs(180);
const POLL: Duration = Duration::from_millis(20);

/// Running service. It is killed when this is dropped.
pub struct Service {
    child: Child,
    output: Receiver<String>,
    /// URL of the API.
    pub url: String,
}

/// Returns a command of the program, without the settings of the caller and with some that let many run
/// side by side.
pub fn command(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    let is_setting = |name: &str| {
        name.starts_with("ATUMPAN_") || name.starts_with("OTEL_") || name.ends_with("_URL")
    };
    let names = env::vars_os().filter_map(|(name, _)| name.into_string().ok());
    for name in names.filter(|name| is_setting(name)) {
        command.env_remove(name);
    }
    command.env("ATUMPAN_LISTEN", "127.0.0.1:0").env("ATUMPAN_RATE_LIMITS", "off");
    command.stdin(Stdio::null());
    command
}

/// Returns a command of the service that was built beside the running program.
pub fn built() -> Result<Command, String> {
    let own = env::current_exe().map_err(|error| error.to_string())?;
    let program = own.with_file_name("atumpan");
    if program.exists() {
        Ok(command(program))
    } else {
        Err("the service is not built: cargo build -p atumpan-server, with the same profile"
            .to_owned())
    }
}

impl Service {
    /// Starts the service, and waits until it serves. The error is its first line instead.
    pub fn start(command: &mut Command) -> Result<Self, String> {
        let mut service = Self::begin(command).map_err(|error| error.to_string())?;
        let line = service.output.recv_timeout(TIMEOUT).unwrap_or_default();
        match line.trim().strip_prefix("Atumpan serves on ") {
            Some(url) => url.clone_into(&mut service.url),
            None => return Err(format!("it does not serve: {line:?}")),
        }
        Ok(service)
    }

    /// Starts a service that does not print its URL, such as one that logs in JSON.
    pub fn begin(command: &mut Command) -> io::Result<Self> {
        let mut child = command.stdout(Stdio::piped()).spawn()?;
        let output = processes::output_lines(&mut child);
        Ok(Self { child, output, url: String::new() })
    }

    /// Returns the address of the API.
    pub fn address(&self) -> SocketAddr {
        let address = self.url.strip_prefix("http://").and_then(|it| it.parse().ok());
        address.expect("a service without a public URL prints its address")
    }

    /// Returns the process id.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Sends the process a signal.
    pub fn signal(&self, signal: &str) {
        assert!(processes::signal(self.id(), signal).is_ok_and(|sent| sent), "{signal} is sent");
    }

    /// Stops the process until it is continued or killed, and waits until none of its threads runs.
    pub fn pause(&self) {
        self.signal("STOP");
        for _ in 0..5_000 {
            if processes::is_paused(self.id()) {
                return;
            }
            thread::sleep(Duration::from_millis(1));
        }
        panic!("the process still runs after SIGSTOP");
    }

    /// Returns true if the process has ended.
    pub fn has_ended(&mut self) -> bool {
        self.child.try_wait().is_ok_and(|status| status.is_some())
    }

    /// Waits for the end of the process.
    pub fn wait(&mut self) -> ExitStatus {
        self.end().expect("the process ends in time")
    }

    /// Asks the process to end, and waits until it has.
    pub fn stop(&mut self) -> Result<(), String> {
        processes::signal(self.id(), "TERM").map_err(|error| error.to_string())?;
        let status = self.end()?;
        if status.success() { Ok(()) } else { Err(format!("the service ended: {status}")) }
    }

    /// Kills the process at once, as a crash would.
    pub fn crash(mut self) {
        self.kill();
    }

    /// Kills the process at once.
    pub fn kill(&mut self) {
        self.child.kill().expect("a process can be killed");
        self.child.wait().expect("a killed process ends");
    }

    /// Returns the remaining output of a process that has ended.
    pub fn rest(self) -> String {
        self.output.iter().collect()
    }

    fn end(&mut self) -> Result<ExitStatus, String> {
        let began = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().map_err(|error| error.to_string())? {
                return Ok(status);
            }
            if began.elapsed() > TIMEOUT {
                return Err(format!("the service does not end in {TIMEOUT:?}"));
            }
            thread::sleep(POLL);
        }
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
