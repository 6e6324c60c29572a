//! The service, as a process of its own.

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

/// How long it may take to start or to stop.
const TIMEOUT: Duration = Duration::from_secs(60);

/// How it is started, and started again.
#[derive(Clone)]
pub(crate) struct Settings {
    /// Where it serves.
    pub(crate) address: SocketAddr,
    /// Its working directory.
    pub(crate) home: PathBuf,
    /// Where its log goes.
    pub(crate) log: PathBuf,
    pub(crate) variables: Vec<(String, String)>,
}

/// An instance of the service.
pub(crate) struct Service {
    child: Child,
    settings: Settings,
}

impl Settings {
    /// On a port that is free, with a folder of its own in `home`.
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
    /// Starts it, and waits until it serves.
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

    /// The most memory that it has held, in MB.
    pub(crate) fn peak_memory(&self) -> u64 {
        self.child.id().and_then(system::peak_memory).unwrap_or_default()
    }

    /// Kills it at once.
    pub(crate) async fn kill(&mut self) -> Result<()> {
        Ok(self.child.kill().await?)
    }

    /// Whether it has ended by itself.
    pub(crate) fn has_ended(&mut self) -> Result<bool> {
        Ok(self.child.try_wait()?.is_some())
    }

    /// Asks it to end, and waits until it has.
    pub(crate) async fn stop(&mut self) -> Result<()> {
        if let Some(process) = self.child.id() {
            system::signal(process, "TERM")?;
        }
        let status = tokio::time::timeout(TIMEOUT, self.child.wait()).await??;
        if status.success() { Ok(()) } else { Err(format!("the service ended: {status}").into()) }
    }
}

/// What one of its commands says of that database; an error is what is wrong.
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

/// The service that was built beside this program, with none of the caller's settings.
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
