//! What organizations have used of their limits.

use async_trait::async_trait;
use domain::{
    identity::organization::{Holdings, Organization, Usage},
    shared::id::Id,
};

use crate::shared::store::StoreError;

/// Reads what organizations have used of their limits.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait UsageRepository: Send + Sync {
    /// What an organization has used.
    async fn usage(&self, organization: Id<Organization>) -> Result<Usage, StoreError>;

    /// Returns the amounts that an organization keeps, by counts that are kept.
    async fn holdings(&self, organization: Id<Organization>) -> Result<Holdings, StoreError>;
}
