//! What every port to the store has in common: how it fails.

use std::error::Error as StdError;

use thiserror::Error;

/// Why the store could not do as told.
#[derive(Debug, Error)]
pub enum StoreError {
    /// Something like it is already kept.
    #[error("`{constraint}` is already taken")]
    Conflict {
        /// The name of the uniqueness rule that was hit.
        constraint: String,
    },
    /// The store cannot be reached or is overloaded; trying again may help.
    #[error("the store is unavailable")]
    Unavailable(#[source] Box<dyn StdError + Send + Sync>),
    /// Anything else: a bug, or data we cannot read back.
    #[error("the store failed")]
    Internal(#[source] Box<dyn StdError + Send + Sync>),
}
