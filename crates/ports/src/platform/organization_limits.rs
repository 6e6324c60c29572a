//! Usage of the limits of organizations.
//!
//! ```
//! use domain::{
//!     identity::organization::{Organization, Usage},
//!     shared::id::Id,
//! };
//! use ports::{platform::organization_limits::UsageRepository, shared::store::StoreError};
//!
//! async fn read(
//!     usage: &dyn UsageRepository,
//!     shop: Id<Organization>,
//! ) -> Result<Usage, StoreError> {
//!     usage.usage(shop).await
//! }
//! ```

use async_trait::async_trait;
use domain::{
    identity::organization::{Holdings, Organization, Usage},
    shared::id::Id,
};

use crate::shared::store::StoreError;

/// Reads how much of their limits organizations use.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait UsageRepository: Send + Sync {
    /// Returns the usage of an organization.
    async fn usage(&self, organization: Id<Organization>) -> Result<Usage, StoreError>;

    /// Returns the numbers of objects that an organization has, from stored counts.
    async fn holdings(&self, organization: Id<Organization>) -> Result<Holdings, StoreError>;
}
