//! Permissions of members and API keys.
//!
//! ```
//! use domain::identity::permission::Permission;
//!
//! assert_eq!(Permission::SendMessages.scope(), Some("messages:send"));
//! ```

crate::closed_list! {
    /// Something that a member or an API key may be allowed to do inside an organization.
    pub enum Permission {
        /// See everything but API keys and webhook endpoints.
        Read = "READ",
        /// See messages by their identifiers.
        ReadMessages = "READ_MESSAGES",
        /// See the texts of messages in the dashboard.
        ReadTexts = "READ_TEXTS",
        /// See events.
        ReadEvents = "READ_EVENTS",
        /// Change the organization.
        ManageOrganization = "MANAGE_ORGANIZATION",
        /// Add, change and remove members of the organization.
        ManageMembers = "MANAGE_MEMBERS",
        /// See the actions of platform administrators on the organization.
        ReadAudit = "READ_AUDIT",
        /// See the limits of the organization and their usage.
        ReadLimits = "READ_LIMITS",
        /// Put money into the wallet.
        TopUp = "TOP_UP",
        /// Send messages.
        SendMessages = "SEND_MESSAGES",
        /// Trigger events.
        TriggerEvents = "TRIGGER_EVENTS",
        /// Change contacts, segments, templates and campaigns, and pause campaigns.
        WriteAudience = "WRITE_AUDIENCE",
        /// Send, resume and cancel campaigns.
        RunCampaigns = "RUN_CAMPAIGNS",
        /// Request sender names, and give them up.
        RequestSenderNames = "REQUEST_SENDER_NAMES",
        /// Change events.
        WriteEvents = "WRITE_EVENTS",
        /// Change the suppression list.
        WriteSuppressions = "WRITE_SUPPRESSIONS",
        /// See API keys and webhook endpoints.
        ReadIntegrations = "READ_INTEGRATIONS",
        /// Change API keys and webhook endpoints.
        ManageIntegrations = "MANAGE_INTEGRATIONS",
    }
}

impl Permission {
    /// Returns the actions that it allows, in words: somebody with it may "…".
    pub const fn actions(self) -> &'static str {
        match self {
            Self::Read => {
                "see contacts, texts, campaigns, the delivery log, figures, money, members; preview \
                 and check texts, have them written"
            }
            Self::ReadMessages => "see single messages",
            Self::ReadTexts => "see the texts of messages in the dashboard",
            Self::ReadEvents => "see events",
            Self::ManageOrganization => {
                "change the organization and its settings, lift traffic alerts, void invoices"
            }
            Self::ManageMembers => "add, invite, change and remove members",
            Self::ReadAudit => "see the audit log",
            Self::ReadLimits => "see the limits and their use",
            Self::TopUp => "top up the wallet and verify payments",
            Self::SendMessages => {
                "send messages, cancel and move those that wait, send failed ones again"
            }
            Self::TriggerEvents => "trigger events",
            Self::WriteAudience => {
                "change contacts, segments, templates and campaigns, import contacts, pause campaigns"
            }
            Self::RunCampaigns => "send, resume and cancel campaigns",
            Self::RequestSenderNames => "request sender names, and give them up",
            Self::WriteEvents => "change events",
            Self::WriteSuppressions => "change the suppression list",
            Self::ReadIntegrations => "see API keys, webhook endpoints and refused requests",
            Self::ManageIntegrations => "change API keys and webhook endpoints",
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
