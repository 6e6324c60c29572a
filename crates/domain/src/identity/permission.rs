//! Permissions of members and API keys.

/// Something that a member or an API key may be allowed to do inside an organization.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Permission {
    /// See everything but API keys and webhook endpoints.
    Read,
    /// See messages by their identifiers.
    ReadMessages,
    /// See the texts of messages in the dashboard.
    ReadTexts,
    /// See events.
    ReadEvents,
    /// Change the organization.
    ManageOrganization,
    /// Add, change and remove members of the organization.
    ManageMembers,
    /// See the actions of platform administrators on the organization.
    ReadAudit,
    /// See the limits of the organization and their usage.
    ReadLimits,
    /// Put money into the wallet.
    TopUp,
    /// Send messages.
    SendMessages,
    /// Trigger events.
    TriggerEvents,
    /// Change contacts, segments, templates and campaigns, and pause campaigns.
    WriteAudience,
    /// Send, resume and cancel campaigns.
    RunCampaigns,
    /// Request sender names, and give them up.
    RequestSenderNames,
    /// Change events.
    WriteEvents,
    /// Change the suppression list.
    WriteSuppressions,
    /// See API keys and webhook endpoints.
    ReadIntegrations,
    /// Change API keys and webhook endpoints.
    ManageIntegrations,
}

impl Permission {
    /// Every permission.
    pub const ALL: [Self; 18] = [
        Self::Read,
        Self::ReadMessages,
        Self::ReadTexts,
        Self::ReadEvents,
        Self::ManageOrganization,
        Self::ManageMembers,
        Self::ReadAudit,
        Self::ReadLimits,
        Self::TopUp,
        Self::SendMessages,
        Self::TriggerEvents,
        Self::WriteAudience,
        Self::RunCampaigns,
        Self::RequestSenderNames,
        Self::WriteEvents,
        Self::WriteSuppressions,
        Self::ReadIntegrations,
        Self::ManageIntegrations,
    ];

    /// The name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Read => "READ",
            Self::ReadMessages => "READ_MESSAGES",
            Self::ReadTexts => "READ_TEXTS",
            Self::ReadEvents => "READ_EVENTS",
            Self::ManageOrganization => "MANAGE_ORGANIZATION",
            Self::ManageMembers => "MANAGE_MEMBERS",
            Self::ReadAudit => "READ_AUDIT",
            Self::ReadLimits => "READ_LIMITS",
            Self::TopUp => "TOP_UP",
            Self::SendMessages => "SEND_MESSAGES",
            Self::TriggerEvents => "TRIGGER_EVENTS",
            Self::WriteAudience => "WRITE_AUDIENCE",
            Self::RunCampaigns => "RUN_CAMPAIGNS",
            Self::RequestSenderNames => "REQUEST_SENDER_NAMES",
            Self::WriteEvents => "WRITE_EVENTS",
            Self::WriteSuppressions => "WRITE_SUPPRESSIONS",
            Self::ReadIntegrations => "READ_INTEGRATIONS",
            Self::ManageIntegrations => "MANAGE_INTEGRATIONS",
        }
    }

    /// Returns the scope that gives an API key this permission; `None` if no API key can have it.
    pub const fn scope(self) -> Option<&'static str> {
        match self {
            Self::SendMessages => Some("messages:send"),
            Self::ReadMessages => Some("messages:read"),
            Self::ReadEvents => Some("events:read"),
            Self::TriggerEvents => Some("events:trigger"),
            _ => None,
        }
    }

    /// True if it allows to see something, and nothing else.
    pub const fn is_reading(self) -> bool {
        matches!(
            self,
            Self::Read
                | Self::ReadMessages
                | Self::ReadTexts
                | Self::ReadEvents
                | Self::ReadAudit
                | Self::ReadLimits
                | Self::ReadIntegrations
        )
    }

    /// True if a platform administrator who acts as the organization has this permission, as owners
    /// do. Such an administrator sends nothing to real recipients, moves no money, and creates no
    /// secrets or members.
    pub const fn is_lent(self) -> bool {
        match self {
            Self::Read
            | Self::ReadMessages
            | Self::ReadTexts
            | Self::ReadEvents
            | Self::ReadIntegrations
            | Self::ReadAudit
            | Self::ReadLimits
            | Self::ManageOrganization
            | Self::WriteAudience
            | Self::WriteEvents
            | Self::WriteSuppressions
            | Self::RequestSenderNames => true,
            Self::ManageMembers
            | Self::ManageIntegrations
            | Self::TopUp
            | Self::SendMessages
            | Self::TriggerEvents
            | Self::RunCampaigns => false,
        }
    }
}
