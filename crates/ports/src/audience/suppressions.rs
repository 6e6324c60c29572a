//! Suppression lists.

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

/// Keeps suppression lists, as organizations see and change them. What recipients and vendors cause is
/// entered by [`crate::messaging::callbacks`].
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait SuppressionRepository: Send + Sync {
    /// A page of the list, newest first.
    async fn page(
        &self,
        organization: Id<Organization>,
        filter: &SuppressionFilter,
        page: Page,
    ) -> Result<Paged<Suppression>, StoreError>;

    /// How many entries the list has.
    async fn count(&self, organization: Id<Organization>) -> Result<u64, StoreError>;

    /// Adds an entry, unless there is one of the same source for the same. Returns the one that is
    /// there now.
    async fn insert(&self, entry: &Suppression) -> Result<Suppression, StoreError>;

    /// Removes an entry; false if there is none.
    async fn delete(
        &self,
        organization: Id<Organization>,
        id: Id<Suppression>,
    ) -> Result<bool, StoreError>;
}
