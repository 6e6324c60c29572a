//! Suppression lists.
//!
//! ```
//! use domain::{identity::organization::Organization, shared::id::Id};
//! use ports::{audience::suppressions::SuppressionRepository, shared::store::StoreError};
//!
//! async fn has_any(
//!     suppressions: &dyn SuppressionRepository,
//!     shop: Id<Organization>,
//! ) -> Result<bool, StoreError> {
//!     Ok(suppressions.count(shop).await? > 0)
//! }
//! ```

use async_trait::async_trait;
use domain::{
    audience::suppression::{Suppression, SuppressionFilter},
    identity::organization::Organization,
    shared::{
        id::Id,
        page::{Page, Paged},
    },
};

use crate::shared::store::StoreError;

/// Stores suppression lists, as organizations see and change them. Entries caused by recipients and vendors
/// are added by [`crate::messaging::callbacks`].
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait SuppressionRepository: Send + Sync {
    /// Returns a page of the list, newest first.
    async fn page(
        &self,
        organization: Id<Organization>,
        filter: &SuppressionFilter,
        page: Page,
    ) -> Result<Paged<Suppression>, StoreError>;

    /// Finds an entry.
    async fn find(
        &self,
        organization: Id<Organization>,
        id: Id<Suppression>,
    ) -> Result<Option<Suppression>, StoreError>;

    /// Returns the number of entries of the list.
    async fn count(&self, organization: Id<Organization>) -> Result<u64, StoreError>;

    /// Adds an entry, unless one with the same source and target exists. Returns the entry that exists
    /// then.
    async fn insert(&self, entry: &Suppression) -> Result<Suppression, StoreError>;

    /// Removes an entry. Returns false if there is no such entry.
    async fn delete(
        &self,
        organization: Id<Organization>,
        id: Id<Suppression>,
    ) -> Result<bool, StoreError>;
}
