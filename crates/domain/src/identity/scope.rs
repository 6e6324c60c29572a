//! Scopes of API keys.
//!
//! ```
//! use domain::identity::{permission::Permission, scope::Scope};
//!
//! assert_eq!(Scope::MessagesSend.permissions(), [Permission::SendMessages]);
//! ```

use crate::identity::permission::Permission;

crate::closed_list! {
    /// Something that a member may let an API key do.
    pub enum Scope {
        /// Send messages.
        MessagesSend = "messages:send",
        /// See messages by their identifiers.
        MessagesRead = "messages:read",
        /// See events.
        EventsRead = "events:read",
        /// Trigger events.
        EventsTrigger = "events:trigger",
        /// See contacts and their imports.
        ContactsRead = "contacts:read",
        /// Change and import contacts.
        ContactsWrite = "contacts:write",
        /// See and preview segments.
        SegmentsRead = "segments:read",
        /// Change segments.
        SegmentsWrite = "segments:write",
        /// See templates and their approvals.
        TemplatesRead = "templates:read",
        /// Change templates.
        TemplatesWrite = "templates:write",
        /// See the suppression list and its imports.
        SuppressionsRead = "suppressions:read",
        /// Change and import the suppression list.
        SuppressionsWrite = "suppressions:write",
        /// See and preview campaigns.
        CampaignsRead = "campaigns:read",
        /// Change and send campaigns.
        CampaignsWrite = "campaigns:write",
        /// Change events.
        EventsWrite = "events:write",
        /// See webhook endpoints and their deliveries.
        WebhooksRead = "webhooks:read",
        /// Change webhook endpoints.
        WebhooksWrite = "webhooks:write",
        /// See figures about messages.
        AnalyticsRead = "analytics:read",
        /// See the wallet, prices, invoices and the ledger.
        BillingRead = "billing:read",
        /// See the log of messages.
        DeliveryLogsRead = "delivery-logs:read",
    }
    impl FromStr;
}

impl Scope {
    /// Scopes of a key that names none.
    pub const DEFAULT: [Self; 4] =
        [Self::MessagesSend, Self::MessagesRead, Self::EventsRead, Self::EventsTrigger];

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

#[cfg(test)]
mod tests {
    use super::*;

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
