//! What organizations are told of.

use async_trait::async_trait;
use domain::{
    identity::organization::Organization,
    shared::id::Id,
    webhooks::outbound_event::{OutboundEvent, WebhookEvents},
};
use ports::{shared::store::StoreError, webhooks::calls::WebhookSubscriptions};

use crate::shared::store::MemoryStore;

impl MemoryStore {
    /// Says of what an organization is to be told from now on: of nothing, unless this is called.
    pub fn subscribe(&self, organization: Id<Organization>, events: WebhookEvents) {
        let now = self.now();
        self.state().told.subscribe(organization, events, now);
    }

    /// What was told, the oldest first. Nobody calls endpoints with it.
    pub fn told(&self) -> Vec<OutboundEvent> {
        self.state().told.events().to_vec()
    }
}

#[async_trait]
impl WebhookSubscriptions for MemoryStore {
    async fn subscribed_events(
        &self,
        organization: Id<Organization>,
    ) -> Result<WebhookEvents, StoreError> {
        Ok(self.state().told.subscription(organization))
    }

    async fn changed_lately(&self) -> Result<Vec<Id<Organization>>, StoreError> {
        let now = self.now();
        Ok(self.state().told.changed_lately(now))
    }
}
