//! The audit log: actions on organizations and their resources.
//!
//! ```
//! use chrono::DateTime;
//! use domain::{
//!     identity::actor::{Actor, RequestId},
//!     platform::audit::{AuditAction, AuditEntry},
//!     shared::id::Id,
//! };
//!
//! let now = DateTime::UNIX_EPOCH;
//! let (shop, user) = (Id::new(now), Id::new(now));
//! let actor = Actor { user, request: RequestId::new("r-1"), is_impersonating: false };
//! let entry = AuditEntry::of(shop, now, actor, AuditAction::TenantSuspended);
//! assert_eq!(entry.action.as_str(), "tenant.suspended");
//! ```

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use uuid::Uuid;

use crate::{
    content::approval::{Approval, Decision, Verdict},
    identity::{
        actor::{Actor, RequestId},
        organization::Organization,
        user::User,
    },
    platform::wallet_correction::WalletCorrection,
    shared::{
        chain::{self, Hash},
        id::Id,
    },
};

/// An action to be added to the audit log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditEntry {
    /// Identifier of the line.
    pub id: Id<AuditEntry>,
    /// Organization whose log it belongs to.
    pub organization: Id<Organization>,
    /// Time of the action.
    pub at: DateTime<Utc>,
    /// Actor behind the action.
    pub actor: Actor,
    /// Kind of the action.
    pub action: AuditAction,
    /// Type of the resource acted on, such as `TEMPLATE`.
    pub resource_type: &'static str,
    /// Identifier of the resource acted on.
    pub resource: Uuid,
    /// Further details, under camelCase names.
    pub details: BTreeMap<&'static str, String>,
}

/// A line of the audit log, as stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditLine {
    /// Identifier of the line.
    pub id: Id<AuditEntry>,
    /// Organization whose log it belongs to.
    pub organization: Id<Organization>,
    /// Time of the action.
    pub at: DateTime<Utc>,
    /// User who acted.
    pub user: Id<User>,
    /// Identifier of the request; `None` for lines from before requests were recorded.
    pub request: Option<String>,
    /// True if an administrator acted as the organization.
    pub is_impersonated: bool,
    /// Kind of the action.
    pub action: String,
    /// Type of the resource acted on.
    pub resource_type: String,
    /// Identifier of the resource acted on.
    pub resource: Uuid,
    /// Further details, as JSON.
    pub details: String,
    /// Number of the line within its organization, from 1.
    pub sequence: u64,
    /// Hash of the line.
    pub hash: Hash,
}

impl AuditLine {
    /// Returns the bytes whose SHA-256 is the line's hash, after a line with the hash `previous`.
    /// The database function `audit_hash` does the same.
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

/// Newest line and last deleted line of an organization's log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AuditHead {
    /// Number of the newest line.
    pub sequence: u64,
    /// Hash of the newest line.
    pub hash: Hash,
    /// Number of the newest line deleted for its age; 0 if none was.
    pub purged_sequence: u64,
    /// Hash of that line, which the oldest kept line follows.
    pub purged_hash: Hash,
}

/// Filter for lines of the audit log.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AuditFilter {
    /// Only lines of this organization.
    pub organization: Option<Id<Organization>>,
    /// Only actions of this user.
    pub actor: Option<Id<User>>,
    /// Only actions of this kind.
    pub action: Option<String>,
    /// Only actions at this time or later.
    pub from: Option<DateTime<Utc>>,
    /// Only actions before this time.
    pub to: Option<DateTime<Utc>>,
}

