//! Failures to start.

#[cfg(feature = "postgres")]
use adapters_postgres::{ConfigError, MigrationError};
#[cfg(feature = "providers")]
use adapters_providers::{DeclarationError, HttpClientError};
use ports::shared::store::StoreError;
use thiserror::Error;

/// Error that prevents the start.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum BuildError {
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The address of the database is invalid.
    #[cfg(feature = "postgres")]
    #[error(transparent)]
    Address(#[from] ConfigError),
    /// The database cannot be migrated.
    #[cfg(feature = "postgres")]
    #[error(transparent)]
    Migration(#[from] MigrationError),
    /// A provider is not declared as its vendor needs it.
    #[cfg(feature = "providers")]
    #[error(transparent)]
    Declaration(#[from] DeclarationError),
    /// The HTTP client of the vendors cannot be made.
    #[cfg(feature = "providers")]
    #[error(transparent)]
    HttpClient(#[from] HttpClientError),
}
