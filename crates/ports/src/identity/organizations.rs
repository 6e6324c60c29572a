//! Organizations and their members.

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

/// Reads organizations, and notes which are provisioned. All else of them changes in
/// [`crate::identity::identity_store`].
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait OrganizationRepository: Send + Sync {
    /// Finds an organization.
    async fn find(&self, id: Id<Organization>) -> Result<Option<Organization>, StoreError>;

    /// What was decided about the messages of an organization, if there is such an organization.
    async fn settings(&self, id: Id<Organization>) -> Result<Option<Settings>, StoreError>;

    /// The organizations that changed in the last minute, by the clock of the store.
    async fn changed_lately(&self) -> Result<Vec<Id<Organization>>, StoreError>;

    /// The organizations that are suspended.
    async fn suspended(&self) -> Result<Vec<Id<Organization>>, StoreError>;

    /// The members, in the order in which they joined.
    async fn members(&self, organization: Id<Organization>) -> Result<Vec<Member>, StoreError>;

    /// What a user is to an organization.
    async fn role(
        &self,
        organization: Id<Organization>,
        user: Id<User>,
    ) -> Result<Option<Role>, StoreError>;

    /// Organizations that were founded before a time and are still to be provisioned: the oldest ones,
    /// so many at the most.
    async fn unprovisioned(
        &self,
        founded_before: DateTime<Utc>,
        limit: usize,
    ) -> Result<Vec<Id<Organization>>, StoreError>;

    /// Notes that an organization is provisioned.
    async fn mark_provisioned(&self, id: Id<Organization>) -> Result<(), StoreError>;

    /// The organizations that a user belongs to.
    async fn memberships(&self, user: Id<User>) -> Result<Vec<Membership>, StoreError>;
}