crate::closed_list! {
    /// Kinds of recorded actions.
    pub enum AuditAction {
        /// An administrator began to act as an organization.
        ImpersonationBegan = "impersonation.began",
        /// An administrator read or changed something while acting as an organization.
        ImpersonationActed = "impersonation.acted",
        /// An administrator stopped acting as an organization.
        ImpersonationEnded = "impersonation.ended",
        /// A content was approved.
        Approved = "approval.approved",
        /// A content was rejected.
        Rejected = "approval.rejected",
        /// The platform's settings for an organization were changed.
        TenantUpdated = "tenant.updated",
        /// Money paid outside the gateway was credited.
        WalletCredited = "wallet.credited",
        /// Money was put into a wallet, or taken out of it, as a correction.
        WalletCorrected = "wallet.corrected",
        /// The platform role of a user, or the verification of their address, was changed.
        UserUpdated = "user.updated",
        /// All sessions of a user were ended.
        UserSessionsEnded = "user.sessions_ended",
        /// The second factor of a user was removed by an administrator.
        SecondFactorReset = "user.second_factor_reset",
        /// An organization was suspended.
        TenantSuspended = "tenant.suspended",
        /// A suspended organization was restored.
        TenantRestored = "tenant.restored",
        /// An owner closed an organization.
        OrganizationClosed = "organization.closed",
        /// An owner restored a closed organization.
        OrganizationRestored = "organization.restored",
        /// A price was agreed.
        PricingRuleCreated = "pricing_rule.created",
        /// A price was changed.
        PricingRuleUpdated = "pricing_rule.updated",
        /// A plan was created.
        PlanCreated = "plan.created",
        /// A plan was changed.
        PlanUpdated = "plan.updated",
        /// A sending window was created.
        SendingWindowCreated = "sending_window.created",
        /// A sending window was changed.
        SendingWindowUpdated = "sending_window.updated",
        /// A sending window was removed.
        SendingWindowDeleted = "sending_window.deleted",
        /// The outcome of a payment that could not be credited was recorded.
        PaymentExceptionResolved = "payment_exception.resolved",
        /// A stop on codes was lifted.
        TrafficStopLifted = "traffic_stop.lifted",
        /// A user became a member.
        MemberAdded = "member.added",
        /// A member got another role.
        MemberRoleChanged = "member.role_changed",
        /// A member was removed.
        MemberRemoved = "member.removed",
        /// A member left.
        MemberLeft = "member.left",
        /// An invitation was mailed.
        InvitationCreated = "invitation.created",
        /// An invitation was mailed again.
        InvitationResent = "invitation.resent",
        /// An invitation was withdrawn.
        InvitationWithdrawn = "invitation.withdrawn",
        /// An invited person became a member.
        InvitationAccepted = "invitation.accepted",
        /// Many failed messages were sent again.
        MessagesResent = "messages.resent",
        /// Many contacts were deleted.
        ContactsDeleted = "contacts.deleted",
        /// The tags of many contacts were changed.
        ContactsTagged = "contacts.tagged",
        /// A template was deleted.
        TemplateDeleted = "template.deleted",
        /// The undo of an import of contacts was requested.
        ImportUndone = "import.undone",
    }
    impl FromStr else "is not a recorded action";
}

impl AuditEntry {
    /// Returns the line about an action on an organization as a whole, without details.
    pub fn of(
        organization: Id<Organization>,
        at: DateTime<Utc>,
        actor: Actor,
        action: AuditAction,
    ) -> Self {
        Self {
            id: Id::new_in(at, organization),
            organization,
            at,
            actor,
            action,
            resource_type: "ORGANIZATION",
            resource: organization.uuid(),
            details: BTreeMap::new(),
        }
    }

    /// Sets the resource acted on.
    #[must_use]
    pub fn on(self, resource_type: &'static str, resource: Uuid) -> Self {
        Self { resource_type, resource, ..self }
    }

    /// Sets the details.
    #[must_use]
    pub fn with(self, details: BTreeMap<&'static str, String>) -> Self {
        Self { details, ..self }
    }

    /// Returns the line about a correction of a wallet.
    pub fn of_correction(correction: &WalletCorrection, actor: Actor) -> Self {
        let (organization, at) = (correction.organization, correction.at);
        let details = BTreeMap::from([
            ("amount", correction.amount.to_string()),
            ("reason", correction.reason.clone()),
        ]);
        Self::of(organization, at, actor, AuditAction::WalletCorrected)
            .on("WALLET", organization.uuid())
            .with(details)
    }

    /// Returns the line about a decision.
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
