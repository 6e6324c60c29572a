//! Two servers of one database: a primary, and a standby that confirms its commits.

use std::{
    fs,
    os::unix::{
        fs::{DirBuilderExt, MetadataExt, chown},
        process::CommandExt,
    },
    path::PathBuf,
    process::{Child, Command, Stdio},
};

use app::embedded::{Durability, EmbeddedPostgres, Options};
use tempfile::TempDir;

use crate::{
    database::{Session, programs},
    program::{folder, until},
    system,
};

/// Both servers.
pub(crate) struct Pair {
    // Dropped in this order: only a server that is not frozen can be stopped.
    frozen: Frozen,
    primary: EmbeddedPostgres,
    standby: Standby,
}

/// Processes that are stopped, and go on when this is dropped.
#[derive(Default)]
struct Frozen(Vec<u32>);

struct Standby {
    server: Child,
    programs: PathBuf,
    socket: PathBuf,
    folder: TempDir,
}

impl Pair {
    pub(crate) async fn start() -> Self {
        let folder = folder();
        let options =
            Options { data_dir: folder.path().join("primary"), durability: Durability::None };
        let primary = EmbeddedPostgres::start(options).await.unwrap();
        let standby = Standby::of(&primary, folder);
        let pair = Self { frozen: Frozen::default(), primary, standby };
        let mut session = pair.primary_session();
        session.run(
            "ALTER SYSTEM SET synchronous_standby_names = '*'; SELECT pg_reload_conf(); \
             ALTER ROLE atumpan SET synchronous_commit = on",
        );
        until("the standby confirms commits", async || {
            let query = "SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'";
            session.number(query) == 1
        })
        .await;
        pair
    }

    /// Addresses both.
    pub(crate) fn url(&self) -> String {
        let (_, primary) = self.primary.url().split_once("host=").unwrap();
        let primary = primary.replace("%2F", "/");
        let standby = self.standby.socket.display();
        format!(
            "host={primary},{standby} user=atumpan dbname=atumpan target_session_attrs=read-write"
        )
    }

    /// Stops every process of the primary where it stands.
    pub(crate) fn freeze_primary(&mut self) {
        let file = self.standby.folder.path().join("primary/postgres/postmaster.pid");
        let text = fs::read_to_string(file).unwrap();
        let server: u32 = text.lines().next().unwrap().parse().unwrap();
        // It starts no more processes once it is stopped itself.
        system::signal(server, "STOP");
        self.frozen.0.push(server);
        for child in system::children(server) {
            system::signal(child, "STOP");
            self.frozen.0.push(child);
        }
    }

    /// Makes the standby the primary.
    pub(crate) fn promote_standby(&self) {
        assert_eq!(self.standby_session().run("SELECT pg_promote()"), ["t"]);
    }

    pub(crate) fn standby_session(&self) -> Session {
        self.standby.session()
    }

    fn primary_session(&self) -> Session {
        Session::open(&self.standby.programs, self.primary.url())
    }
}

impl Drop for Frozen {
    fn drop(&mut self) {
        // The server itself comes last: it would start others in their place.
        for process in self.0.iter().rev() {
            system::signal(*process, "CONT");
        }
    }
}

impl Standby {
    fn of(primary: &EmbeddedPostgres, folder: TempDir) -> Self {
        let cluster = folder.path().join("primary/postgres");
        let programs = programs(&cluster);
        let owner = fs::metadata(&cluster).unwrap();
        let run = |program: &str| {
            let mut command = Command::new(programs.join(program));
            command.current_dir("/").stdin(Stdio::null()).stderr(Stdio::null());
            if fs::metadata(folder.path()).unwrap().uid() != owner.uid() {
                command.uid(owner.uid()).gid(owner.gid());
            }
            command
        };
        let [data, socket] = ["standby", "socket"].map(|name| folder.path().join(name));
        for private in [&data, &socket] {
            fs::DirBuilder::new().mode(0o700).create(private).unwrap();
            chown(private, Some(owner.uid()), Some(owner.gid())).unwrap();
        }
        let mut copy = run("pg_basebackup");
        copy.args(["-R", "-X", "stream", "-c", "fast", "--no-sync", "-d", primary.url(), "-D"]);
        assert!(copy.arg(&data).status().unwrap().success());
        // A standby with fewer connections than its primary refuses to start.
        let [connections] =
            &Session::open(&programs, primary.url()).run("SHOW max_connections")[..]
        else {
            panic!("a setting has one value");
        };
        let connections = format!("max_connections={connections}");
        let mut server = run("postgres");
        server.arg("-D").arg(&data).arg("-k").arg(&socket);
        for setting in ["listen_addresses=", &connections, "fsync=off"] {
            server.args(["-c", setting]);
        }
        let server = server.spawn().unwrap();
        Self { server, programs, socket, folder }
    }

    fn session(&self) -> Session {
        let url = format!("host={} user=atumpan dbname=atumpan", self.socket.display());
        Session::open(&self.programs, &url)
    }
}

impl Drop for Standby {
    fn drop(&mut self) {
        system::signal(self.server.id(), "INT");
        let _ = self.server.wait();
    }
}
