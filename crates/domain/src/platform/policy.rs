//! What holds for the messages of an organization.

use crate::{
    content::sender_name::UsableSenders, identity::organization::Settings,
    platform::traffic::TrafficRules, webhooks::outbound_event::WebhookEvents,
};

/// All that requests and workers need to know of an organization.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Policy {
    /// What was decided about its messages.
    pub settings: Settings,
    /// Which senders they may have.
    pub senders: UsableSenders,
    /// Of what its webhooks tell it.
    pub subscribed_events: WebhookEvents,
    /// What was found out about where they go.
    pub traffic: TrafficRules,
}
