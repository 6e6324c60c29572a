//! API keys.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::{
    identity::{api_key::ApiKey, organization::Organization},
    shared::id::Id,
};

use crate::shared::store::StoreError;

/// Keeps API keys, each under the SHA-256 of its text.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait ApiKeyRepository: Send + Sync {
    /// Adds a key.
    async fn insert(&self, key: &ApiKey, hash: [u8; 32]) -> Result<(), StoreError>;

    /// The keys that are not revoked, newest first.
    async fn list(&self, organization: Id<Organization>) -> Result<Vec<ApiKey>, StoreError>;

    /// Revokes a key, and returns its hash; none if there is no such key.
    async fn revoke(
        &self,
        organization: Id<Organization>,
        id: Id<ApiKey>,
    ) -> Result<Option<[u8; 32]>, StoreError>;

    /// Finds a key that is not revoked. It tells whose it is, so this takes no organization.
    async fn find_by_hash(&self, hash: [u8; 32]) -> Result<Option<ApiKey>, StoreError>;

    /// The hashes of the keys that were revoked in the last minute, by the clock of the store.
    async fn revoked_lately(&self) -> Result<Vec<[u8; 32]>, StoreError>;

    /// Notes when keys were used. A later use that is known already stays.
    async fn note_uses(&self, uses: &[KeyUse]) -> Result<(), StoreError>;
}

/// A use of an API key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeyUse {
    /// Whose key.
    pub organization: Id<Organization>,
    /// Which key.
    pub key: Id<ApiKey>,
    /// When.
    pub at: DateTime<Utc>,
}
