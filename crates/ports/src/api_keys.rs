//! API keys.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::{
    api_key::ApiKey,
    id::Id,
    organization::{Organization, Settings},
};

use crate::store::StoreError;

/// Keeps API keys, each under the SHA-256 of its text.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait ApiKeyRepository: Send + Sync {
    /// Adds a key.
    async fn insert(&self, key: &ApiKey, hash: [u8; 32]) -> Result<(), StoreError>;

    /// The keys that are not revoked, newest first.
    async fn list(&self, organization: Id<Organization>) -> Result<Vec<ApiKey>, StoreError>;

    /// Revokes a key; false if there is none.
    async fn revoke(
        &self,
        organization: Id<Organization>,
        id: Id<ApiKey>,
        now: DateTime<Utc>,
    ) -> Result<bool, StoreError>;

    /// Finds a key that is not revoked, with the settings of its organization. It tells whose it is,
    /// so this takes no organization.
    async fn find_by_hash(&self, hash: [u8; 32]) -> Result<Option<(ApiKey, Settings)>, StoreError>;

    /// Notes that a key was used.
    async fn touch(
        &self,
        organization: Id<Organization>,
        id: Id<ApiKey>,
        now: DateTime<Utc>,
    ) -> Result<(), StoreError>;
}
