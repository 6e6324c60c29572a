//! Users, their passwords and their sessions.

use std::collections::HashMap;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::{
    identity::{
        session::{Claims, LoginAttempts},
        user::User,
    },
    shared::id::Id,
};
use thiserror::Error;

use crate::shared::store::StoreError;

/// The uniqueness rule on the addresses of users.
pub const EMAIL_TAKEN: &str = "users_email_key";

/// Keeps users. They belong to no organization, so no method takes one. What changes together with
/// other things is in [`crate::identity::identity_store`].
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait UserRepository: Send + Sync {
    /// Adds a user; a second one with the same address is a conflict over [`EMAIL_TAKEN`].
    async fn insert(&self, user: &User) -> Result<(), StoreError>;

    /// Finds a user.
    async fn find(&self, id: Id<User>) -> Result<Option<User>, StoreError>;

    /// Finds a user by address, in any case.
    async fn find_by_email(&self, email: &str) -> Result<Option<User>, StoreError>;

    /// The addresses of users. Who is not there is left out.
    async fn emails(&self, ids: &[Id<User>]) -> Result<HashMap<Id<User>, String>, StoreError>;

    /// Makes a user a platform administrator.
    async fn make_platform_admin(&self, id: Id<User>) -> Result<(), StoreError>;

    /// Counts an attempt to sign in with `email` from an address, and returns how many there were
    /// in the windows that began at `since` or later.
    async fn count_login(
        &self,
        email: &str,
        address: &str,
        now: DateTime<Utc>,
        since: DateTime<Utc>,
    ) -> Result<LoginAttempts, StoreError>;

    /// Forgets the attempts to sign in with `email` from an address.
    async fn forget_logins(&self, email: &str, address: &str) -> Result<(), StoreError>;

    /// Counts a mail with a reset token to a user, and returns how many there were in the window
    /// that began at `since` or later.
    async fn count_reset_mail(
        &self,
        user: Id<User>,
        now: DateTime<Utc>,
        since: DateTime<Utc>,
    ) -> Result<u32, StoreError>;

    /// Keeps the hash of a token with which `user` may set a new password until `expires_at`.
    async fn insert_reset_token(
        &self,
        user: Id<User>,
        hash: [u8; 32],
        expires_at: DateTime<Utc>,
    ) -> Result<(), StoreError>;

    /// Keeps the hash of a token with which the address of `user` is verified until `expires_at`.
    async fn insert_verification_token(
        &self,
        user: Id<User>,
        hash: [u8; 32],
        expires_at: DateTime<Utc>,
    ) -> Result<(), StoreError>;
}

/// Keeps which sessions ended before their time. Nothing of it may be remembered: a session that was
/// revoked is over everywhere.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait RevokedSessions: Send + Sync {
    /// Ends a session; false if that was done before.
    async fn revoke(&self, session: &Claims) -> Result<bool, StoreError>;

    /// Whether a session was ended.
    async fn is_revoked(&self, session: &Claims) -> Result<bool, StoreError>;
}

/// Hashes passwords, slowly.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait PasswordHasher: Send + Sync {
    /// The hash of a password, salted, in PHC format.
    async fn hash(&self, password: String) -> Result<String, HashError>;

    /// Whether the password has that hash. Without a hash it takes as long and is false.
    async fn verify(&self, password: String, hash: Option<String>) -> Result<bool, HashError>;
}

/// A password was not hashed.
#[derive(Debug, Error)]
pub enum HashError {
    /// Too many wait already.
    #[error("too many passwords wait to be hashed")]
    Busy,
    /// It could not be.
    #[error("the password could not be hashed: {0}")]
    Failed(String),
}

/// Writes and reads the tokens of sessions.
#[cfg_attr(feature = "mock", mockall::automock)]
pub trait TokenIssuer: Send + Sync {
    /// Writes and signs a token.
    fn issue(&self, claims: &Claims) -> Result<String, TokenError>;

    /// Reads a token whose signature is ours. Does not look at the time.
    fn read(&self, token: &str) -> Result<Claims, TokenError>;
}

/// The token is not one of ours, or cannot be made.
#[derive(Debug, Error)]
#[error("the token is invalid")]
pub struct TokenError;
