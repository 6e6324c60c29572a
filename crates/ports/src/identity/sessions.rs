//! Sessions that have not ended.
//!
//! ```
//! use domain::identity::open_session::OpenSession;
//! use ports::{identity::sessions::SessionRepository, shared::store::StoreError};
//!
//! async fn open(
//!     sessions: &dyn SessionRepository,
//!     session: &OpenSession,
//! ) -> Result<(), StoreError> {
//!     sessions.insert(session).await
//! }
//! ```

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::{
    identity::{
        open_session::{OpenSession, SessionUse},
        user::User,
    },
    shared::id::Id,
};

use crate::shared::store::StoreError;

/// Stores sessions, which belong to users and to no organization. A session that ends is invalid
/// everywhere at once.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait SessionRepository: Send + Sync {
    /// Adds a session.
    async fn insert(&self, session: &OpenSession) -> Result<(), StoreError>;

    /// Returns at most `most` sessions of a user that are valid at `now`: `current`, then those that
    /// were used last.
    async fn list(
        &self,
        user: Id<User>,
        current: Id<OpenSession>,
        now: DateTime<Utc>,
        most: usize,
    ) -> Result<Vec<OpenSession>, StoreError>;

    /// Ends a session of a user with all its tokens. Returns false if the user has no such session that
    /// is valid at `now`.
    async fn end(
        &self,
        user: Id<User>,
        session: Id<OpenSession>,
        now: DateTime<Utc>,
    ) -> Result<bool, StoreError>;

    /// Ends all sessions of a user.
    async fn end_all(&self, user: Id<User>) -> Result<(), StoreError>;

    /// Records the last uses of sessions. A use within five minutes of the one on record is left out.
    async fn note_uses(&self, uses: &[SessionUse]) -> Result<(), StoreError>;
}
