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
    /// Change the organization and who belongs to it.
    ManageOrganization,
    /// Put money into the wallet.
    TopUp,
    /// Send messages.
    SendMessages,
    /// Trigger events.
    TriggerEvents,
    /// Change contacts, segments, templates and campaigns.
    WriteAudience,
    /// Ask for sender names, and give them up.
    AskForSenderNames,
    /// Change events.
    WriteEvents,
    /// Change the suppression list.
    WriteSuppressions,
    /// See and change API keys and webhook endpoints.
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
}
