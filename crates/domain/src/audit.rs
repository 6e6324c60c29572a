//! The audit log: who did what to an organization, or to what it has.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use uuid::Uuid;

use crate::{
    approval::{Approval, Decision, Verdict},
    id::Id,
    organization::Organization,
    user::User,
};

/// A line of the audit log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditEntry {
    /// Which line this is.
    pub id: Id<AuditEntry>,
    /// Whose log it belongs to.
    pub organization: Id<Organization>,
    /// When it was done.
    pub at: DateTime<Utc>,
    /// Who did it.
    pub user: Id<User>,
    /// What was done.
    pub action: AuditAction,
    /// To what kind of thing, such as `TEMPLATE`.
    pub resource_type: &'static str,
    /// To which one.
    pub resource: Uuid,
    /// What else there is to say, under camelCase names.
    pub details: BTreeMap<&'static str, String>,
}

/// What is written down.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AuditAction {
    /// A content was approved.
    Approved,
    /// A content was rejected.
    Rejected,
    /// What the platform decides about an organization was changed.
    TenantUpdated,
    /// A sending window was made.
    SendingWindowCreated,
    /// A sending window was changed.
    SendingWindowUpdated,
    /// A sending window was removed.
    SendingWindowDeleted,
}

impl AuditAction {
    /// The name in the database.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Approved => "approval.approved",
            Self::Rejected => "approval.rejected",
            Self::TenantUpdated => "tenant.updated",
            Self::SendingWindowCreated => "sending_window.created",
            Self::SendingWindowUpdated => "sending_window.updated",
            Self::SendingWindowDeleted => "sending_window.deleted",
        }
    }
}

impl AuditEntry {
    /// The line about a decision.
    pub fn of_decision(approval: &Approval, decision: &Decision) -> Self {
        let hash =
            approval.hash.iter().fold(String::new(), |hex, byte| hex + &format!("{byte:02x}"));
        let mut details = BTreeMap::from([
            ("approvalId", approval.id.to_string()),
            ("name", approval.name.clone()),
            ("contentHash", hash),
            ("riskScore", approval.risk_score.to_string()),
        ]);
        details.extend(decision.comment.clone().map(|comment| ("comment", comment)));
        Self {
            id: Id::new_in(decision.at, approval.organization),
            organization: approval.organization,
            at: decision.at,
            user: decision.by,
            action: match decision.verdict {
                Verdict::Approved => AuditAction::Approved,
                Verdict::Rejected => AuditAction::Rejected,
            },
            resource_type: approval.kind.as_str(),
            resource: approval.resource,
            details,
        }
    }
}
