//! API keys.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::{
    identity::{api_key::ApiKey, organization::Organization},
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

    /// Revokes a key, and returns its hash; `None` if there is no such key.
    async fn revoke(
        &self,
        organization: Id<Organization>,
        id: Id<ApiKey>,
    ) -> Result<Option<[u8; 32]>, StoreError>;

    /// Finds a key that is not revoked. The key names its organization, so this takes none.
    async fn find_by_hash(&self, hash: [u8; 32]) -> Result<Option<ApiKey>, StoreError>;

    /// Returns the hashes of the keys that were revoked in the last minute, by the clock of the store.
    async fn revoked_lately(&self) -> Result<Vec<[u8; 32]>, StoreError>;

    /// Records the last uses of keys. A later use on record is kept.
    async fn note_uses(&self, uses: &[KeyUse]) -> Result<(), StoreError>;
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
