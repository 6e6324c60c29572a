//! Webhook subscriptions and published events.

use std::collections::BTreeMap;

use domain::{
    identity::organization::Organization,
    shared::{id::Id, webhook_event::WebhookEvents},
    webhooks::outbound_event::OutboundEvent,
};

/// Subscriptions of organizations, and published events.
#[derive(Default)]
pub(crate) struct OutboundEvents {
    subscriptions: BTreeMap<Id<Organization>, WebhookEvents>,
    events: Vec<OutboundEvent>,
}

impl OutboundEvents {
    pub(crate) fn subscribe(&mut self, organization: Id<Organization>, events: WebhookEvents) {
        self.subscriptions.insert(organization, events);
    }

    pub(crate) fn subscription(&self, organization: Id<Organization>) -> WebhookEvents {
        self.subscriptions.get(&organization).copied().unwrap_or_default()
    }

    /// Publishes an event, if its organization is still subscribed to its kind.
    pub(crate) fn publish(&mut self, event: &OutboundEvent) {
        if self.subscription(event.organization).contain(event.event) {
            self.events.push(event.clone());
        }
    }

    pub(crate) fn events(&self) -> &[OutboundEvent] {
        &self.events
    }
}
