//! Embedded `PostgreSQL` server that `atumpan` runs if no database is configured.
//!
//! It uses the server binaries of the machine, listens only on a Unix socket in a private folder,
//! and ends with this process: by [`EmbeddedPostgres::stop`], when dropped, or on Linux by the
//! kernel's parent-death signal. The next start recovers what an earlier process left behind.

mod account;
mod binaries;
mod cluster;
mod error;
mod home;
mod install;
mod lock;
mod pid_file;
mod server;
mod socket;

use std::{
    path::{Path, PathBuf},
    process::ExitStatus,
};

pub use error::EmbeddedError;

use adapters_postgres::OLDEST_VERSION;

use account::Account;
use binaries::Binaries;
use cluster::Cluster;
use lock::Lock;
use pid_file::{Owner, PidFile};
use server::Server;
use socket::SocketFolder;

/// Options of the server.
#[derive(Clone, Debug)]
pub struct Options {
    /// Folder for the cluster, its lock and its log; created if missing.
    pub data_dir: PathBuf,
    /// Durability of commits.
    pub durability: Durability,
}

/// Data that a crash of the machine may lose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Durability {
    /// No committed data.
    Full,
    /// All data: for throw-away clusters. As root, the data directory is opened (`0711`) for the
    /// account of the server.
    None,
}

/// Running server. Dropping it shuts the server down and blocks for up to ten seconds; prefer
/// [`EmbeddedPostgres::stop`].
#[derive(Debug)]
pub struct EmbeddedPostgres {
    // Dropped in this order: the lock is held until the server is gone.
    server: Server,
    _socket: SocketFolder,
    url: String,
    _locks: Vec<Lock>,
}

impl EmbeddedPostgres {
    /// Starts the server, after creating the cluster if there is none, and returns when it accepts
    /// connections. May be awaited on any thread.
    pub async fn start(options: Options) -> Result<Self, EmbeddedError> {
        let data_dir = home::create(&options.data_dir, options.durability)?;
        let mut locks = vec![Lock::acquire(&data_dir)?];

        let known = home::known(&data_dir)?;
        let account = match known.as_deref().map(home::cluster_folder) {
            Some(folder) if folder.exists() => Account::owner_of(&folder)?,
            _ => Account::for_new_cluster()?,
        };
        let version = known.as_deref().map_or(Ok(None), cluster::version_in)?;
        let binaries = Binaries::find(&account, version)?;

        let home = match known {
            Some(home) => home,
            None => home::choose(&data_dir, &account, options.durability)?,
        };
        if home != data_dir {
            // A copied data directory points at the cluster of the original.
            locks.push(Lock::acquire(&home)?);
        }

        let cluster = Cluster::new(&home, account, binaries, options.durability);
        cluster.create_if_missing().await?;
        cluster.retire_orphan().await?;
        let socket = SocketFolder::create(&home, &cluster.account)?;
        let server = Server::start(&cluster, socket.path()).await?;

        let url = socket::url(socket.path());
        Ok(Self { server, _socket: socket, url, _locks: locks })
    }

    /// Returns the URL of the database `atumpan` on this server.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Completes when the server has ended, for any reason.
    pub fn exited(&self) -> impl Future<Output = ExitStatus> + Send + 'static {
        self.server.exited()
    }

    /// Disconnects the clients, shuts the server down and waits for its end, for at most twenty
    /// seconds.
    pub async fn stop(self) -> Result<(), EmbeddedError> {
        self.server.stop().await
    }

    /// True if a process uses `data_dir`.
    pub fn is_used(data_dir: &Path) -> bool {
        data_dir.canonicalize().is_ok_and(|data_dir| Lock::is_held(&data_dir))
    }

    /// Returns the URL of the server that another process runs in `data_dir`; `None` if none is
    /// ready.
    pub fn running_url(data_dir: &Path) -> Option<String> {
        let data_dir = data_dir.canonicalize().ok()?;
        if !Lock::is_held(&data_dir) {
            return None;
        }
        let folder = home::cluster_folder(&home::known(&data_dir).ok()??);
        let pid_file = PidFile::read(&folder)?;
        let serves = pid_file.ready && pid_file.owner(&folder) == Owner::Postmaster;
        serves.then(|| socket::url(&pid_file.socket_folder))
    }
}
