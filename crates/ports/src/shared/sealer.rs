//! Sealing of secrets that are stored.
//!
//! ```
//! use ports::shared::sealer::{SealError, Sealer};
//!
//! fn seals(sealer: &dyn Sealer) -> Result<bool, SealError> {
//!     let sealed = sealer.seal(b"secret", b"owner")?;
//!     Ok(sealer.open(&sealed, b"owner")? == b"secret")
//! }
//! ```

use thiserror::Error;

/// Encrypts secrets before they are stored, with a key that is not in the store.
#[cfg_attr(feature = "mock", mockall::automock)]
pub trait Sealer: Send + Sync {
    /// Encrypts a secret of `owner`.
    fn seal(&self, secret: &[u8], owner: &[u8]) -> Result<Vec<u8>, SealError>;

    /// Decrypts a secret that was sealed for `owner`.
    fn open(&self, sealed: &[u8], owner: &[u8]) -> Result<Vec<u8>, SealError>;
}

/// Error of a secret that was sealed with another key, for another owner, or was changed.
#[derive(Debug, Error)]
#[error("a sealed secret cannot be opened: was ATUMPAN_SEAL_SECRET or ATUMPAN_JWT_SECRET changed?")]
pub struct SealError;
