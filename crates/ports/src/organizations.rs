//! Organizations and their members.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::{
    id::Id,
    organization::{Member, Membership, Organization, Role, Settings},
    user::User,
};

use crate::store::StoreError;

/// Keeps organizations.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait OrganizationRepository: Send {
    /// Adds an organization.
    async fn insert(&mut self, organization: &Organization) -> Result<(), StoreError>;

    /// Finds an organization.
    async fn find(&mut self, id: Id<Organization>) -> Result<Option<Organization>, StoreError>;

    /// Finds an organization and keeps others from changing it or its members until commit.
    async fn lock(&mut self, id: Id<Organization>) -> Result<Option<Organization>, StoreError>;

    /// Writes an organization's name, profile and settings.
    async fn update(&mut self, organization: &Organization) -> Result<(), StoreError>;

    /// The members, in the order in which they joined.
    async fn members(&mut self, organization: Id<Organization>) -> Result<Vec<Member>, StoreError>;

    /// What a user is to an organization, with its settings.
    async fn role(
        &mut self,
        organization: Id<Organization>,
        user: Id<User>,
    ) -> Result<Option<(Role, Settings)>, StoreError>;

    /// Makes a user a member of that role, or gives a member that role.
    async fn put_member(
        &mut self,
        organization: Id<Organization>,
        user: Id<User>,
        role: Role,
        now: DateTime<Utc>,
    ) -> Result<(), StoreError>;

    /// The organizations that a user belongs to.
    async fn memberships(&mut self, user: Id<User>) -> Result<Vec<Membership>, StoreError>;
}
