//! Webhook subscriptions of organizations.

use async_trait::async_trait;
use domain::{
    identity::organization::Organization,
    shared::{id::Id, webhook_event::WebhookEvents},
    webhooks::outbound_event::OutboundEvent,
};
use ports::{shared::store::StoreError, webhooks::calls::WebhookSubscriptions};

use crate::shared::store::MemoryStore;

impl MemoryStore {
    /// Subscribes an organization to these events, instead of the earlier ones. Without a call, it has
    /// none.
    pub fn subscribe(&self, organization: Id<Organization>, events: WebhookEvents) {
        self.state().outbound_events.subscribe(organization, events);
    }

    /// Returns the published events, oldest first. No endpoint is called with them.
    pub fn published_events(&self) -> Vec<OutboundEvent> {
        self.state().outbound_events.events().to_vec()
    }
}

#[async_trait]
impl WebhookSubscriptions for MemoryStore {
    async fn subscribed_events(
        &self,
        organization: Id<Organization>,
    ) -> Result<WebhookEvents, StoreError> {
        Ok(self.state().outbound_events.subscription(organization))
    }
}
