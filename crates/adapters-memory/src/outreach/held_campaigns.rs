//! Held messages.

use async_trait::async_trait;
use domain::messaging::message::CampaignId;
use domain::{identity::organization::Organization, messaging::hold::CampaignHold, shared::id::Id};
use ports::{outreach::held_campaigns::HeldCampaigns, shared::store::StoreError};

use crate::shared::store::MemoryStore;

/// Stores no campaigns; messages that wait for a suspended organization are released all the same.
#[async_trait]
impl HeldCampaigns for MemoryStore {
    async fn held(&self) -> Result<Vec<(CampaignId, CampaignHold)>, StoreError> {
        Ok(Vec::new())
    }

    async fn release(&self, suspended: &[Id<Organization>]) -> Result<usize, StoreError> {
        let now = self.now();
        Ok(self.state().jobs.release_held(suspended, now))
    }
}
