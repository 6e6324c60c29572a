//! Users as platform administrators see and change them.
//!
//! ```
//! use domain::{identity::user::User, shared::id::Id};
//! use ports::{platform::users::PlatformUserRepository, shared::store::StoreError};
//!
//! async fn must_stay(
//!     users: &dyn PlatformUserRepository,
//!     id: Id<User>,
//! ) -> Result<bool, StoreError> {
//!     users.is_only_admin(id).await
//! }
//! ```

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::{
    identity::user::User,
    platform::user::{UserFilter, UserUpdate},
    shared::{
        id::Id,
        page::{Page, Paged},
    },
};

use crate::shared::store::StoreError;

/// Reads and changes users of the whole platform.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait PlatformUserRepository: Send + Sync {
    /// Returns a page of users, newest first.
    async fn page(&self, filter: &UserFilter, page: Page) -> Result<Paged<User>, StoreError>;

    /// Finds a user.
    async fn find(&self, id: Id<User>) -> Result<Option<User>, StoreError>;

    /// Returns true if no other user is a platform administrator.
    async fn is_only_admin(&self, id: Id<User>) -> Result<bool, StoreError>;

    /// Changes a user at `now`. The last platform administrator keeps the role, whatever happens at the
    /// same time.
    async fn update(
        &self,
        id: Id<User>,
        update: &UserUpdate,
        now: DateTime<Utc>,
    ) -> Result<UserUpdated, StoreError>;

    /// Ends all sessions of a user. Returns the user; `None` if there is no such user.
    async fn end_sessions(&self, id: Id<User>) -> Result<Option<User>, StoreError>;
}

/// Result of a change of a user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UserUpdated {
    /// Changed; the user as they are now.
    Done(User),
    /// The user does not exist.
    NotFound,
    /// The user is the last platform administrator. Nothing was changed.
    LastAdmin,
}
