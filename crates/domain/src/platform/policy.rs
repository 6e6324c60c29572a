//! Policy for the messages of an organization.

use crate::{
    content::sender_name::UsableSenders, identity::organization::Settings,
    platform::traffic::TrafficRules, webhooks::outbound_event::WebhookEvents,
};

/// All settings and facts about an organization that requests and workers need.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Policy {
    /// Settings for its messages.
    pub settings: Settings,
    /// Senders that its messages may have.
    pub senders: UsableSenders,
    /// Events that its webhooks are subscribed to.
    pub subscribed_events: WebhookEvents,
    /// Findings about the destinations of its messages.
    pub traffic: TrafficRules,
}
