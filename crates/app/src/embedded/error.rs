//! What can keep the embedded server from running.

use std::{
    io,
    path::{Path, PathBuf},
};

/// Why the embedded server does not run. Each message is meant for whoever
/// started `atumpan`.
#[derive(Debug, thiserror::Error)]
pub enum EmbeddedError {
    /// No usable server binaries on this machine.
    #[error(
        "found no PostgreSQL server of version {} or newer{}; install one ({install}) \
         or name an existing server in DATABASE_URL",
        super::OLDEST_VERSION,
        too_old.map(|version| format!(", only {version}")).unwrap_or_default()
    )]
    MissingBinaries {
        /// The newest version that was found, which is too old.
        too_old: Option<u32>,
        /// The command that installs them.
        install: String,
    },

    /// The cluster needs binaries of the major version that made it.
    #[error(
        "the database in {} was made by PostgreSQL {version}, which is not installed; install \
         that version, or name another server in DATABASE_URL", folder.display()
    )]
    MissingVersion {
        /// The folder of the cluster.
        folder: PathBuf,
        /// Its major version.
        version: u32,
    },

    /// The cluster was made by a version that is no longer supported.
    #[error(
        "the database in {} was made by PostgreSQL {version}, and Atumpan needs {} or newer; upgrade \
         it with pg_upgrade, or restore a dump of it in a newer server and name that in DATABASE_URL",
        folder.display(), super::OLDEST_VERSION
    )]
    OldCluster {
        /// The folder of the cluster.
        folder: PathBuf,
        /// Its major version.
        version: u32,
    },

    /// Another process uses the same data directory.
    #[error(
        "another atumpan{} already uses the data directory {}; stop it, or choose another one \
         with ATUMPAN_DATA_DIR", pid.map(|pid| format!(" (process {pid})")).unwrap_or_default(),
        data_dir.display()
    )]
    InUse {
        /// The contended folder.
        data_dir: PathBuf,
        /// The process that holds it, if it could be told.
        pid: Option<u32>,
    },

    /// We are root, and there is no other account to run the server under.
    #[error(
        "PostgreSQL does not run as root, and /etc/passwd has no user `postgres` or `nobody` to \
         run it under; run atumpan as another user, or set DATABASE_URL"
    )]
    NoAccount,

    /// The cluster belongs to an account that we cannot run the server under.
    #[error(
        "the database in {} belongs to user id {uid}, under which this process cannot run it",
        folder.display()
    )]
    ForeignCluster {
        /// The folder of the cluster.
        folder: PathBuf,
        /// Its owner.
        uid: u32,
    },

    /// The account of the server may not enter the folder of its cluster.
    #[error("the user id {uid} that PostgreSQL runs under cannot enter {}", folder.display())]
    Unreachable {
        /// The folder.
        folder: PathBuf,
        /// The account.
        uid: u32,
    },

    /// Somebody else made the folder that our socket belongs in.
    #[error("{} belongs to user id {uid}; remove it to go on", folder.display())]
    ForeignSocket {
        /// The folder of the socket.
        folder: PathBuf,
        /// Its owner.
        uid: u32,
    },

    /// A helper program failed.
    #[error("{program} failed: {output}")]
    Program {
        /// Its name.
        program: String,
        /// What it printed.
        output: String,
    },

    /// The server ended or hung before it accepted connections.
    #[error("PostgreSQL did not start; the end of its log {}:\n{tail}", log.display())]
    NotReady {
        /// The log of the server.
        log: PathBuf,
        /// Its last lines.
        tail: String,
    },

    /// The server outlived its shutdown.
    #[error("PostgreSQL (process {pid}) does not stop")]
    NotStopped {
        /// The server.
        pid: u32,
    },

    /// A file or program could not be used.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file or program.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
}

impl EmbeddedError {
    /// For `map_err`: an I/O error at `path`.
    pub(super) fn at(path: impl AsRef<Path>) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Io { path: path.as_ref().to_owned(), source }
    }
}
