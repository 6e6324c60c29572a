//! Idempotency keys of requests that make something, except those that accept messages.
//!
//! ```
//! use domain::shared::id::Id;
//! use ports::{
//!     platform::request_keys::{KeyClaim, RequestKey, RequestKeyRepository},
//!     shared::store::StoreError,
//! };
//!
//! async fn give_up(
//!     keys: &dyn RequestKeyRepository,
//!     key: &RequestKey,
//!     claim: Id<KeyClaim>,
//! ) -> Result<(), StoreError> {
//!     keys.release(key, claim).await
//! }
//! ```

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::{
    identity::{organization::Organization, user::User},
    shared::id::{Id, Unowned},
};

use crate::shared::store::StoreError;

/// Stores idempotency keys of requests, and the first answers to these.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait RequestKeyRepository: Send + Sync {
    /// Claims a key for a request, unless it is in use: its request has an answer, or is in progress
    /// and its lease has not ended. An expired key is not in use.
    async fn claim(
        &self,
        key: &RequestKey,
        claim: &KeyClaim,
        now: DateTime<Utc>,
    ) -> Result<KeyState, StoreError>;

    /// Stores the answer of the request that has the claim. Does nothing if another has it by now.
    async fn keep(
        &self,
        key: &RequestKey,
        claim: Id<KeyClaim>,
        fingerprint: [u8; 32],
        answer: &KeptAnswer,
    ) -> Result<(), StoreError>;

    /// Frees a key whose request made nothing. Does nothing if another request has the claim by now.
    async fn release(&self, key: &RequestKey, claim: Id<KeyClaim>) -> Result<(), StoreError>;
}

/// Owner of idempotency keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyOwner {
    /// An organization, with one set of keys for each mode.
    Organization {
        /// Identifier of the organization.
        id: Id<Organization>,
        /// True in the sandbox.
        is_sandbox: bool,
    },
    /// A user who acts outside of organizations.
    User(Id<User>),
}

/// Idempotency key of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestKey {
    /// Owner among whose keys it is unique.
    pub owner: KeyOwner,
    /// The key itself.
    pub text: String,
}

/// Claim of a request on its key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyClaim {
    /// Identifier of the claim.
    pub id: Id<KeyClaim>,
    /// Hash of the request; `None` if its body is read while it is worked on.
    pub fingerprint: Option<[u8; 32]>,
    /// Time at which the request counts as broken off, if it has no answer by then.
    pub leased_until: DateTime<Utc>,
    /// Time at which the key may be used for another request.
    pub expires_at: DateTime<Utc>,
}

/// A claim of a user outside of organizations belongs to none.
impl Unowned for KeyClaim {}

/// State of a key on which a request makes a claim.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeyState {
    /// The key was not in use, and the request has it now.
    Claimed,
    /// The first request is in progress.
    InProgress {
        /// Hash of the first request, if known.
        fingerprint: Option<[u8; 32]>,
    },
    /// The first request has an answer.
    Answered {
        /// Hash of the first request.
        fingerprint: [u8; 32],
        /// Answer to the first request.
        answer: KeptAnswer,
    },
}

/// Stored answer to a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptAnswer {
    /// Status code.
    pub status: u16,
    /// Sealed body; `None` if it was too large to keep.
    pub sealed_body: Option<Vec<u8>>,
}
