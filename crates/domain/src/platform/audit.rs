//! The audit log: who did what to an organization, or to what it has.

use std::{collections::BTreeMap, fmt, sync::Arc};

use chrono::{DateTime, Utc};
use uuid::Uuid;

use crate::{
    content::approval::{Approval, Decision, Verdict},
    identity::{organization::Organization, user::User},
    shared::{
        chain::{self, Hash},
        id::Id,
    },
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

/// A line of the audit log, as it stands there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditLine {
    /// Which line this is.
    pub id: Id<AuditEntry>,
    /// Whose log it belongs to.
    pub organization: Id<Organization>,
    /// When it was done.
    pub at: DateTime<Utc>,
    /// Who did it.
    pub user: Id<User>,
    /// In which request. Lines from before requests were written down have none.
    pub request: Option<String>,
    /// Whether an administrator did it while acting as the organization.
    pub is_impersonated: bool,
    /// What was done.
    pub action: String,
    /// To what kind of thing.
    pub resource_type: String,
    /// To which one.
    pub resource: Uuid,
    /// What else there is to say, as JSON.
    pub details: String,
    /// Which line of its organization it is, from 1.
    pub sequence: u64,
    /// Its hash.
    pub hash: Hash,
}

impl AuditLine {
    /// What its hash is the SHA-256 of, after a line with the hash `previous`. The function
    /// `audit_hash` of the database does the same.
    pub fn link(&self, previous: &Hash) -> Vec<u8> {
        let [organization, id, user, resource] =
            [self.organization.uuid(), self.id.uuid(), self.user.uuid(), self.resource]
                .map(|id| id.to_string());
        let [sequence, at] = [self.sequence.to_string(), self.at.timestamp_micros().to_string()];
        let is_impersonated = if self.is_impersonated { "true" } else { "false" };
        let values = [
            Some(&*organization),
            Some(&sequence),
            Some(&id),
            Some(&at),
            Some(&user),
            Some(&self.action),
            Some(&self.resource_type),
            Some(&resource),
            self.request.as_deref(),
            Some(is_impersonated),
            Some(&self.details),
        ];
        chain::link(previous, &values)
    }
}

/// Where the lines of an organization begin and end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AuditHead {
    /// The number of the newest line.
    pub sequence: u64,
    /// Its hash.
    pub hash: Hash,
    /// The number of the newest line that was deleted for its age; 0 if none was.
    pub purged_sequence: u64,
    /// Its hash, which the oldest line that is kept follows.
    pub purged_hash: Hash,
}

/// Which lines of the audit log to show.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AuditFilter {
    /// Those of this organization.
    pub organization: Option<Id<Organization>>,
    /// What this user did.
    pub actor: Option<Id<User>>,
    /// What was done.
    pub action: Option<String>,
    /// What was done at this time or later.
    pub from: Option<DateTime<Utc>>,
    /// What was done before this time.
    pub to: Option<DateTime<Utc>>,
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
    /// An organization was suspended.
    TenantSuspended,
    /// A suspended organization was restored.
    TenantRestored,
    /// A price was agreed.
    PricingRuleCreated,
    /// A price was changed.
    PricingRuleUpdated,
    /// A plan was made.
    PlanCreated,
    /// A plan was changed.
    PlanUpdated,
    /// A sending window was made.
    SendingWindowCreated,
    /// A sending window was changed.
    SendingWindowUpdated,
    /// A sending window was removed.
    SendingWindowDeleted,
    /// It was written down what became of a payment that could not be credited.
    PaymentExceptionResolved,
    /// Codes that had been stopped may go again.
    TrafficStopLifted,
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
            Self::TenantSuspended => "tenant.suspended",
            Self::TenantRestored => "tenant.restored",
            Self::PricingRuleCreated => "pricing_rule.created",
            Self::PricingRuleUpdated => "pricing_rule.updated",
            Self::PlanCreated => "plan.created",
            Self::PlanUpdated => "plan.updated",
            Self::SendingWindowCreated => "sending_window.created",
            Self::SendingWindowUpdated => "sending_window.updated",
            Self::SendingWindowDeleted => "sending_window.deleted",
            Self::PaymentExceptionResolved => "payment_exception.resolved",
            Self::TrafficStopLifted => "traffic_stop.lifted",
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
