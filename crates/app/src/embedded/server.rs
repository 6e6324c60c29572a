//! Process of the server.

use std::{
    fs::{File, OpenOptions},
    io::{Read, Seek, SeekFrom},
    os::unix::{fs::OpenOptionsExt, process::CommandExt},
    path::{Path, PathBuf},
    process::{Command, ExitStatus, Stdio},
    sync::mpsc,
    thread,
    time::{Duration, Instant},
};

use tokio::{sync::watch, time};

use super::{
    EmbeddedError,
    account::{self, Account},
    cluster::Cluster,
    pid_file::PidFile,
};

/// Longest silence of a starting server. Recovery from a crash can take longer, and reports its
/// progress meanwhile.
const TIMEOUT: Duration = Duration::from_secs(60);

/// Time for which the remains of a killed server may hold its shared memory.
const REMAINS: Duration = Duration::from_secs(20);

/// Longest wait for the end of the server when dropped.
const DROP: Duration = Duration::from_secs(10);

/// Server process, shut down when dropped.
#[derive(Debug)]
pub(super) struct Server {
    pid: u32,
    exit: watch::Receiver<Option<ExitStatus>>,
    pg_ctl: PathBuf,
    account: Account,
}

impl Server {
    /// Starts the server of `cluster` and waits until it accepts connections.
    pub(super) async fn start(cluster: &Cluster, socket: &Path) -> Result<Self, EmbeddedError> {
        let give_up = Instant::now() + REMAINS;
        loop {
            let (server, log) = Self::spawn(cluster, socket)?;
            match server.ready(cluster, log).await {
                Ok(()) => return Ok(server),
                Err(EmbeddedError::NotReady { tail, .. })
                    if tail.contains("still in use") && Instant::now() < give_up =>
                {
                    tracing::warn!("waiting for the remains of a killed PostgreSQL server");
                    time::sleep(Duration::from_millis(500)).await;
                }
                Err(error) => return Err(error),
            }
        }
    }

    fn spawn(cluster: &Cluster, socket: &Path) -> Result<(Self, Log), EmbeddedError> {
        let log = Log::open(&cluster.log)?;
        let mut command = with_death_signal(&cluster.account, &cluster.binaries.path("postgres"));
        command.arg("-D").arg(&cluster.folder).arg("-k").arg(socket).args(["-p", "5432"]);
        command.args(cluster.settings());
        command.stdout(log.handle()?).stderr(log.handle()?);
        // Out of reach of the terminal's Ctrl-C: we shut it down after our own work.
        command.process_group(0);

        let (pid, exit) = keep(command).map_err(EmbeddedError::at("postgres"))?;
        let pg_ctl = cluster.binaries.path("pg_ctl");
        Ok((Self { pid, exit, pg_ctl, account: cluster.account.clone() }, log))
    }

    async fn ready(&self, cluster: &Cluster, mut log: Log) -> Result<(), EmbeddedError> {
        let mut last_log = (log.length(), Instant::now());
        while !self.has_exited() && last_log.1.elapsed() < TIMEOUT {
            let pid_file = PidFile::read(&cluster.folder);
            if pid_file.is_some_and(|file| file.pid == self.pid && file.ready) {
                return Ok(());
            }
            if log.length() != last_log.0 {
                last_log = (log.length(), Instant::now());
            }
            time::sleep(Duration::from_millis(20)).await;
        }
        let (log, tail) = (cluster.log.clone(), log.tail());
        Err(EmbeddedError::NotReady { log, tail })
    }

