//! Acts in the audit log.

use domain::platform::audit::AuditAction;

/// Returns the words for the name of an act in the audit log; the name itself if nobody acts so any
/// more.
pub(crate) fn act_in_words(name: &str) -> &str {
    match name.parse() {
        Ok(action) => act(action),
        Err(_) => name,
    }
}

pub(crate) const fn act(action: AuditAction) -> &'static str {
    match action {
        AuditAction::ImpersonationBegan => "Began to act as the organization",
        AuditAction::ImpersonationActed => "Did something as the organization",
        AuditAction::ImpersonationEnded => "Stopped acting as the organization",
        AuditAction::Approved => "Approved a text",
        AuditAction::Rejected => "Rejected a text",
        AuditAction::TenantUpdated => "Changed the limits of the organization",
        AuditAction::WalletCredited => "Credited a payment",
        AuditAction::WalletCorrected => "Corrected the balance",
        AuditAction::UserUpdated => "Changed a user",
        AuditAction::UserSessionsEnded => "Signed a user out everywhere",
        AuditAction::SecondFactorReset => "Removed a second factor",
        AuditAction::TenantSuspended => "Suspended the organization",
        AuditAction::TenantRestored => "Restored the organization",
        AuditAction::OrganizationClosed => "Closed the organization",
        AuditAction::OrganizationRestored => "Opened the closed organization again",
        AuditAction::PricingRuleCreated => "Added a price",
        AuditAction::PricingRuleUpdated => "Changed a price",
        AuditAction::PlanCreated => "Added a plan",
        AuditAction::PlanUpdated => "Changed a plan",
        AuditAction::SendingWindowCreated => "Added a sending window",
        AuditAction::SendingWindowUpdated => "Changed a sending window",
        AuditAction::SendingWindowDeleted => "Deleted a sending window",
        AuditAction::PaymentExceptionResolved => "Resolved a payment exception",
        AuditAction::TrafficStopLifted => "Lifted a stop on codes",
        AuditAction::MemberAdded => "Added a member",
        AuditAction::MemberRoleChanged => "Changed a role",
        AuditAction::MemberRemoved => "Removed a member",
        AuditAction::MemberLeft => "Left the organization",
        AuditAction::InvitationCreated => "Invited somebody",
        AuditAction::InvitationResent => "Invited somebody again",
        AuditAction::InvitationWithdrawn => "Withdrew an invitation",
        AuditAction::InvitationAccepted => "Accepted an invitation",
        AuditAction::MessagesResent => "Sent failed messages again",
        AuditAction::ContactsDeleted => "Deleted many contacts",
        AuditAction::ContactsTagged => "Tagged many contacts",
        AuditAction::TemplateDeleted => "Deleted a template",
        AuditAction::ImportUndone => "Undid an import",
    }
}
