//! Database of a service: a configured one, or an embedded one.

use std::{error::Error as StdError, future, iter, process::ExitStatus, time::Duration};

use adapters_postgres::{ConfigError, DatabaseAddress, MigrationError};
use thiserror::Error;
use tokio::time::{Instant, sleep};

use crate::{
    config::Storage,
    embedded::{Durability, EmbeddedError, EmbeddedPostgres, Options},
};

/// Migrated database that is ready for use.
pub struct Database {
    url: String,
    embedded: Option<EmbeddedPostgres>,
}

/// Error of the database.
#[derive(Debug, Error)]
pub enum DatabaseError {
    /// The embedded server does not start or stop.
    #[error(transparent)]
    Embedded(#[from] EmbeddedError),
    /// The configured address is invalid. It is not shown, because it may contain a password.
    #[error("DATABASE_URL must be such as postgres://user:password@host:5432/name{0}")]
    Malformed(String),
    /// The configured database cannot be reached, or its schema cannot be brought up to date.
    #[error("DATABASE_URL ({address})")]
    Given {
        /// Address of the database.
        address: DatabaseAddress,
        /// Cause of the error.
        source: MigrationError,
    },
    /// There is no database, and the command needs an existing one.
    #[error(
        "there is no database in {0}: run this in the directory of the service, or set \
         ATUMPAN_DATA_DIR or DATABASE_URL as it has them"
    )]
    Missing(String),
    /// The schema of the embedded database cannot be brought up to date.
    #[error("the embedded database")]
    Migration(#[from] MigrationError),
}

/// Pause between two attempts to reach the server.
const PAUSE: Duration = Duration::from_secs(2);

/// Returns an error if the address of a database is invalid.
pub(crate) fn check_database_url(url: &str) -> Result<(), DatabaseError> {
    DatabaseAddress::of(url).map(drop).map_err(|error| malformed(&error))
}

impl Database {
    /// Waits until the configured server can be reached, for as long as the settings say. A server that
    /// answers and refuses is not waited for.
    pub async fn wait(storage: &Storage) -> Result<(), DatabaseError> {
        let Some(url) = &storage.database_url else { return Ok(()) };
        let address = DatabaseAddress::of(url).map_err(|error| malformed(&error))?;
        let began = Instant::now();
        loop {
            let absence = adapters_postgres::absence(url).await;
            let Some(reason) = absence.map_err(|error| malformed(&error))? else { return Ok(()) };
            let left = storage.database_wait.saturating_sub(began.elapsed());
            if left.is_zero() {
                // The next step fails with the reason.
                return Ok(());
            }
            tracing::warn!(
                %address,
                reason,
                seconds_left = left.as_secs(),
                "PostgreSQL cannot be reached; the start waits for it"
            );
            sleep(PAUSE.min(left)).await;
        }
    }

    /// Connects to the configured database, or starts an embedded one, and brings its schema up to
    /// date.
    pub async fn open(storage: &Storage) -> Result<Self, DatabaseError> {
        let Some(url) = &storage.database_url else {
            let database = Self::embedded(storage).await?;
            adapters_postgres::migrate(&database.url).await?;
            return Ok(database);
        };
        let address = DatabaseAddress::of(url).map_err(|error| malformed(&error))?;
        adapters_postgres::migrate(url)
            .await
            .map_err(|source| DatabaseError::Given { address, source })?;
        Ok(Self { url: url.clone(), embedded: None })
    }

    /// Like [`open`](Self::open), but uses the embedded server of a running service.
    pub async fn open_beside(storage: &Storage) -> Result<Self, DatabaseError> {
        let running = match storage.database_url {
            Some(_) => None,
            None => EmbeddedPostgres::running_url(&storage.data_dir),
        };
        let Some(url) = running else { return Self::open(storage).await };
        adapters_postgres::migrate(&url).await?;
        Ok(Self { url, embedded: None })
    }