    /// Completes when the process has ended.
    pub(super) fn exited(&self) -> impl Future<Output = ExitStatus> + Send + 'static {
        let mut exit = self.exit.clone();
        async move {
            let status = exit.wait_for(Option::is_some).await;
            // A missing sender would mean that the waiting thread is gone, but it outlives the
            // server.
            status.ok().and_then(|status| *status).unwrap_or_default()
        }
    }

    /// Shuts the server down: rolls back open transactions; if that takes too long, leaves them to
    /// recovery at the next start.
    pub(super) async fn stop(&self) -> Result<(), EmbeddedError> {
        for (signal, seconds) in [("INT", 14), ("QUIT", 6)] {
            if self.has_exited() {
                return Ok(());
            }
            self.signal(signal)?;
            if time::timeout(Duration::from_secs(seconds), self.exited()).await.is_ok() {
                return Ok(());
            }
        }
        Err(EmbeddedError::NotStopped { pid: self.pid })
    }

    fn has_exited(&self) -> bool {
        self.exit.borrow().is_some() || self.exit.has_changed().is_err()
    }

    fn signal(&self, name: &str) -> Result<(), EmbeddedError> {
        let mut command = self.account.command(&self.pg_ctl);
        command.args(["kill", name]).arg(self.pid.to_string());
        match account::check(&self.pg_ctl, command.output()) {
            Err(error) if !self.has_exited() => Err(error),
            _ => Ok(()),
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if self.has_exited() {
            return;
        }
        if let Err(error) = self.signal("INT") {
            tracing::warn!(%error, pid = self.pid, "failed to ask PostgreSQL to stop");
            return;
        }
        let give_up = Instant::now() + DROP;
        while !self.has_exited() && Instant::now() < give_up {
            thread::sleep(Duration::from_millis(5));
        }
    }
}

/// Returns a command that runs `program` and interrupts it when this process dies, if the system
/// can do that.
fn with_death_signal(account: &Account, program: &Path) -> Command {
    let setpriv = || {
        let mut command = account.command("setpriv");
        command.args(["--pdeathsig", "INT"]);
        command
    };
    // Only a trial shows it: not every setpriv knows the option.
    if !setpriv().arg("true").output().is_ok_and(|output| output.status.success()) {
        return account.command(program);
    }
    let mut command = setpriv();
    command.arg(program);
    command
}

/// Spawns a process from a thread that then waits for its end. The death signal is sent when the
/// spawning *thread* ends, so it must not be a pool thread.
fn keep(mut command: Command) -> std::io::Result<(u32, watch::Receiver<Option<ExitStatus>>)> {
    let (sender, exit) = watch::channel(None);
    let (spawned, spawning) = mpsc::sync_channel(1);
    thread::Builder::new().name("postgres-keeper".to_owned()).spawn(move || {
        match command.spawn() {
            Ok(mut child) => {
                // If the receiver is gone, its owner stops the server when dropped.
                let _ = spawned.send(Ok(child.id()));
                sender.send_replace(Some(child.wait().unwrap_or_default()));
            }
            Err(error) => {
                let _ = spawned.send(Err(error));
            }
        }
    })?;
    let pid = spawning.recv().map_err(std::io::Error::other)??;
    Ok((pid, exit))
}

/// Log of the server from the beginning of this start.
struct Log {
    path: PathBuf,
    file: File,
    start: u64,
}

impl Log {
    fn open(path: &Path) -> Result<Self, EmbeddedError> {
        let file = OpenOptions::new()
            .read(true)
            .append(true)
            .create(true)
            .mode(0o600)
            .open(path)
            .map_err(EmbeddedError::at(path))?;
        let start = file.metadata().map_err(EmbeddedError::at(path))?.len();
        Ok(Self { path: path.to_owned(), file, start })
    }

    fn handle(&self) -> Result<Stdio, EmbeddedError> {
        Ok(self.file.try_clone().map_err(EmbeddedError::at(&self.path))?.into())
    }

    /// Returns the length in bytes.
    fn length(&self) -> u64 {
        self.file.metadata().map_or(0, |metadata| metadata.len())
    }

    /// Returns the last lines of this start.
    fn tail(&mut self) -> String {
        let mut text = Vec::new();
        let read = self.file.seek(SeekFrom::Start(self.start));
        let _ = read.and_then(|_| self.file.read_to_end(&mut text));
        let text = String::from_utf8_lossy(&text);
        let lines: Vec<&str> = text.lines().collect();
        lines[lines.len().saturating_sub(20)..].join("\n")
    }
}
