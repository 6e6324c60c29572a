//! Campaigns whose messages are held back.
//!
//! ```
//! use ports::{outreach::held_campaigns::HeldCampaigns, shared::store::StoreError};
//!
//! async fn count(campaigns: &dyn HeldCampaigns) -> Result<usize, StoreError> {
//!     Ok(campaigns.held().await?.len())
//! }
//! ```

use async_trait::async_trait;
use domain::messaging::message::CampaignId;
use domain::{identity::organization::Organization, messaging::hold::CampaignHold, shared::id::Id};

use crate::shared::store::StoreError;

/// Finds held messages, and releases them.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait HeldCampaigns: Send + Sync {
    /// Returns the paused campaigns, and the cancelled ones that have messages left.
    async fn held(&self) -> Result<Vec<(CampaignId, CampaignHold)>, StoreError>;

    /// Makes some of the messages due that wait for a campaign that was resumed or cancelled, or for an
    /// organization that is not `suspended`. Returns their number. Messages of a resumed campaign get their
    /// full lifetime again.
    async fn release(&self, suspended: &[Id<Organization>]) -> Result<usize, StoreError>;
}
