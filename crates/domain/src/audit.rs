//! The audit log: who did what to an organization, or to what it has.

use std::{collections::BTreeMap, fmt, sync::Arc};

use chrono::{DateTime, Utc};
use uuid::Uuid;

use crate::{
    approval::{Approval, Decision, Verdict},
    id::Id,
    organization::Organization,
    user::User,
};

/// The request in which something was done: what `X-Request-Id` of its answer says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestId(Arc<str>);

impl RequestId {
    /// The request of that name.
    pub fn new(text: &str) -> Self {
        Self(text.into())
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for RequestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Who did something, and in which request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Actor {
    /// Who.
    pub user: Id<User>,
    /// In which request.
    pub request: RequestId,
    /// Whether an administrator did it while impersonating an organization.
    pub is_impersonating: bool,
}

/// Something that was done, to be added to the audit log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditEntry {
    /// Which line this is.
    pub id: Id<AuditEntry>,
    /// Whose log it belongs to.
    pub organization: Id<Organization>,
    /// When it was done.
    pub at: DateTime<Utc>,
    /// Who did it.
    pub actor: Actor,
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
    /// An administrator began to act as an organization.
    ImpersonationBegan,
    /// An administrator did something, or looked at something, while acting as an organization.
    ImpersonationActed,
    /// An administrator ended that.
    ImpersonationEnded,
    /// A content was approved.
    Approved,
    /// A content was rejected.
    Rejected,
    /// What the platform decides about an organization was changed.
    TenantUpdated,
    /// Money that was paid outside the gateway was credited.
    WalletCredited,
    /// A sending window was made.
    SendingWindowCreated,
    /// A sending window was changed.
    SendingWindowUpdated,
    /// A sending window was removed.
    SendingWindowDeleted,
    /// It was written down what became of a payment that could not be credited.
    PaymentExceptionResolved,
}

impl AuditAction {
    /// The name in the database.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ImpersonationBegan => "impersonation.began",
            Self::ImpersonationActed => "impersonation.acted",
            Self::ImpersonationEnded => "impersonation.ended",
            Self::Approved => "approval.approved",
            Self::Rejected => "approval.rejected",
            Self::TenantUpdated => "tenant.updated",
            Self::WalletCredited => "wallet.credited",
            Self::SendingWindowCreated => "sending_window.created",
            Self::SendingWindowUpdated => "sending_window.updated",
            Self::SendingWindowDeleted => "sending_window.deleted",
            Self::PaymentExceptionResolved => "payment_exception.resolved",
        }
    }
}

impl AuditEntry {
    /// The line about a decision.
    pub fn of_decision(approval: &Approval, decision: &Decision, request: RequestId) -> Self {
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
            actor: Actor { user: decision.by, request, is_impersonating: false },
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
