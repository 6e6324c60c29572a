//! Scopes of API keys.

use std::str::FromStr;

use crate::identity::permission::Permission;

/// Something that a member may let an API key do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Scope {
    /// Send messages.
    MessagesSend,
    /// See messages by their identifiers.
    MessagesRead,
    /// See events.
    EventsRead,
    /// Trigger events.
    EventsTrigger,
    /// See contacts and their imports.
    ContactsRead,
    /// Change and import contacts.
    ContactsWrite,
    /// See and preview segments.
    SegmentsRead,
    /// Change segments.
    SegmentsWrite,
    /// See templates and their approvals.
    TemplatesRead,
    /// Change templates.
    TemplatesWrite,
    /// See the suppression list and its imports.
    SuppressionsRead,
    /// Change and import the suppression list.
    SuppressionsWrite,
    /// See and preview campaigns.
    CampaignsRead,
    /// Change and send campaigns.
    CampaignsWrite,
    /// Change events.
    EventsWrite,
    /// See webhook endpoints and their deliveries.
    WebhooksRead,
    /// Change webhook endpoints.
    WebhooksWrite,
    /// See figures about messages.
    AnalyticsRead,
    /// See the wallet, prices, invoices and the ledger.
    BillingRead,
    /// See the log of messages.
    DeliveryLogsRead,
}

impl Scope {
    /// All scopes.
    pub const ALL: [Self; 20] = [
        Self::MessagesSend,
        Self::MessagesRead,
        Self::EventsRead,
        Self::EventsTrigger,
        Self::ContactsRead,
        Self::ContactsWrite,
        Self::SegmentsRead,
        Self::SegmentsWrite,
        Self::TemplatesRead,
        Self::TemplatesWrite,
        Self::SuppressionsRead,
        Self::SuppressionsWrite,
        Self::CampaignsRead,
        Self::CampaignsWrite,
        Self::EventsWrite,
        Self::WebhooksRead,
        Self::WebhooksWrite,
        Self::AnalyticsRead,
        Self::BillingRead,
        Self::DeliveryLogsRead,
    ];

    /// Scopes of a key that names none.
    pub const DEFAULT: [Self; 4] =
        [Self::MessagesSend, Self::MessagesRead, Self::EventsRead, Self::EventsTrigger];

    /// Returns the name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::MessagesSend => "messages:send",
            Self::MessagesRead => "messages:read",
            Self::EventsRead => "events:read",
            Self::EventsTrigger => "events:trigger",
            Self::ContactsRead => "contacts:read",
            Self::ContactsWrite => "contacts:write",
            Self::SegmentsRead => "segments:read",
            Self::SegmentsWrite => "segments:write",
            Self::TemplatesRead => "templates:read",
            Self::TemplatesWrite => "templates:write",
            Self::SuppressionsRead => "suppressions:read",
            Self::SuppressionsWrite => "suppressions:write",
            Self::CampaignsRead => "campaigns:read",
            Self::CampaignsWrite => "campaigns:write",
            Self::EventsWrite => "events:write",
            Self::WebhooksRead => "webhooks:read",
            Self::WebhooksWrite => "webhooks:write",
            Self::AnalyticsRead => "analytics:read",
            Self::BillingRead => "billing:read",
            Self::DeliveryLogsRead => "delivery-logs:read",
        }
    }

    /// True if a key with the scope gets access to endpoints for sessions, as far as its scopes
    /// go. A key without such a scope is refused there as a credential of the wrong kind.
    pub fn opens_endpoints_for_sessions(self) -> bool {
        !Self::DEFAULT.contains(&self)
    }

    /// True if the scope changes data that is not simulated. A sandbox key cannot use it. Campaigns
    /// are not among them, because those of a sandbox key are rehearsals.
    pub const fn writes_live_data(self) -> bool {
        matches!(
            self,
            Self::ContactsWrite
                | Self::SegmentsWrite
                | Self::TemplatesWrite
                | Self::SuppressionsWrite
                | Self::EventsWrite
                | Self::WebhooksWrite
        )
    }

    /// Returns the permissions that a key has at the endpoints that the scope opens. The member
    /// who gives the scope has them.
    pub const fn permissions(self) -> &'static [Permission] {
        use Permission as P;

        match self {
            Self::MessagesSend => &[P::SendMessages],
            Self::MessagesRead => &[P::ReadMessages],
            Self::EventsRead => &[P::ReadEvents],
            Self::EventsTrigger => &[P::TriggerEvents],
            Self::ContactsRead
            | Self::SegmentsRead
            | Self::TemplatesRead
            | Self::SuppressionsRead
            | Self::CampaignsRead
            | Self::AnalyticsRead
            | Self::BillingRead
            | Self::DeliveryLogsRead => &[P::Read],
            Self::ContactsWrite | Self::SegmentsWrite | Self::TemplatesWrite => {
                &[P::Read, P::WriteAudience]
            }
            Self::SuppressionsWrite => &[P::Read, P::WriteSuppressions],
            Self::CampaignsWrite => &[P::Read, P::WriteAudience, P::RunCampaigns],
            Self::EventsWrite => &[P::ReadEvents, P::WriteEvents],
            Self::WebhooksRead => &[P::ReadIntegrations],
            Self::WebhooksWrite => &[P::ReadIntegrations, P::ManageIntegrations],
        }
    }
}

/// The text names no scope.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("must be one of {}", Scope::ALL.map(Scope::as_str).join(", "))]
pub struct UnknownScope;

impl FromStr for Scope {
    type Err = UnknownScope;

    fn from_str(text: &str) -> Result<Self, UnknownScope> {
        Self::ALL.into_iter().find(|scope| scope.as_str() == text).ok_or(UnknownScope)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_scope_is_read_by_its_name() {
        for scope in Scope::ALL {
            assert_eq!(scope.as_str().parse(), Ok(scope));
        }
        let refusal = "messages:write".parse::<Scope>().unwrap_err().to_string();
        assert!(refusal.starts_with("must be one of messages:send, messages:read"), "{refusal}");
    }

    #[test]
    fn scopes_that_write_are_named_so() {
        for scope in Scope::ALL {
            let name = scope.as_str();
            let writes = scope.writes_live_data() || scope == Scope::CampaignsWrite;
            assert_eq!(writes, name.ends_with(":write"), "{name}");
            let is_default = Scope::DEFAULT.contains(&scope);
            assert_eq!(scope.opens_endpoints_for_sessions(), !is_default, "{name}");
        }
    }

    #[test]
    fn no_scope_gives_a_permission_over_members_money_or_the_organization() {
        let never = [
            Permission::ManageOrganization,
            Permission::ManageMembers,
            Permission::ReadAudit,
            Permission::ReadLimits,
            Permission::TopUp,
            Permission::RequestSenderNames,
        ];
        for scope in Scope::ALL {
            let permissions = scope.permissions();
            assert!(!permissions.iter().any(|it| never.contains(it)), "{scope:?}");
            let writes = [
                Permission::WriteAudience,
                Permission::RunCampaigns,
                Permission::WriteEvents,
                Permission::WriteSuppressions,
                Permission::ManageIntegrations,
            ];
            let is_writing = permissions.iter().any(|it| writes.contains(it));
            assert_eq!(is_writing, scope.as_str().ends_with(":write"), "{scope:?}");
        }
    }
}
