//! Approvals.
//!
//! ```
//! use domain::{content::approval::Approval, shared::id::Id};
//! use ports::{content::approvals::ApprovalRepository, shared::store::StoreError};
//!
//! async fn risk(
//!     approvals: &dyn ApprovalRepository,
//!     id: Id<Approval>,
//! ) -> Result<Option<u8>, StoreError> {
//!     let found = approvals.find(id).await?;
//!     Ok(found.map(|approval| approval.risk_score))
//! }
//! ```

use async_trait::async_trait;
use domain::{
    content::approval::{Approval, Decision, RequestedApproval, RequestedApprovalFilter},
    identity::organization::Organization,
    platform::audit::AuditEntry,
    shared::{
        id::Id,
        page::{Page, Paged},
    },
};

use crate::shared::store::StoreError;

/// Stores approvals, as platform administrators see and decide them. Each is created together with the
/// content that needs it, by the port of that content.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait ApprovalRepository: Send + Sync {
    /// Returns a page of the pending approvals of all organizations, newest first. Each text is cut to its
    /// first [`LISTED_TEXT_READ`](domain::shared::listed_text::LISTED_TEXT_READ) characters.
    async fn pending(&self, page: Page) -> Result<Paged<Approval>, StoreError>;

    /// Finds an approval of any organization and state.
    async fn find(&self, id: Id<Approval>) -> Result<Option<Approval>, StoreError>;

    /// Writes a decision, the new status of the content, the audit entry and the notice of the requester,
    /// all or nothing.
    async fn decide(
        &self,
        approval: &Approval,
        decision: &Decision,
        entry: &AuditEntry,
    ) -> Result<Settled, StoreError>;

    /// Returns the number of an organization's pending approvals.
    async fn count_pending(&self, organization: Id<Organization>) -> Result<u64, StoreError>;

    /// Returns up to `limit` approvals of an organization, newest first, older than `before`.
    async fn requested(
        &self,
        organization: Id<Organization>,
        filter: &RequestedApprovalFilter,
        before: Option<Id<Approval>>,
        limit: usize,
    ) -> Result<Vec<RequestedApproval>, StoreError>;
}

/// Result of a decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Settled {
    /// Written.
    Done,
    /// Another decision was first; nothing was written.
    AlreadyDecided,
    /// The content has changed since the approval was requested; nothing was written.
    ContentChanged,
}
