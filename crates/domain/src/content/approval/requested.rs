//! Approvals as the organizations that requested them see them.

use chrono::{DateTime, Utc};
use uuid::Uuid;

use super::{Approval, ApprovalKind, Verdict};
use crate::{content::template::Template, shared::id::Id};

/// Approval without its content and without the administrator who decided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestedApproval {
    /// Identifier of the approval.
    pub id: Id<Approval>,
    /// Kind of the resource that has the content.
    pub kind: ApprovalKind,
    /// Identifier of that resource.
    pub resource: Uuid,
    /// Name of the resource.
    pub name: String,
    /// Risk of the content, from 0 to 100.
    pub risk_score: u8,
    /// Status of the approval.
    pub status: ApprovalStatus,
    /// Comment of the administrator who decided.
    pub comment: Option<String>,
    /// Time of the request.
    pub requested_at: DateTime<Utc>,
    /// Time of the decision; `None` if there is none.
    pub reviewed_at: Option<DateTime<Utc>>,
}

/// Filter for the approvals of an organization. All parts that are set must match.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RequestedApprovalFilter {
    /// Status of the approval.
    pub status: Option<ApprovalStatus>,
    /// Template whose content is approved.
    pub template: Option<Id<Template>>,
    /// Campaign whose content is approved.
    pub campaign: Option<Uuid>,
}

crate::closed_list! {
    /// Status of an approval.
    pub enum ApprovalStatus {
        /// The approval waits for a decision.
        Pending = "PENDING",
        /// The content may be used.
        Approved = "APPROVED",
        /// The content may not be used.
        Rejected = "REJECTED",
        /// The content changed or was deleted before a decision.
        Withdrawn = "WITHDRAWN",
    }
    impl FromStr;
}

impl ApprovalStatus {
    /// True if an approval of this status may come to be of the other one.
    pub const fn can_become(self, next: Self) -> bool {
        match self {
            Self::Pending => !matches!(next, Self::Pending),
            Self::Approved | Self::Rejected | Self::Withdrawn => false,
        }
    }
}

impl From<Verdict> for ApprovalStatus {
    fn from(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Approved => Self::Approved,
            Verdict::Rejected => Self::Rejected,
        }
    }
}
