//! Approvals.

use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    content::approval::{Approval, Decision},
    identity::organization::Organization,
    platform::audit::AuditEntry,
    shared::{
        id::Id,
        page::{Page, Paged},
    },
};

use crate::shared::store::StoreError;

/// Keeps approvals, as platform administrators see and decide them. They are written together with
/// what needs them, by the port of that.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait ApprovalRepository: Send + Sync {
    /// A page of those that wait, of all organizations, newest first. Of each text it has the first
    /// [`LISTED_TEXT_READ`](domain::shared::listed_text::LISTED_TEXT_READ) characters.
    async fn pending(&self, page: Page) -> Result<Paged<Approval>, StoreError>;

    /// Finds one, whatever its organization and its state.
    async fn find(&self, id: Id<Approval>) -> Result<Option<Approval>, StoreError>;

    /// Writes a decision down, gives what it is about its new status, and writes the line of the
    /// audit log: all or nothing.
    async fn decide(
        &self,
        approval: &Approval,
        decision: &Decision,
        entry: &AuditEntry,
    ) -> Result<Settled, StoreError>;

    /// Takes decided ones of which the one who asked is to be told at `now`, up to `limit`. Nobody
    /// else gets them until `patience` is over.
    async fn take_pending(
        &self,
        now: DateTime<Utc>,
        patience: TimeDelta,
        limit: usize,
    ) -> Result<Vec<Approval>, StoreError>;

    /// Notes that the one who asked was told.
    async fn mark_notified(
        &self,
        organization: Id<Organization>,
        id: Id<Approval>,
    ) -> Result<(), StoreError>;

    /// How many of an organization's wait.
    async fn count_pending(&self, organization: Id<Organization>) -> Result<u64, StoreError>;
}

/// What became of a decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Settled {
    /// It is written.
    Done,
    /// Somebody was first; nothing was written.
    AlreadyDecided,
    /// The content is not the one that was asked about; nothing was written.
    ContentChanged,
}
