//! Second factors of users.
//!
//! ```
//! use domain::{identity::user::User, shared::id::Id};
//! use ports::{identity::second_factors::SecondFactorRepository, shared::store::StoreError};
//!
//! async fn has_one(
//!     factors: &dyn SecondFactorRepository,
//!     user: Id<User>,
//! ) -> Result<bool, StoreError> {
//!     Ok(factors.find(user).await?.is_some())
//! }
//! ```

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::{identity::user::User, shared::id::Id};

use crate::shared::store::StoreError;

/// Stored secret of a second factor.
#[derive(Clone, PartialEq, Eq)]
pub struct StoredFactor {
    /// Secret that the user shares with an app, sealed.
    pub sealed_secret: Vec<u8>,
    /// Step of the last code that was used; `None` if none was.
    pub last_step: Option<i64>,
}

/// Stores the second factors of users. [`User::second_factor_at`] tells if one is confirmed.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait SecondFactorRepository: Send + Sync {
    /// Stores the sealed secret of a second factor that is not confirmed, in place of an earlier one.
    /// Returns false if the user has a confirmed one.
    async fn propose(
        &self,
        user: Id<User>,
        sealed_secret: &[u8],
        now: DateTime<Utc>,
    ) -> Result<bool, StoreError>;

    /// Finds the second factor of a user, confirmed or not.
    async fn find(&self, user: Id<User>) -> Result<Option<StoredFactor>, StoreError>;

    /// Confirms the second factor with that secret, whose first code is that of `step`, and stores the
    /// hashes of its recovery codes. Returns false if it is confirmed already, or was replaced.
    async fn confirm(
        &self,
        user: Id<User>,
        factor: &StoredFactor,
        step: i64,
        recovery_codes: &[[u8; 32]],
        now: DateTime<Utc>,
    ) -> Result<bool, StoreError>;

    /// Uses the code of a step. Returns false if it or a later one was used, or the secret was
    /// replaced.
    async fn use_step(
        &self,
        user: Id<User>,
        factor: &StoredFactor,
        step: i64,
    ) -> Result<bool, StoreError>;

    /// Uses the recovery code with that hash. Returns false if there is none.
    async fn use_recovery_code(&self, user: Id<User>, hash: [u8; 32]) -> Result<bool, StoreError>;

    /// Removes the second factor of a user with its recovery codes. Returns false if there was no
    /// confirmed one.
    async fn remove(&self, user: Id<User>) -> Result<bool, StoreError>;
}
