//! Files of the database cluster: their creation, and the settings of the server.

use std::{
    fs::{self, DirBuilder, File},
    io::ErrorKind,
    os::unix::fs::DirBuilderExt,
    path::{Path, PathBuf},
    process::Stdio,
    time::{Duration, Instant},
};

use tokio::{io::AsyncWriteExt, process::Command, time::sleep};

use super::{
    Durability, EmbeddedError,
    account::{self, Account},
    binaries::{Binaries, Required, leading_number},
    home,
    pid_file::{Owner, PidFile},
};

/// Name of the database and of its owner.
pub(super) const NAME: &str = "atumpan";

/// Time for which a server may still run after it has removed its file.
const LAST_MOMENTS: Duration = Duration::from_secs(10);

/// Settings under which no commit is lost. There is no further tuning: larger installations run
/// their own server.
const FULL: &[&str] = &[
    "fsync=on",
    "synchronous_commit=on",
    "full_page_writes=on",
    "max_wal_size=8GB",
    "min_wal_size=1GB",
    "checkpoint_timeout=15min",
    "track_wal_io_timing=on",
    "shared_buffers=128MB",
    "max_connections=100",
];

/// Settings of throw-away clusters.
const NONE: &[&str] = &[
    "fsync=off",
    "synchronous_commit=off",
    "full_page_writes=off",
    "shared_buffers=16MB",
    "max_connections=500",
];

/// Settings of all clusters. Errors are reported by the clients that cause them; in the log they
/// would only repeat personal data.
const COMMON: &[&str] = &["listen_addresses=", "log_min_messages=log", "log_timezone=UTC"];

/// Returns the version that the cluster in `home` needs; `None` without a cluster.
pub(super) fn version_in(home: &Path) -> Result<Option<Required>, EmbeddedError> {
    let folder = home::cluster_folder(home);
    let path = folder.join("PG_VERSION");
    match fs::read_to_string(&path) {
        Ok(text) => Ok(leading_number(&text).map(|version| Required { folder, version })),
        Err(error) if error.kind() == ErrorKind::NotFound && !folder.exists() => Ok(None),
        Err(error) => Err(EmbeddedError::at(path)(error)),
    }
}

/// Cluster, with the account and the programs that serve it.
#[derive(Debug)]
pub(super) struct Cluster {
    /// Files of the database.
    pub(super) folder: PathBuf,
    /// Log of the server.
    pub(super) log: PathBuf,
    /// Owner of the files.
    pub(super) account: Account,
    /// Programs that match the version of the files.
    pub(super) binaries: Binaries,
    durability: Durability,
}

impl Cluster {
    /// Returns the cluster in `home`, which need not exist yet.
    pub(super) fn new(
        home: &Path,
        account: Account,
        binaries: Binaries,
        durability: Durability,
    ) -> Self {
        let (folder, log) = (home::cluster_folder(home), home.join("postgres.log"));
        Self { folder, log, account, binaries, durability }
    }

