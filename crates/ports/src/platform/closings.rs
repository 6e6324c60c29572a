//! Closings of organizations.
//!
//! ```
//! use ports::{platform::closings::ClosingRepository, shared::store::StoreError};
//!
//! async fn unsettled(closings: &dyn ClosingRepository) -> Result<usize, StoreError> {
//!     Ok(closings.unsettled(None, 10).await?.len())
//! }
//! ```

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::{
    identity::organization::Organization, messaging::message::CampaignId,
    platform::closing::Closing, shared::id::Id,
};

use crate::shared::store::StoreError;

/// Stores the closings of organizations with an organization's own data. That it is closed is one of
/// its settings.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait ClosingRepository: Send + Sync {
    /// Adds a closing, or replaces the former one of the organization.
    async fn insert(&self, closing: &Closing) -> Result<(), StoreError>;

    /// Returns at most `limit` closings that are not settled, in the order of their organizations,
    /// after that one.
    async fn unsettled(
        &self,
        after: Option<Id<Organization>>,
        limit: usize,
    ) -> Result<Vec<Closing>, StoreError>;

    /// Marks a closing as settled.
    async fn mark_settled(&self, organization: Id<Organization>) -> Result<(), StoreError>;

    /// Deletes the closing of an organization, unless it is of a later time.
    async fn delete(
        &self,
        organization: Id<Organization>,
        closed_at: DateTime<Utc>,
    ) -> Result<(), StoreError>;

    /// Returns at most `limit` campaigns that have begun, or will begin by themselves.
    async fn running_campaigns(
        &self,
        organization: Id<Organization>,
        limit: usize,
    ) -> Result<Vec<CampaignId>, StoreError>;
}
