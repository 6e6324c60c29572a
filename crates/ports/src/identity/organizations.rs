//! Organizations and their members.
//!
//! ```
//! use domain::{identity::organization::Organization, shared::id::Id};
//! use ports::{identity::organizations::OrganizationRepository, shared::store::StoreError};
//!
//! async fn name(
//!     organizations: &dyn OrganizationRepository,
//!     shop: Id<Organization>,
//! ) -> Result<Option<String>, StoreError> {
//!     let found = organizations.find(shop).await?;
//!     Ok(found.map(|organization| organization.name))
//! }
//! ```

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::{
    identity::{
        organization::{Member, Membership, Organization, Role, Settings},
        user::User,
    },
    shared::id::Id,
};

use crate::shared::store::StoreError;

/// Reads organizations, and marks them as provisioned. All other changes are in
/// [`crate::identity::identity_store`].
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait OrganizationRepository: Send + Sync {
    /// Finds an organization.
    async fn find(&self, id: Id<Organization>) -> Result<Option<Organization>, StoreError>;

    /// Returns the settings of an organization; `None` if there is no such organization.
    async fn settings(&self, id: Id<Organization>) -> Result<Option<Settings>, StoreError>;

    /// Returns the suspended organizations.
    async fn suspended(&self) -> Result<Vec<Id<Organization>>, StoreError>;

    /// Returns the members, in the order in which they joined.
    async fn members(&self, organization: Id<Organization>) -> Result<Vec<Member>, StoreError>;

    /// Returns the role of a user in an organization; `None` if the user is not a member.
    async fn role(
        &self,
        organization: Id<Organization>,
        user: Id<User>,
    ) -> Result<Option<Role>, StoreError>;

    /// Returns at most `limit` organizations that were created before a time and are not provisioned yet,
    /// oldest first.
    async fn unprovisioned(
        &self,
        founded_before: DateTime<Utc>,
        limit: usize,
    ) -> Result<Vec<Id<Organization>>, StoreError>;

    /// Marks an organization as provisioned.
    async fn mark_provisioned(&self, id: Id<Organization>) -> Result<(), StoreError>;

    /// Returns the organizations that a user belongs to.
    async fn memberships(&self, user: Id<User>) -> Result<Vec<Membership>, StoreError>;
}
