//! Messages that are held back.

use async_trait::async_trait;
use domain::{
    identity::organization::Organization, messaging::hold::CampaignHold,
    outreach::campaign::Campaign, shared::id::Id,
};
use ports::{outreach::held_campaigns::HeldCampaigns, shared::store::StoreError};

use crate::shared::store::MemoryStore;

/// There are no campaigns. What waits for an organization that was suspended is freed all the same.
#[async_trait]
impl HeldCampaigns for MemoryStore {
    async fn held(&self) -> Result<Vec<(Id<Campaign>, CampaignHold)>, StoreError> {
        Ok(Vec::new())
    }

    async fn release(&self, suspended: &[Id<Organization>]) -> Result<usize, StoreError> {
        let now = self.now();
        Ok(self.state().jobs.release_held(suspended, now))
    }
}
