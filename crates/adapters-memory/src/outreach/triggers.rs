//! Triggers.

use async_trait::async_trait;
use domain::messaging::message::TriggerId;
use domain::{identity::organization::Organization, outreach::trigger::Trigger, shared::id::Id};
use ports::{outreach::events::TriggerRepository, shared::store::StoreError};

use crate::shared::store::MemoryStore;

#[async_trait]
impl TriggerRepository for MemoryStore {
    async fn find(
        &self,
        organization: Id<Organization>,
        id: TriggerId,
    ) -> Result<Option<Trigger>, StoreError> {
        Ok(self.state().triggers.find(organization, id).cloned())
    }

    async fn take_due(
        &self,
        limit: usize,
        busy: &[Id<Organization>],
    ) -> Result<Vec<Trigger>, StoreError> {
        let now = self.now();
        Ok(self.state().triggers.take_due(limit, busy, now))
    }

    async fn end(&self, trigger: &Trigger) -> Result<(), StoreError> {
        self.state().triggers.end(trigger);
        Ok(())
    }
}
