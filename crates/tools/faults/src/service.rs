//! Service as a process of its own.

use std::{
    fs::OpenOptions,
    net::{Ipv4Addr, SocketAddr, TcpListener},
    path::PathBuf,
};

use crate::{failure::Result, system};

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
    pub(crate) process: testkit::Service,
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
    pub(crate) fn start(settings: Settings) -> Result<Self> {
        let log = OpenOptions::new().create(true).append(true).open(&settings.log)?;
        let mut command = testkit::built()?;
        command
            .current_dir(&settings.home)
            .env("ATUMPAN_LISTEN", settings.address.to_string())
            .envs(settings.variables.iter().cloned())
            .stderr(log);
        let process = testkit::Service::start(&mut command).map_err(|error| {
            let told = std::fs::read_to_string(&settings.log).unwrap_or_default();
            format!("{error}\n{told}")
        })?;
        Ok(Self { process, settings })
    }

    pub(crate) fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Returns the peak memory, in MB.
    pub(crate) fn peak_memory(&self) -> u64 {
        system::peak_memory(self.process.id()).unwrap_or_default()
    }
}

/// Runs one of its verifying commands on the database; the inner error is the problem found.
pub(crate) fn verify(what: &str, database_url: &str) -> Result<std::result::Result<(), String>> {
    let mut command = testkit::built()?;
    let output = command.args([what, "verify"]).env("DATABASE_URL", database_url).output()?;
    if output.status.success() {
        return Ok(Ok(()));
    }
    Ok(Err(String::from_utf8_lossy(&output.stderr).trim().to_owned()))
}
