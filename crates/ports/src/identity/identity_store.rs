//! Changes to users, organizations and members in one transaction.
//!
//! ```
//! use domain::identity::organization::Organization;
//! use ports::{identity::identity_store::IdentityStore, shared::store::StoreError};
//!
//! async fn add(store: &dyn IdentityStore, shop: &Organization) -> Result<(), StoreError> {
//!     let mut change = store.begin().await?;
//!     change.insert_organization(shop).await?;
//!     change.commit().await
//! }
//! ```

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::{
    identity::{
        invitation::Invitation,
        open_session::OpenSession,
        organization::{Member, Membership, Organization, Role},
        session::Attempts,
        user::User,
    },
    shared::id::Id,
};

use crate::shared::store::StoreError;

/// Begins changes to users, organizations and members. Data of one organization, such as its wallet, may be
/// on another server and never changes in the same transaction.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait IdentityStore: Send + Sync {
    /// Begins a transaction.
    async fn begin(&self) -> Result<Box<dyn IdentityTransaction>, StoreError>;
}

/// Changes that take effect together, on commit. Dropping it rolls them back.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait IdentityTransaction: Send {
    /// Adds a user. Fails with a conflict over [`EMAIL_TAKEN`](crate::identity::auth::EMAIL_TAKEN) if
    /// another user has the address.
    async fn insert_user(&mut self, user: &User) -> Result<(), StoreError>;

    /// Finds a user and locks it until commit.
    async fn lock_user(&mut self, id: Id<User>) -> Result<Option<User>, StoreError>;

    /// Finds a user by address, ignoring case.
    async fn find_user_by_email(&mut self, email: &str) -> Result<Option<User>, StoreError>;

    /// Changes a password and ends all sessions of the user.
    async fn set_password(&mut self, id: Id<User>, hash: &str) -> Result<(), StoreError>;

    /// Lets a session stay valid whose user has got a new password in this transaction.
    async fn keep_session(
        &mut self,
        user: Id<User>,
        session: Id<OpenSession>,
    ) -> Result<(), StoreError>;

    /// Marks a user's address as verified, unless it is already.
    async fn verify_email(&mut self, id: Id<User>, now: DateTime<Utc>) -> Result<(), StoreError>;

    /// Deletes all attempts to sign in as that user.
    async fn forget_all_logins(&mut self, user: Id<User>) -> Result<(), StoreError>;

    /// Consumes a password reset token that is valid at `now`, together with all others of its user.
    /// Returns the user; `None` if there is no valid token.
    async fn take_reset_token(
        &mut self,
        hash: [u8; 32],
        now: DateTime<Utc>,
    ) -> Result<Option<Id<User>>, StoreError>;

    /// Consumes a verification token that is valid at `now`. Returns the user; `None` if there is no valid
    /// token.
    async fn take_verification_token(
        &mut self,
        hash: [u8; 32],
        now: DateTime<Utc>,
    ) -> Result<Option<Id<User>>, StoreError>;

    /// Adds an organization that is not provisioned yet.
    async fn insert_organization(&mut self, organization: &Organization) -> Result<(), StoreError>;

    /// Finds an organization and locks it and its members until commit.
    async fn lock_organization(
        &mut self,
        id: Id<Organization>,
    ) -> Result<Option<Organization>, StoreError>;

    /// Writes an organization's name, profile and settings.
    async fn update_organization(&mut self, organization: &Organization) -> Result<(), StoreError>;

    /// Returns the members of an organization, in the order in which they joined.
    async fn members(&mut self, organization: Id<Organization>) -> Result<Vec<Member>, StoreError>;

    /// Adds a user as a member with that role, or gives a member that role.
    async fn put_member(
        &mut self,
        organization: Id<Organization>,
        user: Id<User>,
        role: Role,
        now: DateTime<Utc>,
    ) -> Result<(), StoreError>;

    /// Removes a member.
    async fn remove_member(
        &mut self,
        organization: Id<Organization>,
        user: Id<User>,
    ) -> Result<(), StoreError>;

    /// Returns the invitations of an organization that are open at `now`, newest first.
    async fn invitations(
        &mut self,
        organization: Id<Organization>,
        now: DateTime<Utc>,
    ) -> Result<Vec<Invitation>, StoreError>;

    /// Adds an invitation under the hash of its token. It replaces one of the same organization and
    /// address, which has expired.
    async fn insert_invitation(
        &mut self,
        invitation: &Invitation,
        hash: [u8; 32],
    ) -> Result<(), StoreError>;

    /// Writes who renewed an invitation, until when, and the hash of its new token.
    async fn renew_invitation(
        &mut self,
        invitation: &Invitation,
        hash: [u8; 32],
    ) -> Result<(), StoreError>;

    /// Deletes an invitation. Returns false if there is none.
    async fn delete_invitation(
        &mut self,
        organization: Id<Organization>,
        id: Id<Invitation>,
    ) -> Result<bool, StoreError>;

    /// Consumes the invitation with the hash of its token, if it is open at `now`.
    async fn take_invitation(
        &mut self,
        organization: Id<Organization>,
        hash: [u8; 32],
        now: DateTime<Utc>,
    ) -> Result<Option<Invitation>, StoreError>;

    /// Counts a mail with an invitation from an organization to an address. Returns the numbers of such
    /// mails from the organization and to the address, in the windows that began at `since` or later.
    async fn count_invitation_mail(
        &mut self,
        organization: Id<Organization>,
        email: &str,
        now: DateTime<Utc>,
        since: DateTime<Utc>,
    ) -> Result<[Attempts; 2], StoreError>;

    /// Returns the organizations that a user belongs to.
    async fn memberships(&mut self, user: Id<User>) -> Result<Vec<Membership>, StoreError>;

    /// Commits the changes.
    async fn commit(self: Box<Self>) -> Result<(), StoreError>;
}