    /// Like [`open_beside`](Self::open_beside), but creates no database: a question about an empty
    /// one is meant for another.
    pub async fn open_existing(storage: &Storage) -> Result<Self, DatabaseError> {
        let data_dir = &storage.data_dir;
        // A data directory that the account of the server cannot enter points to another.
        let is_there =
            ["postgres", "postgres.location"].iter().any(|it| data_dir.join(it).exists());
        if storage.database_url.is_none() && !is_there {
            let data_dir = std::path::absolute(data_dir).unwrap_or_else(|_| data_dir.clone());
            return Err(DatabaseError::Missing(data_dir.display().to_string()));
        }
        Self::open_beside(storage).await
    }

    /// Returns the configured database, or the embedded one of a running service, as it is: nothing is
    /// started, reached or brought up to date. `None` if the embedded server does not run.
    pub fn as_it_is(storage: &Storage) -> Result<Option<Self>, DatabaseError> {
        let url = match &storage.database_url {
            Some(url) => Some(url.clone()),
            None => EmbeddedPostgres::running_url(&storage.data_dir),
        };
        let Some(url) = url else { return Ok(None) };
        DatabaseAddress::of(&url).map_err(|error| malformed(&error))?;
        Ok(Some(Self { url, embedded: None }))
    }

    async fn embedded(storage: &Storage) -> Result<Self, DatabaseError> {
        let data_dir = storage.data_dir.clone();
        let options = Options { data_dir, durability: Durability::Full };
        let embedded = EmbeddedPostgres::start(options).await?;
        Ok(Self { url: embedded.url().to_owned(), embedded: Some(embedded) })
    }

    /// Returns the URL of the database.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// True if no other process can use the database.
    pub fn is_private(&self) -> bool {
        self.embedded.is_some()
    }

    /// Waits for an embedded server to end by itself; for ever if there is none.
    pub async fn ended(&self) -> ExitStatus {
        match &self.embedded {
            Some(embedded) => embedded.exited().await,
            None => future::pending().await,
        }
    }

    /// Stops an embedded server.
    pub async fn close(self) -> Result<(), DatabaseError> {
        match self.embedded {
            Some(embedded) => Ok(embedded.stop().await?),
            None => Ok(()),
        }
    }
}

/// Returns an error about an address, as detailed as possible without a part of the address.
fn malformed(error: &ConfigError) -> DatabaseError {
    DatabaseError::Malformed(match error {
        ConfigError::Unencoded | ConfigError::Tls(_) => format!("; {error}"),
        _ => option(error).map(|option| format!("; {option}")).unwrap_or_default(),
    })
}

/// Returns the name of the wrong option, if the error is about one.
fn option(error: &ConfigError) -> Option<String> {
    let first: &(dyn StdError + 'static) = error;
    let mut causes = iter::successors(Some(first), |error| (**error).source());
    causes.find_map(|cause| {
        let text = cause.to_string();
        if text.starts_with(WRONG_OPTION) {
            return Some(format!("it has an {text}"));
        }
        let name = text.strip_prefix(UNKNOWN_OPTION)?.trim_matches('`');
        let name = OTHER_OPTIONS.iter().find(|option| **option == name)?;
        Some(format!("the option `{name}` is not supported"))
    })
}

/// Prefixes of the client's errors about an address that contain no value of it, and the
/// unsupported options that may be named: any other unknown option may be a part of a password.
const WRONG_OPTION: &str = "invalid value for option";
const UNKNOWN_OPTION: &str = "unknown option ";
const OTHER_OPTIONS: [&str; 16] = [
    "client_encoding",
    "gssencmode",
    "krbsrvname",
    "passfile",
    "replication",
    "require_auth",
    "requirepeer",
    "service",
    "ssl_max_protocol_version",
    "ssl_min_protocol_version",
    "sslcert",
    "sslcertmode",
    "sslcompression",
    "sslcrl",
    "sslkey",
    "sslsni",
];
