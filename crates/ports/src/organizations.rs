//! Organizations and their members.

use async_trait::async_trait;
use domain::{
    id::Id,
    organization::{Member, Membership, Organization, Role, Settings},
    user::User,
};

use crate::store::StoreError;

/// Reads organizations. They change in [`crate::identity`].
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait OrganizationRepository: Send + Sync {
    /// Finds an organization.
    async fn find(&self, id: Id<Organization>) -> Result<Option<Organization>, StoreError>;

    /// What an organization has decided about its messages, if there is such an organization.
    async fn settings(&self, id: Id<Organization>) -> Result<Option<Settings>, StoreError>;

    /// The organizations that changed in the last minute, by the clock of the store.
    async fn changed_lately(&self) -> Result<Vec<Id<Organization>>, StoreError>;

    /// The members, in the order in which they joined.
    async fn members(&self, organization: Id<Organization>) -> Result<Vec<Member>, StoreError>;

    /// What a user is to an organization, with its settings.
    async fn role(
        &self,
        organization: Id<Organization>,
        user: Id<User>,
    ) -> Result<Option<(Role, Settings)>, StoreError>;

    /// The organizations that a user belongs to.
    async fn memberships(&self, user: Id<User>) -> Result<Vec<Membership>, StoreError>;
}
