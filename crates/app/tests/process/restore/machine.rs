//! Machine of an operator: clusters of PostgreSQL with an archive of their log, and the scripts.

use std::{
    env,
    ffi::OsString,
    fs::{self, OpenOptions},
    io::Write,
    os::unix::{
        fs::{MetadataExt, chown},
        process::CommandExt,
    },
    path::{Path, PathBuf},
    process::Command,
};

use tempfile::TempDir;

use crate::{database::Session, program::empty_folder};

const SCRIPTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/deploy/backup");
const PROGRAM: &str = env!("CARGO_BIN_EXE_atumpan");
const DEBIAN: &str = "/usr/lib/postgresql";
/// Programs that the walk needs of one version.
const NEEDED: [&str; 4] = ["initdb", "pg_ctl", "pg_basebackup", "psql"];

/// Folder with clusters, their archive and the scripts. Clusters that still run are stopped when it is dropped.
pub(super) struct Machine {
    folder: TempDir,
    programs: PathBuf,
    /// User and group of the clusters; `None` if they are ours.
    account: Option<(u32, u32)>,
}

impl Machine {
    /// Prepares the folders. Skips the test if the server is not of the same installation as
    /// `pg_basebackup`.
    pub(super) fn new(pg_basebackup: &Command) -> Option<Self> {
        let Some(programs) = programs(pg_basebackup) else {
            testkit::skipped(
                "initdb and pg_basebackup of one version are not installed: install postgresql",
            );
            return None;
        };
        let folder = empty_folder();
        let is_root = fs::metadata(folder.path()).unwrap().uid() == 0;
        let account = is_root.then(unprivileged);
        let machine = Self { folder, programs, account };
        for name in ["archive", "base", "clusters"] {
            let path = machine.path(name);
            fs::create_dir(&path).unwrap();
            machine.give(Path::new(&path));
        }
        for script in fs::read_dir(SCRIPTS).unwrap() {
            let script = script.unwrap();
            // The checkout may be closed to the account.
            fs::copy(script.path(), machine.folder().join(script.file_name())).unwrap();
        }
        Some(machine)
    }

    pub(super) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Returns a path in the folder. Those of clusters are in a folder that their account may write.
    pub(super) fn path(&self, name: &str) -> String {
        let parent = if ["first", "second"].contains(&name) { "clusters" } else { "" };
        self.folder().join(parent).join(name).to_str().unwrap().to_owned()
    }

    /// Returns the address of a database of the cluster that runs.
    pub(super) fn url(&self, database: &str) -> String {
        let socket = self.path("clusters").replace('/', "%2F");
        format!("postgres://atumpan@/{database}?host={socket}")
    }

    pub(super) fn session(&self, database: &str) -> Session {
        Session::open(&self.url(database))
    }

    /// Creates a cluster that archives its log.
    pub(super) fn create(&self, name: &str) {
        let cluster = self.path(name);
        let options = ["--username=atumpan", "--encoding=UTF8", "--no-locale", "--auth=trust"];
        succeed(self.server_program("initdb").args(options).arg("-D").arg(&cluster));
        let settings = format!(
            "listen_addresses = ''\nunix_socket_directories = '{}'\nfsync = off\n\
             archive_mode = on\narchive_command = '{}/archive-log.sh {} %p %f'\n",
            self.path("clusters"),
            self.folder().display(),
            self.path("archive"),
        );
        let file = Path::new(&cluster).join("postgresql.conf");
        let mut file = OpenOptions::new().append(true).open(file).unwrap();
        file.write_all(settings.as_bytes()).unwrap();
    }

    pub(super) fn start(&self, name: &str) {
        let log = format!("{}.log", self.path(name));
        let started = self
            .server_program("pg_ctl")
            .args(["start", "-w", "-l", &log, "-D"])
            .arg(self.path(name))
            .output();
        let log = fs::read_to_string(log).unwrap_or_default();
        assert!(started.unwrap().status.success(), "{log}");
    }

    pub(super) fn stop(&self, name: &str) {
        succeed(
            self.server_program("pg_ctl")
                .args(["stop", "-w", "-m", "fast", "-D"])
                .arg(self.path(name)),
        );
    }

    /// Runs a script with the settings of the service, and returns what it prints.
    pub(super) fn script(&self, name: &str, arguments: &[&str]) -> String {
        let mut command = testkit::command("sh");
        command.current_dir(self.folder()).arg(self.folder().join(name)).args(arguments);
        command.env("PATH", self.search_path());
        command.env("DATABASE_URL", self.url("atumpan")).env("ATUMPAN_PROVIDERS", "providers.toml");
        command.env("RECOVERY_SECONDS", "60");
        if name != "after-restore.sh" {
            self.switch(&mut command);
        }
        succeed(&mut command)
    }

    /// Returns a command of the server, run by the account of the clusters.
    fn server_program(&self, name: &str) -> Command {
        let program = self.programs.join(name);
        let mut command = Command::new(program);
        command.current_dir("/").env("LC_ALL", "C").env("PATH", self.search_path());
        self.switch(&mut command);
        command
    }

    fn switch(&self, command: &mut Command) {
        if let Some((user, group)) = self.account {
            command.uid(user).gid(group);
        }
    }

    fn give(&self, path: &Path) {
        if let Some((user, group)) = self.account {
            chown(path, Some(user), Some(group)).unwrap();
        }
    }

    /// Returns the path on which scripts find the programs of the server and the service.
    fn search_path(&self) -> OsString {
        let own = [self.programs.clone(), Path::new(PROGRAM).parent().unwrap().to_owned()];
        let inherited = env::var_os("PATH").unwrap_or_default();
        env::join_paths(own.into_iter().chain(env::split_paths(&inherited))).unwrap()
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        for name in ["first", "second"] {
            if Path::new(&self.path(name)).join("postmaster.pid").exists() {
                let mut stop = self.server_program("pg_ctl");
                let _ = stop.args(["stop", "-m", "immediate", "-D"]).arg(self.path(name)).output();
            }
        }
    }
}

/// Runs a command, and returns what it prints.
fn succeed(command: &mut Command) -> String {
    let output = command.output().unwrap();
    let (printed, errors) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{command:?}: {printed}\n{errors}");
    printed.into_owned()
}

/// Returns the folder of an installation that has all programs.
fn programs(pg_basebackup: &Command) -> Option<PathBuf> {
    let of_path = Path::new(pg_basebackup.get_program()).parent().map(Path::to_owned);
    let of_debian = fs::read_dir(DEBIAN).into_iter().flatten().flatten();
    let mut folders: Vec<_> = of_debian.map(|version| version.path().join("bin")).collect();
    folders.sort();
    folders.extend(of_path);
    folders.into_iter().find(|folder| NEEDED.iter().all(|name| folder.join(name).exists()))
}

/// Returns the user and the group under which root runs a server.
fn unprivileged() -> (u32, u32) {
    let passwd = fs::read_to_string("/etc/passwd").unwrap();
    let ids = |name: &str| {
        let line = passwd.lines().find(|line| line.split(':').next() == Some(name))?;
        let fields: Vec<_> = line.split(':').collect();
        Some((fields[2].parse().ok()?, fields[3].parse().ok()?))
    };
    ids("postgres").or_else(|| ids("nobody")).unwrap()
}
