//! Roles of members, and what they allow.

use domain::identity::{organization::Role, permission::Permission};

use super::InWords;

words! { Role:
    Self::Owner => neutral("Owner", "An owner may do everything."),
    Self::Admin =>
        neutral("Administrator", "An administrator may do everything but appoint owners."),
    Self::CampaignManager =>
        neutral("Marketing", "They keep contacts, write texts and send campaigns."),
    Self::ComplianceReviewer =>
        neutral("Support",
                "They look into messages and keep the list “Do not contact”. They send nothing."),
    Self::Developer => neutral("Developer", "They connect other systems, and send messages."),
    Self::Viewer => neutral("Viewer", "They see the daily work, and change nothing."),
}

/// Returns a sentence with the names of roles as people know them.
pub(crate) fn naming_roles(sentence: &str) -> String {
    let named = |sentence: String, role: Role| sentence.replace(role.as_str(), role.words().label);
    Role::ALL.into_iter().fold(sentence.to_owned(), named)
}

/// Returns the words for what somebody with a permission may do.
pub(crate) const fn permission_words(permission: Permission) -> &'static str {
    match permission {
        Permission::Read => "See contacts, texts, campaigns, messages, money and the team",
        Permission::ReadMessages => "See each message and what became of it",
        Permission::ReadTexts => "Read the texts of messages that were sent",
        Permission::ReadEvents => "See events",
        Permission::ManageOrganization => "Change the settings of the organization",
        Permission::ManageMembers => "Invite people, change their roles and remove them",
        Permission::ReadAudit => "See who did what",
        Permission::ReadLimits => "See the limits of the organization",
        Permission::TopUp => "Top up the wallet",
        Permission::SendMessages => "Send messages",
        Permission::TriggerEvents => "Trigger events",
        Permission::WriteAudience => "Keep contacts, segments, templates and campaigns",
        Permission::RunCampaigns => "Send, resume and cancel campaigns",
        Permission::RequestSenderNames => "Ask for sender names, and give them up",
        Permission::WriteEvents => "Make and change events",
        Permission::WriteSuppressions => "Keep the list “Do not contact”",
        Permission::ReadIntegrations => "See API keys, webhooks and refused calls",
        Permission::ManageIntegrations => "Make and revoke API keys and webhooks",
    }
}
