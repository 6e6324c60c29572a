//! Campaigns whose messages are held back.

use async_trait::async_trait;
use domain::{
    identity::organization::Organization, messaging::hold::CampaignHold,
    outreach::campaign::Campaign, shared::id::Id,
};

use crate::shared::store::StoreError;

/// Knows whose messages are held back, and frees them.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait HeldCampaigns: Send + Sync {
    /// The campaigns that somebody paused, and those that were cancelled and have messages left.
    async fn held(&self) -> Result<Vec<(Id<Campaign>, CampaignHold)>, StoreError>;

    /// Makes some messages due that wait for a campaign which goes on, or was cancelled, or for an
    /// organization that is not `suspended`, and returns how many. Those of a campaign that goes on are
    /// worth sending as long as ever from now on.
    async fn release(&self, suspended: &[Id<Organization>]) -> Result<usize, StoreError>;
}
