//! The `PostgreSQL` server that `atumpan` runs for itself when it is given none.
//!
//! It is made of the machine's own server binaries, listens on a Unix socket in
//! a private folder and nowhere else, and ends with this process: by
//! [`EmbeddedPostgres::stop`], by being dropped, or on Linux by the kernel's
//! parent-death signal. Whatever an earlier process left behind is recovered by
//! the next start.

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

/// How to run the server.
#[derive(Clone, Debug)]
pub struct Options {
    /// The folder for the cluster, its lock and its log; made if missing.
    pub data_dir: PathBuf,
    /// What a crash may cost.
    pub durability: Durability,
}

/// What a crash of the machine may cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Durability {
    /// Nothing that was committed.
    Full,
    /// Everything: for throw-away clusters. As root, the data directory is
    /// opened (`0711`) for the account of the server.
    None,
}

/// A running server. Dropping it shuts the server down and blocks meanwhile, for
/// ten seconds at most; prefer [`EmbeddedPostgres::stop`].
#[derive(Debug)]
pub struct EmbeddedPostgres {
    // Dropped in this order: the lock is held until the server is gone.
    server: Server,
    _socket: SocketFolder,
    url: String,
    _locks: Vec<Lock>,
}

impl EmbeddedPostgres {
    /// Starts the server, after making the cluster if there is none, and returns
    /// when it accepts connections. May be awaited on any thread.
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

    /// The URL that reaches the database `atumpan` of this server.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Completes when the server has ended, for whatever reason.
    pub fn exited(&self) -> impl Future<Output = ExitStatus> + Send + 'static {
        self.server.exited()
    }

    /// Disconnects the clients, shuts the server down and waits for its end,
    /// for twenty seconds at most.
    pub async fn stop(self) -> Result<(), EmbeddedError> {
        self.server.stop().await
    }

    /// The URL of the server that another process runs in `data_dir`, if one
    /// does and it is ready.
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
