//! The audit log: actions on organizations and their resources.

use std::{collections::BTreeMap, str::FromStr};

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

/// Kinds of recorded actions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AuditAction {
    /// An administrator began to act as an organization.
    ImpersonationBegan,
    /// An administrator read or changed something while acting as an organization.
    ImpersonationActed,
    /// An administrator stopped acting as an organization.
    ImpersonationEnded,
    /// A content was approved.
    Approved,
    /// A content was rejected.
    Rejected,
    /// The platform's settings for an organization were changed.
    TenantUpdated,
    /// Money paid outside the gateway was credited.
    WalletCredited,
    /// Money was put into a wallet, or taken out of it, as a correction.
    WalletCorrected,
    /// The platform role of a user, or the verification of their address, was changed.
    UserUpdated,
    /// All sessions of a user were ended.
    UserSessionsEnded,
    /// The second factor of a user was removed by an administrator.
    SecondFactorReset,
    /// An organization was suspended.
    TenantSuspended,
    /// A suspended organization was restored.
    TenantRestored,
    /// An owner closed an organization.
    OrganizationClosed,
    /// An owner restored a closed organization.
    OrganizationRestored,
    /// A price was agreed.
    PricingRuleCreated,
    /// A price was changed.
    PricingRuleUpdated,
    /// A plan was created.
    PlanCreated,
    /// A plan was changed.
    PlanUpdated,
    /// A sending window was created.
    SendingWindowCreated,
    /// A sending window was changed.
    SendingWindowUpdated,
    /// A sending window was removed.
    SendingWindowDeleted,
    /// The outcome of a payment that could not be credited was recorded.
    PaymentExceptionResolved,
    /// A stop on codes was lifted.
    TrafficStopLifted,
    /// A user became a member.
    MemberAdded,
    /// A member got another role.
    MemberRoleChanged,
    /// A member was removed.
    MemberRemoved,
    /// A member left.
    MemberLeft,
    /// An invitation was mailed.
    InvitationCreated,
    /// An invitation was mailed again.
    InvitationResent,
    /// An invitation was withdrawn.
    InvitationWithdrawn,
    /// An invited person became a member.
    InvitationAccepted,
    /// Many failed messages were sent again.
    MessagesResent,
    /// Many contacts were deleted.
    ContactsDeleted,
    /// The tags of many contacts were changed.
    ContactsTagged,
    /// A template was deleted.
    TemplateDeleted,
    /// The undo of an import of contacts was requested.
    ImportUndone,
}

impl AuditAction {
    /// Every action.
    pub const ALL: [Self; 37] = [
        Self::ImpersonationBegan,
        Self::ImpersonationActed,
        Self::ImpersonationEnded,
        Self::Approved,
        Self::Rejected,
        Self::TenantUpdated,
        Self::WalletCredited,
        Self::WalletCorrected,
        Self::UserUpdated,
        Self::UserSessionsEnded,
        Self::SecondFactorReset,
        Self::TenantSuspended,
        Self::TenantRestored,
        Self::OrganizationClosed,
        Self::OrganizationRestored,
        Self::PricingRuleCreated,
        Self::PricingRuleUpdated,
        Self::PlanCreated,
        Self::PlanUpdated,
        Self::SendingWindowCreated,
        Self::SendingWindowUpdated,
        Self::SendingWindowDeleted,
        Self::PaymentExceptionResolved,
        Self::TrafficStopLifted,
        Self::MemberAdded,
        Self::MemberRoleChanged,
        Self::MemberRemoved,
        Self::MemberLeft,
        Self::InvitationCreated,
        Self::InvitationResent,
        Self::InvitationWithdrawn,
        Self::InvitationAccepted,
        Self::MessagesResent,
        Self::ContactsDeleted,
        Self::ContactsTagged,
        Self::TemplateDeleted,
        Self::ImportUndone,
    ];

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
            Self::WalletCorrected => "wallet.corrected",
            Self::UserUpdated => "user.updated",
            Self::UserSessionsEnded => "user.sessions_ended",
            Self::SecondFactorReset => "user.second_factor_reset",
            Self::TenantSuspended => "tenant.suspended",
            Self::TenantRestored => "tenant.restored",
            Self::OrganizationClosed => "organization.closed",
            Self::OrganizationRestored => "organization.restored",
            Self::PricingRuleCreated => "pricing_rule.created",
            Self::PricingRuleUpdated => "pricing_rule.updated",
            Self::PlanCreated => "plan.created",
            Self::PlanUpdated => "plan.updated",
            Self::SendingWindowCreated => "sending_window.created",
            Self::SendingWindowUpdated => "sending_window.updated",
            Self::SendingWindowDeleted => "sending_window.deleted",
            Self::PaymentExceptionResolved => "payment_exception.resolved",
            Self::TrafficStopLifted => "traffic_stop.lifted",
            Self::MemberAdded => "member.added",
            Self::MemberRoleChanged => "member.role_changed",
            Self::MemberRemoved => "member.removed",
            Self::MemberLeft => "member.left",
            Self::InvitationCreated => "invitation.created",
            Self::InvitationResent => "invitation.resent",
            Self::InvitationWithdrawn => "invitation.withdrawn",
            Self::InvitationAccepted => "invitation.accepted",
            Self::MessagesResent => "messages.resent",
            Self::ContactsDeleted => "contacts.deleted",
            Self::ContactsTagged => "contacts.tagged",
            Self::TemplateDeleted => "template.deleted",
            Self::ImportUndone => "import.undone",
        }
    }
}

/// The text names no recorded action.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("is not a recorded action")]
pub struct UnknownAction;

impl FromStr for AuditAction {
    type Err = UnknownAction;

    fn from_str(text: &str) -> Result<Self, UnknownAction> {
        Self::ALL.into_iter().find(|action| action.as_str() == text).ok_or(UnknownAction)
    }
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
