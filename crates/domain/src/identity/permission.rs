//! Who may do what.

/// Something that a member or an API key may be allowed to do inside an organization.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Permission {
    /// See everything but API keys and webhook endpoints.
    Read,
    /// See messages by their identifiers.
    ReadMessages,
    /// See events.
    ReadEvents,
    /// Change the organization.
    ManageOrganization,
    /// Change who belongs to the organization.
    ManageMembers,
    /// See what administrators of the platform did to the organization.
    ReadAudit,
    /// See what limits the organization, and what it used of that.
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
    /// Ask for sender names, and give them up.
    AskForSenderNames,
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
    /// The scope under which an API key has this permission; `None` if no API key can have it.
    pub const fn scope(self) -> Option<&'static str> {
        match self {
            Self::SendMessages => Some("messages:send"),
            Self::ReadMessages => Some("messages:read"),
            Self::ReadEvents => Some("events:read"),
            Self::TriggerEvents => Some("events:trigger"),
            _ => None,
        }
    }

    /// Whether a platform administrator has this permission, as owners have it, while acting as the
    /// organization. Such an administrator sends nothing that reaches anybody, moves no money, and
    /// makes neither secrets nor members.
    pub const fn is_lent(self) -> bool {
        match self {
            Self::Read
            | Self::ReadMessages
            | Self::ReadEvents
            | Self::ReadIntegrations
            | Self::ReadAudit
            | Self::ReadLimits
            | Self::ManageOrganization
            | Self::WriteAudience
            | Self::WriteEvents
            | Self::WriteSuppressions
            | Self::AskForSenderNames => true,
            Self::ManageMembers
            | Self::ManageIntegrations
            | Self::TopUp
            | Self::SendMessages
            | Self::TriggerEvents
            | Self::RunCampaigns => false,
        }
    }
}