    /// Returns the arguments of the server.
    pub(super) fn settings(&self) -> impl Iterator<Item = &'static str> + use<> {
        let durable = match self.durability {
            Durability::Full => FULL,
            Durability::None => NONE,
        };
        COMMON.iter().chain(durable).flat_map(|setting| ["-c", setting])
    }

    /// Creates the files and the database. The files are renamed when all is done, so that an
    /// interruption leaves nothing that looks complete.
    pub(super) async fn create_if_missing(&self) -> Result<(), EmbeddedError> {
        if self.folder.exists() {
            return Ok(());
        }
        let version = self.binaries.version;
        tracing::info!(folder = %self.folder.display(), version, "making a PostgreSQL cluster");
        let nursery = self.folder.with_extension("new");
        home::create_dir(&nursery, 0o711)?;
        let unfinished = create_numbered(&nursery)?;
        self.account.give(&unfinished)?;
        self.initialise(&unfinished).await?;
        self.create_database(&unfinished).await?;
        fs::rename(&unfinished, &self.folder).map_err(EmbeddedError::at(&unfinished))?;
        self.keep_name()?;
        if let Err(error) = fs::remove_dir_all(&nursery) {
            tracing::debug!(%error, folder = %nursery.display(), "not removed");
        }
        Ok(())
    }

    async fn initialise(&self, folder: &Path) -> Result<(), EmbeddedError> {
        let initdb = self.binaries.path("initdb");
        let mut command = self.account.command(&initdb);
        command.args(["--encoding=UTF8", "--no-locale", "--auth-local=trust"]);
        command.args(["--auth-host=reject", "--username", NAME, "-D"]).arg(folder);
        if self.durability == Durability::None {
            command.arg("--no-sync");
        }
        let output = Command::from(command).kill_on_drop(true).output().await;
        account::check(&initdb, output).map(drop)
    }

    /// Creates the database without a running server: `psql` may not be installed.
    async fn create_database(&self, folder: &Path) -> Result<(), EmbeddedError> {
        let postgres = self.binaries.path("postgres");
        let mut command = self.account.command(&postgres);
        command.arg("--single").arg("-D").arg(folder).args(["-c", "exit_on_error=on"]);
        command.args(self.settings()).arg("template1");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());

        let mut child = Command::from(command)
            .kill_on_drop(true)
            .spawn()
            .map_err(EmbeddedError::at(&postgres))?;
        if let Some(mut stdin) = child.stdin.take() {
            // If this fails, the output of the server says more than the error.
            let _ = stdin.write_all(format!("CREATE DATABASE {NAME};\n").as_bytes()).await;
        }
        account::check(&postgres, child.wait_with_output().await).map(drop)
    }

    /// Makes the name of the cluster survive a power failure.
    fn keep_name(&self) -> Result<(), EmbeddedError> {
        match (self.durability, self.folder.parent()) {
            (Durability::Full, Some(home)) => File::open(home)
                .and_then(|folder| folder.sync_all())
                .map_err(EmbeddedError::at(home)),
            _ => Ok(()),
        }
    }

    /// Stops the server that an earlier process left behind, and removes a pid file whose number
    /// now belongs to another program. The file of a dead server stays: the next server needs it to
    /// detect processes that still use the shared memory.
    pub(super) async fn retire_orphan(&self) -> Result<(), EmbeddedError> {
        let Some(pid_file) = PidFile::read(&self.folder) else {
            return Ok(());
        };
        let pid = pid_file.pid;
        match pid_file.owner(&self.folder) {
            Owner::Nobody => Ok(()),
            Owner::Stranger => {
                tracing::warn!(pid, "removing the pid file of a PostgreSQL server that is gone");
                let path = PidFile::path(&self.folder);
                fs::remove_file(&path).map_err(EmbeddedError::at(&path))
            }
            Owner::Postmaster => {
                tracing::warn!(pid, "stopping the PostgreSQL server of an earlier process");
                let Err(_) = self.stop_orphan("fast", "30").await else { return Ok(()) };
                if self.ends_by_itself(&pid_file).await {
                    return Ok(());
                }
                self.stop_orphan("immediate", "10").await
            }
        }
    }

    /// Waits for a server that is ending: its file is removed some time before its process ends.
    async fn ends_by_itself(&self, pid_file: &PidFile) -> bool {
        let began = Instant::now();
        while pid_file.owner(&self.folder) == Owner::Postmaster {
            if PidFile::path(&self.folder).exists() || began.elapsed() > LAST_MOMENTS {
                return false;
            }
            sleep(Duration::from_millis(50)).await;
        }
        true
    }

    async fn stop_orphan(&self, mode: &str, seconds: &str) -> Result<(), EmbeddedError> {
        let pg_ctl = self.binaries.path("pg_ctl");
        let mut command = self.account.command(&pg_ctl);
        command.args(["stop", "-w", "-m", mode, "-t", seconds, "-D"]).arg(&self.folder);
        let output = Command::from(command).kill_on_drop(true).output().await;
        account::check(&pg_ctl, output).map(drop)
    }
}

/// Creates a folder in `nursery` under an unused number: the programs of an interrupted attempt may
/// still be running in theirs.
fn create_numbered(nursery: &Path) -> Result<PathBuf, EmbeddedError> {
    let mut number = 0_u32;
    loop {
        let folder = nursery.join(number.to_string());
        match DirBuilder::new().mode(0o700).create(&folder) {
            Ok(()) => return Ok(folder),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => number += 1,
            Err(error) => return Err(EmbeddedError::at(folder)(error)),
        }
    }
}
