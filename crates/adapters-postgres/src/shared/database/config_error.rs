//! Errors in the address of a database.

use thiserror::Error;

use crate::shared::database::tls::TlsError;

/// The database cannot be reached as configured.
#[derive(Debug, Error)]
pub enum ConfigError {
    /// The address is not a `postgres://…` URL or a list of `key=value` pairs.
    #[error("the address of the database is malformed")]
    Url(#[source] tokio_postgres::Error),
    /// The user or the password contains a character that ends it.
    #[error("the user and the password must be percent-encoded: @ is %40, # is %23, / is %2F")]
    Unencoded,
    /// The address asks for TLS, which cannot be set up.
    #[error(transparent)]
    Tls(#[from] TlsError),
    /// Connections need a runtime that outlives them.
    #[error("there is no Tokio runtime")]
    NoRuntime(#[from] tokio::runtime::TryCurrentError),
    /// The pool was given timeouts and no clock to measure them with.
    #[error("the pool cannot be built")]
    Pool(#[from] deadpool::managed::BuildError),
}
