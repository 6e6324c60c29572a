//! Open invitations to organizations.
//!
//! ```
//! use chrono::{DateTime, Utc};
//! use domain::{identity::organization::Organization, shared::id::Id};
//! use ports::{identity::invitations::InvitationRepository, shared::store::StoreError};
//!
//! async fn count_open(
//!     invitations: &dyn InvitationRepository,
//!     shop: Id<Organization>,
//!     now: DateTime<Utc>,
//! ) -> Result<usize, StoreError> {
//!     Ok(invitations.list(shop, now).await?.len())
//! }
//! ```

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::{
    identity::{invitation::Invitation, organization::Organization},
    shared::id::Id,
};

use crate::shared::store::StoreError;

/// Reads invitations. All changes are in [`crate::identity::identity_store`].
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait InvitationRepository: Send + Sync {
    /// Returns the invitations of an organization that are open at `now`, newest first.
    async fn list(
        &self,
        organization: Id<Organization>,
        now: DateTime<Utc>,
    ) -> Result<Vec<Invitation>, StoreError>;

    /// Finds the invitation with the hash of its token, if it is open at `now`.
    async fn find(
        &self,
        organization: Id<Organization>,
        hash: [u8; 32],
        now: DateTime<Utc>,
    ) -> Result<Option<Invitation>, StoreError>;
}
