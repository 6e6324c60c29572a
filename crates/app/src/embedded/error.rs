//! Errors of the embedded server.

use std::{
    io,
    path::{Path, PathBuf},
};

/// Error of the embedded server. Each message is meant for the person who starts `atumpan`.
#[derive(Debug, thiserror::Error)]
pub enum EmbeddedError {
    /// The machine has no usable server binaries.
    #[error(
        "found no PostgreSQL server of version {} or newer{}; install one ({install}) \
         or name an existing server in DATABASE_URL",
        super::OLDEST_VERSION,
        too_old.map(|version| format!(", only {version}")).unwrap_or_default()
    )]
    MissingBinaries {
        /// Newest version found, which is too old.
        too_old: Option<u32>,
        /// Command that installs the binaries.
        install: String,
    },

    /// The cluster needs binaries of the major version that created it.
    #[error(
        "the database in {} was made by PostgreSQL {version}, which is not installed; install \
         that version, or name another server in DATABASE_URL", folder.display()
    )]
    MissingVersion {
        /// Folder of the cluster.
        folder: PathBuf,
        /// Major version of the cluster.
        version: u32,
    },

    /// The cluster was created by a version that is no longer supported.
    #[error(
        "the database in {} was made by PostgreSQL {version}, and Atumpan needs {} or newer; upgrade \
         it with pg_upgrade, or restore a dump of it in a newer server and name that in DATABASE_URL",
        folder.display(), super::OLDEST_VERSION
    )]
    OldCluster {
        /// Folder of the cluster.
        folder: PathBuf,
        /// Major version of the cluster.
        version: u32,
    },

    /// Another process uses the same data directory.
    #[error(
        "another atumpan{} already uses the data directory {}; stop it, or choose another one \
         with ATUMPAN_DATA_DIR", pid.map(|pid| format!(" (process {pid})")).unwrap_or_default(),
        data_dir.display()
    )]
    InUse {
        /// Contended folder.
        data_dir: PathBuf,
        /// Process that holds the lock; `None` if unknown.
        pid: Option<u32>,
    },

    /// This process runs as root, and there is no other account to run the server under.
    #[error(
        "PostgreSQL does not run as root, and /etc/passwd has no user `postgres` or `nobody` to \
         run it under; run atumpan as another user, or set DATABASE_URL"
    )]
    NoAccount,

    /// The cluster belongs to an account that this process cannot run the server under.
    #[error(
        "the database in {} belongs to user id {uid}, under which this process cannot run it",
        folder.display()
    )]
    ForeignCluster {
        /// Folder of the cluster.
        folder: PathBuf,
        /// User id of the owner.
        uid: u32,
    },

    /// The account of the server may not enter the folder of its cluster.
    #[error("the user id {uid} that PostgreSQL runs under cannot enter {}", folder.display())]
    Unreachable {
        /// Folder that cannot be entered.
        folder: PathBuf,
        /// User id of the account.
        uid: u32,
    },

    /// Another account created the folder of our socket.
    #[error("{} belongs to user id {uid}; remove it to go on", folder.display())]
    ForeignSocket {
        /// Folder of the socket.
        folder: PathBuf,
        /// User id of the owner.
        uid: u32,
    },

    /// A helper program failed.
    #[error("{program} failed: {output}")]
    Program {
        /// Name of the program.
        program: String,
        /// Output of the program.
        output: String,
    },

    /// The server ended or hung before it accepted connections.
    #[error("PostgreSQL did not start; the end of its log {}:\n{tail}", log.display())]
    NotReady {
        /// Path of the server's log.
        log: PathBuf,
        /// Last lines of the log.
        tail: String,
    },

    /// The server outlived its shutdown.
    #[error("PostgreSQL (process {pid}) does not stop")]
    NotStopped {
        /// Process id of the server.
        pid: u32,
    },

    /// A file or program could not be used.
    #[error("{}: {source}", path.display())]
    Io {
        /// Path of the file or program.
        path: PathBuf,
        /// Cause of the error.
        source: io::Error,
    },
}

impl EmbeddedError {
    /// Maps an I/O error at `path`, for `map_err`.
    pub(super) fn at(path: impl AsRef<Path>) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Io { path: path.as_ref().to_owned(), source }
    }
}
