//! Service as a process of its own.

use std::{
    fs::OpenOptions,
    net::{Ipv4Addr, SocketAddr, TcpListener},
    path::PathBuf,
    process::Stdio,
    time::Duration,
};

use tokio::process::{Child, Command};

use crate::{
    failure::Result,
    system::{self, until},
};

/// Longest time of a start or a stop.
const TIMEOUT: Duration = Duration::from_secs(60);

/// Settings of each start.
#[derive(Clone)]
pub(crate) struct Settings {
    /// Address of the API.
    pub(crate) address: SocketAddr,
    /// Working directory.
    pub(crate) home: PathBuf,
    /// Path of the log.
    pub(crate) log: PathBuf,
    pub(crate) variables: Vec<(String, String)>,
}

/// Instance of the service.
pub(crate) struct Service {
    child: Child,
    settings: Settings,
}

impl Settings {
    /// Returns settings with a free port, and a folder of its own in `home`.
    pub(crate) fn new(
        home: PathBuf,
        log: PathBuf,
        variables: Vec<(String, String)>,
    ) -> Result<Self> {
        std::fs::create_dir_all(&home)?;
        let address = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?;
        Ok(Self { address, home, log, variables })
    }
}

impl Service {
    /// Starts the instance, and waits until it serves.
    pub(crate) async fn start(settings: Settings, http: &reqwest::Client) -> Result<Self> {
        let log = OpenOptions::new().create(true).append(true).open(&settings.log)?;
        let mut child = atumpan()?
            .current_dir(&settings.home)
            .env("ATUMPAN_LISTEN", settings.address.to_string())
            .envs(settings.variables.iter().cloned())
            .stdout(Stdio::null())
            .stderr(log)
            .kill_on_drop(true)
            .spawn()?;
        let live = format!("http://{}/health/live", settings.address);
        until("the service serves", TIMEOUT, async || {
            if let Some(status) = child.try_wait()? {
                let told = std::fs::read_to_string(&settings.log)?;
                return Err(format!("the service has ended ({status}):\n{told}").into());
            }
            Ok(http.get(&live).send().await.is_ok_and(|answer| answer.status().is_success()))
        })
        .await?;
        Ok(Self { child, settings })
    }

    pub(crate) fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Returns the peak memory, in MB.
    pub(crate) fn peak_memory(&self) -> u64 {
        self.child.id().and_then(system::peak_memory).unwrap_or_default()
    }

    /// Kills the process at once.
    pub(crate) async fn kill(&mut self) -> Result<()> {
        Ok(self.child.kill().await?)
    }

    /// Returns true if the process has ended by itself.
    pub(crate) fn has_ended(&mut self) -> Result<bool> {
        Ok(self.child.try_wait()?.is_some())
    }

    /// Asks the process to end, and waits until it has.
    pub(crate) async fn stop(&mut self) -> Result<()> {
        if let Some(process) = self.child.id() {
            system::signal(process, "TERM")?;
        }
        let status = tokio::time::timeout(TIMEOUT, self.child.wait()).await??;
        if status.success() { Ok(()) } else { Err(format!("the service ended: {status}").into()) }
    }
}

/// Runs one of its verifying commands on the database; the inner error is the problem found.
pub(crate) async fn verify(
    what: &str,
    database_url: &str,
) -> Result<std::result::Result<(), String>> {
    let output =
        atumpan()?.args([what, "verify"]).env("DATABASE_URL", database_url).output().await?;
    if output.status.success() {
        return Ok(Ok(()));
    }
    Ok(Err(String::from_utf8_lossy(&output.stderr).trim().to_owned()))
}

/// Returns the command of the service that was built beside this program, without the caller's
/// settings.
fn atumpan() -> Result<Command> {
    let program = std::env::current_exe()?.with_file_name("atumpan");
    if !program.exists() {
        return Err("the service is not built: cargo build -p atumpan".into());
    }
    let mut command = Command::new(program);
    let is_setting = |name: &str| name.starts_with("ATUMPAN_") || name.ends_with("_URL");
    let names = std::env::vars_os().filter_map(|(name, _)| name.into_string().ok());
    for name in names.filter(|name| is_setting(name)) {
        command.env_remove(name);
    }
    command.stdin(Stdio::null());
    Ok(command)
}
