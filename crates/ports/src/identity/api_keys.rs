//! API keys.
//!
//! ```
//! use domain::{identity::organization::Organization, shared::id::Id};
//! use ports::{identity::api_keys::ApiKeyRepository, shared::store::StoreError};
//!
//! async fn count(
//!     keys: &dyn ApiKeyRepository,
//!     shop: Id<Organization>,
//! ) -> Result<usize, StoreError> {
//!     Ok(keys.list(shop).await?.len())
//! }
//! ```

use async_trait::async_trait;
use chrono::{DateTime, NaiveDate, Utc};
use domain::{
    identity::{
        api_key::ApiKey,
        key_calls::{Calls, KeyDay},
        organization::Organization,
    },
    shared::id::Id,
};

use crate::shared::store::StoreError;

/// Stores API keys, each under the SHA-256 of its text.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait ApiKeyRepository: Send + Sync {
    /// Adds a key.
    async fn insert(&self, key: &ApiKey, hash: [u8; 32]) -> Result<(), StoreError>;

    /// Returns the keys that are not revoked, newest first.
    async fn list(&self, organization: Id<Organization>) -> Result<Vec<ApiKey>, StoreError>;

    /// Finds a key that is not revoked.
    async fn find(
        &self,
        organization: Id<Organization>,
        id: Id<ApiKey>,
    ) -> Result<Option<ApiKey>, StoreError>;

    /// Adds the successor of a key, and lets the key end at `ends_at` at the latest: at once if
    /// `None`.
    async fn rotate(
        &self,
        id: Id<ApiKey>,
        ends_at: Option<DateTime<Utc>>,
        successor: &ApiKey,
        hash: [u8; 32],
    ) -> Result<Rotation, StoreError>;

    /// Revokes a key, and returns its hash; `None` if there is no such key.
    async fn revoke(
        &self,
        organization: Id<Organization>,
        id: Id<ApiKey>,
    ) -> Result<Option<[u8; 32]>, StoreError>;

    /// Finds a key that is not revoked. The key names its organization, so this takes none.
    async fn find_by_hash(&self, hash: [u8; 32]) -> Result<Option<ApiKey>, StoreError>;

    /// Records the last uses of keys. A later use on record is kept.
    async fn note_uses(&self, uses: &[KeyUse]) -> Result<(), StoreError>;

    /// Adds calls to those that are on record. Calls of keys that no longer exist may be dropped.
    async fn add_calls(&self, calls: &[(KeyDay, Calls)]) -> Result<(), StoreError>;

    /// Returns the recorded calls of a key since a day, oldest first. Days without calls are left
    /// out.
    async fn calls(
        &self,
        organization: Id<Organization>,
        id: Id<ApiKey>,
        since: NaiveDate,
    ) -> Result<Vec<(NaiveDate, Calls)>, StoreError>;
}

/// Result of the rotation of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rotation {
    /// The successor was added. The hash is that of the rotated key.
    Done([u8; 32]),
    /// The key has a successor already. Nothing was changed.
    AlreadyRotated,
    /// There is no such key that is not revoked. Nothing was changed.
    NotFound,
}

/// Use of an API key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeyUse {
    /// Organization that owns the key.
    pub organization: Id<Organization>,
    /// Key that was used.
    pub key: Id<ApiKey>,
    /// Time of the use.
    pub at: DateTime<Utc>,
}
