//! Sender names.
//!
//! ```
//! use domain::{identity::organization::Organization, shared::id::Id};
//! use ports::{content::sender_names::SenderNameRepository, shared::store::StoreError};
//!
//! async fn count(
//!     names: &dyn SenderNameRepository,
//!     shop: Id<Organization>,
//! ) -> Result<usize, StoreError> {
//!     Ok(names.list(shop).await?.len())
//! }
//! ```

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::{
    content::{approval::Approval, sender_name::SenderName},
    identity::organization::Organization,
    shared::{id::Id, sender::ApprovedSender},
};

use crate::shared::store::StoreError;

/// Stores sender names, and the claims that say which organization a name belongs to. Names belong to the
/// organizations; claims belong to the platform and are stored apart from them.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait SenderNameRepository: Send + Sync {
    /// Returns all sender names of an organization, newest first.
    async fn list(&self, organization: Id<Organization>) -> Result<Vec<SenderName>, StoreError>;

    /// Returns the sender names that an organization may use.
    async fn approved(
        &self,
        organization: Id<Organization>,
    ) -> Result<Vec<ApprovedSender>, StoreError>;

    /// Claims a name for an organization, or renews its claim. Returns the current claim, which is another
    /// organization's if that one holds it.
    async fn claim(&self, organization: Id<Organization>, claim: &str)
    -> Result<Claim, StoreError>;

    /// Transfers a claim to an organization, if the claim is still `seen` and was made or renewed more than
    /// a minute ago. Returns the new claim; `None` if it was not transferred.
    async fn take_over(
        &self,
        organization: Id<Organization>,
        seen: &Claim,
    ) -> Result<Option<Claim>, StoreError>;

    /// Returns true if an organization has a name under that claim that is not rejected.
    async fn uses(&self, organization: Id<Organization>, claim: &str) -> Result<bool, StoreError>;

    /// Adds a name under a claim, with the approval for which it waits. Returns false, and adds nothing, if
    /// the claim was made or renewed more than half a minute ago, or if the organization has the name
    /// already.
    async fn insert(
        &self,
        name: &SenderName,
        approval: &Approval,
        claim: &Claim,
    ) -> Result<bool, StoreError>;

    /// Deletes a name, and withdraws the approval for which it waits. Returns the name's claim; `None` if
    /// there is no such name.
    async fn delete(
        &self,
        organization: Id<Organization>,
        id: Id<SenderName>,
        now: DateTime<Utc>,
    ) -> Result<Option<String>, StoreError>;

    /// Finds the claim of a name.
    async fn find_claim(&self, claim: &str) -> Result<Option<Claim>, StoreError>;

    /// Gives a claim up, if it is still `seen`.
    async fn release(&self, seen: &Claim) -> Result<(), StoreError>;
}

/// Claim of an organization to a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    /// Name, case-folded.
    pub claim: String,
    /// Organization that holds the claim.
    pub organization: Id<Organization>,
    /// Time of the claim or its last renewal, by the clock of the store.
    pub at: DateTime<Utc>,
}
