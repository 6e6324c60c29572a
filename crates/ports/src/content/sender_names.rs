//! Sender names.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::{
    content::{
        approval::Approval,
        sender_name::{ApprovedSender, SenderName},
    },
    identity::organization::Organization,
    shared::id::Id,
};

use crate::shared::store::StoreError;

/// Keeps sender names, and to whom each belongs. Names are the organizations' own; claims are the
/// platform's, and kept apart from them.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait SenderNameRepository: Send + Sync {
    /// All of an organization, newest first.
    async fn list(&self, organization: Id<Organization>) -> Result<Vec<SenderName>, StoreError>;

    /// Those that an organization may use.
    async fn approved(
        &self,
        organization: Id<Organization>,
    ) -> Result<Vec<ApprovedSender>, StoreError>;

    /// The organizations whose approved names changed in the last minute, by the clock of the store.
    async fn changed_lately(&self) -> Result<Vec<Id<Organization>>, StoreError>;

    /// Claims a name for an organization, or renews its claim. Returns the claim that stands then,
    /// which is another's if that has it.
    async fn claim(&self, organization: Id<Organization>, claim: &str)
    -> Result<Claim, StoreError>;

    /// Claims a name for an organization in the place of another, if that other claim is as it was
    /// seen, and was made or renewed more than a minute ago. Returns the new claim, if it came to one.
    async fn take_over(
        &self,
        organization: Id<Organization>,
        seen: &Claim,
    ) -> Result<Option<Claim>, StoreError>;

    /// Whether an organization has a name under that claim that is not rejected.
    async fn uses(&self, organization: Id<Organization>, claim: &str) -> Result<bool, StoreError>;

    /// Adds a name under a claim, with the approval for which it waits. False, and nothing is added,
    /// if the claim was made or renewed more than half a minute ago, or if the organization has the
    /// same already.
    async fn insert(
        &self,
        name: &SenderName,
        approval: &Approval,
        claim: &Claim,
    ) -> Result<bool, StoreError>;

    /// Deletes a name, and withdraws the approval for which it waits. Returns what its claim was; none
    /// if there is no such name.
    async fn delete(
        &self,
        organization: Id<Organization>,
        id: Id<SenderName>,
        now: DateTime<Utc>,
    ) -> Result<Option<String>, StoreError>;

    /// The claim of a name, if there is one.
    async fn find_claim(&self, claim: &str) -> Result<Option<Claim>, StoreError>;

    /// Gives a claim up if it is as it was seen.
    async fn release(&self, seen: &Claim) -> Result<(), StoreError>;
}

/// Whose a name is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    /// The name, folded.
    pub claim: String,
    /// Whose.
    pub organization: Id<Organization>,
    /// When it was claimed, or the claim renewed, by the clock of the store.
    pub at: DateTime<Utc>,
}
