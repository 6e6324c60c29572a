//! PostgreSQL server that is stopped, killed and frozen on demand.

use std::{
    fs,
    os::unix::{
        fs::{DirBuilderExt, MetadataExt, PermissionsExt, chown},
        process::CommandExt,
    },
    path::{Path, PathBuf},
    process::{Command as StdCommand, Stdio},
    thread,
    time::{Duration, Instant},
};

use app::embedded::{Durability, EmbeddedPostgres, Options};
use testkit::processes::{children, signal};
use tokio::process::{Child, Command};
use tokio_postgres::{Client, NoTls};

use crate::{failure::Result, system::until};

/// Name of the database, and of its owner.
const NAME: &str = "atumpan";
/// Longest time of a start, recovery included, and of a stop.
const TIMEOUT: Duration = Duration::from_secs(60);
/// Longest wait for the end of the server when dropped.
const END: Duration = Duration::from_secs(10);
/// Settings of the server. Processes are killed, not the machine: data that the kernel was given
/// survives without being flushed.
const SETTINGS: [&str; 5] = [
    "listen_addresses=",
    "fsync=off",
    "synchronous_commit=on",
    "max_connections=200",
    "shared_buffers=64MB",
];

/// Kind of stop.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stop {
    /// Ends the connections, and shuts down in order.
    Fast,
    /// Ends at once, and recovers at the next start.
    Immediate,
    /// Kills all processes.
    Kill,
}

/// Server with its files.
pub(crate) struct Postgres {
    programs: PathBuf,
    folder: PathBuf,
    data: PathBuf,
    socket: PathBuf,
    server: Option<Child>,
}

impl Postgres {
    /// Creates a cluster in `folder` and serves it. The account of the server must be able to
    /// enter.
    pub(crate) async fn start(folder: &Path) -> Result<Self> {
        fs::set_permissions(folder, fs::Permissions::from_mode(0o755))?;
        // The service's own server knows the path of the programs, and the account that may run
        // them.
        let options = Options { data_dir: folder.join("primary"), durability: Durability::None };
        EmbeddedPostgres::start(options).await?.stop().await?;
        let data = folder.join("primary/postgres");
        let mut postgres = Self {
            programs: programs(&data)?,
            folder: folder.to_owned(),
            socket: folder.join("socket"),
            data,
            server: None,
        };
        postgres.make_private(&postgres.socket)?;
        postgres.serve().await?;
        Ok(postgres)
    }

    /// Starts a standby beside it, which confirms its commits from now on. The server is stopped
    /// meanwhile.
    pub(crate) async fn start_standby(&mut self) -> Result<Self> {
        let mut standby = Self {
            programs: self.programs.clone(),
            folder: self.folder.clone(),
            data: self.folder.join("standby"),
            socket: self.folder.join("standby-socket"),
            server: None,
        };
        standby.make_private(&standby.socket)?;
        // A stopped server can be copied file by file, which needs no program for it.
        self.stop(Stop::Fast).await?;
        standby.copy(&self.data, &standby.data)?;
        standby.write("standby.signal", "")?;
        standby.write("postgresql.auto.conf", &format!("primary_conninfo = '{}'\n", self.url()))?;
        self.serve().await?;
        standby.serve().await?;
        let client = self.connect().await?;
        let settings =
            ["ALTER SYSTEM SET synchronous_standby_names = '*'", "SELECT pg_reload_conf()"];
        for statement in settings {
            client.batch_execute(statement).await?;
        }
        until("the standby confirms commits", TIMEOUT, async || {
            let query = "SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'";
            Ok(client.query_one(query, &[]).await?.try_get::<_, i64>(0)? == 1)
        })
        .await?;
        Ok(standby)
    }

    /// Serves the files, which may need recovery first, and waits until the server answers.
    pub(crate) async fn serve(&mut self) -> Result<()> {
        let log = self.folder.join("postgres.log");
        let file = fs::File::create(&log)?;
        let mut server = self.program("postgres")?;
        server.arg("-D").arg(&self.data).arg("-k").arg(&self.socket);
        for setting in SETTINGS {
            server.args(["-c", setting]);
        }
        let mut server = server.stderr(file).kill_on_drop(true).spawn()?;
        let started = until("PostgreSQL answers", TIMEOUT, async || {
            if let Some(status) = server.try_wait()? {
                let told = fs::read_to_string(&log)?;
                return Err(format!("PostgreSQL has ended ({status}):\n{told}").into());
            }
            Ok(self.connect().await.is_ok())
        });
        started.await?;
        self.server = Some(server);
        Ok(())
    }

    /// Returns true if the server has ended by itself.
    pub(crate) fn has_ended(&mut self) -> Result<bool> {
        Ok(match &mut self.server {
            Some(server) => server.try_wait()?.is_some(),
            None => true,
        })
    }

