//! The database of a service: one that is given, or one of its own.

use std::{future, process::ExitStatus};

use adapters_postgres::MigrationError;
use thiserror::Error;

use crate::{
    config::Storage,
    embedded::{Durability, EmbeddedError, EmbeddedPostgres, Options},
};

/// A migrated database that is ready for use.
pub struct Database {
    url: String,
    embedded: Option<EmbeddedPostgres>,
}

/// The database cannot be used.
#[derive(Debug, Error)]
pub enum DatabaseError {
    /// The embedded server does not start or stop.
    #[error(transparent)]
    Embedded(#[from] EmbeddedError),
    /// The schema cannot be brought up to date.
    #[error("the database cannot be migrated")]
    Migration(#[from] MigrationError),
}

impl Database {
    /// Connects to the database that is given, or starts one, and brings its schema up to date.
    pub async fn open(storage: &Storage) -> Result<Self, DatabaseError> {
        let database = match &storage.database_url {
            Some(url) => Self { url: url.clone(), embedded: None },
            None => Self::embedded(storage).await?,
        };
        adapters_postgres::migrate(&database.url).await?;
        Ok(database)
    }

    /// Like [`open`](Self::open), but uses the embedded server of a service that is running.
    pub async fn open_beside(storage: &Storage) -> Result<Self, DatabaseError> {
        let running = match storage.database_url {
            Some(_) => None,
            None => EmbeddedPostgres::running_url(&storage.data_dir),
        };
        let Some(url) = running else { return Self::open(storage).await };
        adapters_postgres::migrate(&url).await?;
        Ok(Self { url, embedded: None })
    }

    async fn embedded(storage: &Storage) -> Result<Self, DatabaseError> {
        let data_dir = storage.data_dir.clone();
        let options = Options { data_dir, durability: Durability::Full };
        let embedded = EmbeddedPostgres::start(options).await?;
        Ok(Self { url: embedded.url().to_owned(), embedded: Some(embedded) })
    }

    /// Where it is reached.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Whether no other process can use it.
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
