//! Approvals as the organizations that requested them see them.

use std::str::FromStr;

use chrono::{DateTime, Utc};
use thiserror::Error;
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

/// Status of an approval.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ApprovalStatus {
    /// The approval waits for a decision.
    Pending,
    /// The content may be used.
    Approved,
    /// The content may not be used.
    Rejected,
    /// The content changed or was deleted before a decision.
    Withdrawn,
}

/// Error for an unknown status of an approval.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("must be one of PENDING, APPROVED, REJECTED, WITHDRAWN")]
pub struct UnknownApprovalStatus;

impl ApprovalStatus {
    /// All statuses.
    pub const ALL: [Self; 4] = [Self::Pending, Self::Approved, Self::Rejected, Self::Withdrawn];

    /// Name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "PENDING",
            Self::Approved => Verdict::Approved.as_str(),
            Self::Rejected => Verdict::Rejected.as_str(),
            Self::Withdrawn => "WITHDRAWN",
        }
    }
}

impl FromStr for ApprovalStatus {
    type Err = UnknownApprovalStatus;

    fn from_str(text: &str) -> Result<Self, UnknownApprovalStatus> {
        Self::ALL.into_iter().find(|status| status.as_str() == text).ok_or(UnknownApprovalStatus)
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