    /// Stops the server, and waits for its end.
    pub(crate) async fn stop(&mut self, how: Stop) -> Result<()> {
        let process = self.process()?;
        // The remaining processes notice the end of the server and end too.
        let rest = if how == Stop::Kill { children(process) } else { Vec::new() };
        signal(
            process,
            match how {
                Stop::Fast => "INT",
                Stop::Immediate => "QUIT",
                Stop::Kill => "KILL",
            },
        )?;
        for child in rest {
            signal(child, "KILL")?;
        }
        if let Some(mut server) = self.server.take() {
            tokio::time::timeout(TIMEOUT, server.wait()).await??;
        }
        Ok(())
    }

    /// Suspends every process.
    pub(crate) fn freeze(&self) -> Result<()> {
        let process = self.process()?;
        // A suspended server starts no more processes.
        signal(process, "STOP")?;
        for child in children(process) {
            signal(child, "STOP")?;
        }
        Ok(())
    }

    /// Resumes all processes.
    pub(crate) fn thaw(&self) -> Result<()> {
        let process = self.process()?;
        // The server itself comes last: it would start others in their place.
        for child in children(process) {
            signal(child, "CONT")?;
        }
        signal(process, "CONT")?;
        Ok(())
    }

    /// Makes a standby the primary.
    pub(crate) async fn promote(&self) -> Result<()> {
        self.connect().await?.batch_execute("SELECT pg_promote()").await?;
        Ok(())
    }

    /// Ends the connections of all others.
    pub(crate) async fn terminate_connections(&self) -> Result<()> {
        let terminate = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
                         WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()";
        Ok(self.connect().await?.batch_execute(terminate).await?)
    }

    /// Opens a session with the database.
    pub(crate) async fn connect(&self) -> Result<Client> {
        let (client, connection) = tokio_postgres::connect(&self.url(), NoTls).await?;
        tokio::spawn(connection);
        Ok(client)
    }

    /// Returns the URL of the server.
    pub(crate) fn url(&self) -> String {
        format!("host={} user={NAME} dbname={NAME}", self.socket.display())
    }

    /// Returns a URL of both servers that reaches the primary.
    pub(crate) fn url_with(&self, standby: &Self) -> String {
        let (primary, standby) = (self.socket.display(), standby.socket.display());
        format!(
            "host={primary},{standby} user={NAME} dbname={NAME} target_session_attrs=read-write"
        )
    }

    fn process(&self) -> Result<u32> {
        let id = self.server.as_ref().and_then(Child::id);
        id.ok_or_else(|| "PostgreSQL is not running".into())
    }

    /// Returns a command of one of the server's programs, run as the owner of the files.
    fn program(&self, name: &str) -> Result<Command> {
        let mut command = StdCommand::new(self.programs.join(name));
        command.current_dir("/").stdin(Stdio::null()).stdout(Stdio::null());
        let owner = fs::metadata(self.folder.join("primary/postgres"))?;
        if fs::metadata(&self.folder)?.uid() != owner.uid() {
            command.uid(owner.uid()).gid(owner.gid());
        }
        Ok(command.into())
    }

    /// Copies a folder of a cluster that is not served.
    fn copy(&self, from: &Path, to: &Path) -> Result<()> {
        self.make_private(to)?;
        for entry in fs::read_dir(from)? {
            let entry = entry?;
            let (from, to) = (entry.path(), to.join(entry.file_name()));
            if from.is_dir() {
                self.copy(&from, &to)?;
            } else {
                fs::copy(&from, &to)?;
                self.give(&to)?;
            }
        }
        Ok(())
    }

    /// Overwrites a file of the cluster.
    fn write(&self, name: &str, text: &str) -> Result<()> {
        let file = self.data.join(name);
        fs::write(&file, text)?;
        self.give(&file)
    }

    /// Gives a file or folder to the owner of the files.
    fn give(&self, path: &Path) -> Result<()> {
        let owner = fs::metadata(self.folder.join("primary/postgres"))?;
        Ok(chown(path, Some(owner.uid()), Some(owner.gid()))?)
    }

    fn make_private(&self, folder: &Path) -> Result<()> {
        fs::DirBuilder::new().mode(0o700).create(folder)?;
        self.give(folder)
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        // Frozen processes do not notice that their server is gone, and would be left behind.
        let _ = self.thaw();
        let Some(server) = &mut self.server else { return };
        if let Some(process) = server.id() {
            let _ = signal(process, "QUIT");
        }
        let began = Instant::now();
        while server.try_wait().is_ok_and(|status| status.is_none()) && began.elapsed() < END {
            thread::sleep(Duration::from_millis(10));
        }
    }
}

/// Returns the folder of the programs that served the cluster.
fn programs(cluster: &Path) -> Result<PathBuf> {
    let command = fs::read_to_string(cluster.join("postmaster.opts"))?;
    let program = command.split_whitespace().next().map(Path::new).and_then(Path::parent);
    Ok(program.ok_or("postmaster.opts names no program")?.to_owned())
}
