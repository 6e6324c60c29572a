//! Users, their passwords and their sessions.
//!
//! ```
//! use ports::identity::auth::{HashError, PasswordHasher};
//!
//! /// Returns true if a password is verified by its own hash.
//! async fn fits(hasher: &dyn PasswordHasher, password: &str) -> Result<bool, HashError> {
//!     let hash = hasher.hash(password.to_owned()).await?;
//!     hasher.verify(password.to_owned(), Some(hash)).await
//! }
//! ```

use std::collections::HashMap;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::{
    identity::{
        session::{Claims, LoginAttempts},
        user::{User, UserUpdate},
    },
    shared::id::Id,
};
use thiserror::Error;

use crate::shared::store::StoreError;

/// Name of the uniqueness constraint on the addresses of users.
pub const EMAIL_TAKEN: &str = "users_email_key";

/// Stores users. They belong to no organization, so no method takes one. Changes that take effect together
/// with others are in [`crate::identity::identity_store`].
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait UserRepository: Send + Sync {
    /// Adds a user. Fails with a conflict over [`EMAIL_TAKEN`] if another user has the address.
    async fn insert(&self, user: &User) -> Result<(), StoreError>;

    /// Finds a user.
    async fn find(&self, id: Id<User>) -> Result<Option<User>, StoreError>;

    /// Finds the user of a token, with the version for which its session is valid; without one, the
    /// token's own counts. Returns nothing if the token or its session was ended. Implementations must
    /// not cache: what was ended is invalid everywhere at once.
    async fn find_signed_in(
        &self,
        token: &Claims,
    ) -> Result<Option<(User, Option<i32>)>, StoreError>;

    /// Finds a user by address, ignoring case.
    async fn find_by_email(&self, email: &str) -> Result<Option<User>, StoreError>;

    /// Changes a user. Returns the user; `None` if there is no such user.
    async fn update(&self, id: Id<User>, update: &UserUpdate) -> Result<Option<User>, StoreError>;

    /// Returns the addresses of users. Unknown users are left out.
    async fn emails(&self, ids: &[Id<User>]) -> Result<HashMap<Id<User>, String>, StoreError>;

    /// Makes a user a platform administrator.
    async fn make_platform_admin(&self, id: Id<User>) -> Result<(), StoreError>;

    /// Counts an attempt to sign in with `email` from an address, and returns the number of attempts in the
    /// windows that began at `since` or later.
    async fn count_login(
        &self,
        email: &str,
        address: &str,
        now: DateTime<Utc>,
        since: DateTime<Utc>,
    ) -> Result<LoginAttempts, StoreError>;

    /// Deletes the attempts to sign in with `email` from an address.
    async fn forget_logins(&self, email: &str, address: &str) -> Result<(), StoreError>;

    /// Counts a mail with a reset token to a user, and returns the number of such mails in the window that
    /// began at `since` or later.
    async fn count_reset_mail(
        &self,
        user: Id<User>,
        now: DateTime<Utc>,
        since: DateTime<Utc>,
    ) -> Result<u32, StoreError>;

    /// Stores the hash of a token with which `user` may set a new password until `expires_at`.
    async fn insert_reset_token(
        &self,
        user: Id<User>,
        hash: [u8; 32],
        expires_at: DateTime<Utc>,
    ) -> Result<(), StoreError>;

    /// Stores the hash of a token that verifies the address of `user` until `expires_at`. Returns false
    /// if `limit` refuses it.
    async fn insert_verification_token(
        &self,
        user: Id<User>,
        hash: [u8; 32],
        expires_at: DateTime<Utc>,
        limit: TokenLimit,
    ) -> Result<bool, StoreError>;
}

/// Limit on the tokens that a user has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TokenLimit {
    /// Maximum number of tokens, including a new one.
    pub most: u32,
    /// Time after which a token expires to be counted.
    pub expiring_after: DateTime<Utc>,
}

/// Stores the tokens and sessions that were ended before they expired.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait RevokedSessions: Send + Sync {
    /// Revokes a token. Returns false if it was revoked before.
    async fn revoke(&self, token: &Claims) -> Result<bool, StoreError>;
}

/// Hashes passwords with a slow hash function.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait PasswordHasher: Send + Sync {
    /// Returns the salted hash of a password in PHC format.
    async fn hash(&self, password: String) -> Result<String, HashError>;

    /// Returns true if the password has that hash. Without a hash it takes as long and returns false.
    async fn verify(&self, password: String, hash: Option<String>) -> Result<bool, HashError>;
}

/// Reason why a password was not hashed.
#[derive(Debug, Error)]
pub enum HashError {
    /// Too many passwords wait already.
    #[error("too many passwords wait to be hashed")]
    Busy,
    /// Hashing failed.
    #[error("the password could not be hashed: {0}")]
    Failed(String),
}

/// Writes and reads the tokens of sessions.
#[cfg_attr(feature = "mock", mockall::automock)]
pub trait TokenIssuer: Send + Sync {
    /// Writes and signs a token.
    fn issue(&self, claims: &Claims) -> Result<String, TokenError>;

    /// Reads a token and checks its signature, but not its expiry.
    fn read(&self, token: &str) -> Result<Claims, TokenError>;
}

/// Error of a token that this service did not issue, or that cannot be issued.
#[derive(Debug, Error)]
#[error("the token is invalid")]
pub struct TokenError;
