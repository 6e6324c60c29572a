//! Users, organizations and members, where they change together.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::{
    identity::{
        organization::{Member, Membership, Organization, Role},
        user::User,
    },
    shared::id::Id,
};

use crate::shared::store::StoreError;

/// Begins changes to users, organizations and members. What belongs to one organization alone, such as
/// its wallet, may be on another server, and never changes together with these.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait IdentityStore: Send + Sync {
    /// Begins a transaction.
    async fn begin(&self) -> Result<Box<dyn IdentityTransaction>, StoreError>;
}

/// Changes that take effect together, on commit. Dropping it undoes them.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait IdentityTransaction: Send {
    /// Adds a user; a second one with the same address is a conflict over
    /// [`EMAIL_TAKEN`](crate::identity::auth::EMAIL_TAKEN).
    async fn insert_user(&mut self, user: &User) -> Result<(), StoreError>;

    /// Finds a user and keeps others from changing it until commit.
    async fn lock_user(&mut self, id: Id<User>) -> Result<Option<User>, StoreError>;

    /// Finds a user by address, in any case.
    async fn find_user_by_email(&mut self, email: &str) -> Result<Option<User>, StoreError>;

    /// Changes a password and ends all sessions of the user.
    async fn set_password(&mut self, id: Id<User>, hash: &str) -> Result<(), StoreError>;

    /// Notes that a user reads the mail of their address, unless that is known already.
    async fn verify_email(&mut self, id: Id<User>, now: DateTime<Utc>) -> Result<(), StoreError>;

    /// Forgets all attempts to sign in as that user.
    async fn forget_all_logins(&mut self, user: Id<User>) -> Result<(), StoreError>;

    /// Takes a token for a new password that is valid at `now` out of use, together with all others
    /// of its user.
    async fn take_reset_token(
        &mut self,
        hash: [u8; 32],
        now: DateTime<Utc>,
    ) -> Result<Option<Id<User>>, StoreError>;

    /// Takes a token that verifies an address and is valid at `now` out of use.
    async fn take_verification_token(
        &mut self,
        hash: [u8; 32],
        now: DateTime<Utc>,
    ) -> Result<Option<Id<User>>, StoreError>;

    /// Adds an organization, which is still to be provisioned.
    async fn insert_organization(&mut self, organization: &Organization) -> Result<(), StoreError>;

    /// Finds an organization and keeps others from changing it or its members until commit.
    async fn lock_organization(
        &mut self,
        id: Id<Organization>,
    ) -> Result<Option<Organization>, StoreError>;

    /// Writes an organization's name, profile and settings.
    async fn update_organization(&mut self, organization: &Organization) -> Result<(), StoreError>;

    /// The members of an organization, in the order in which they joined.
    async fn members(&mut self, organization: Id<Organization>) -> Result<Vec<Member>, StoreError>;

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

    /// Makes the changes durable.
    async fn commit(self: Box<Self>) -> Result<(), StoreError>;
}
