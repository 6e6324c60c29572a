//! Work on campaigns: leases and progress.
//!
//! ```
//! use ports::{outreach::campaign_queue::CampaignQueue, shared::store::StoreError};
//!
//! async fn has_work(queue: &dyn CampaignQueue) -> Result<bool, StoreError> {
//!     Ok(!queue.claim(1).await?.is_empty())
//! }
//! ```

use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use domain::messaging::message::CampaignId;
use domain::{
    audience::contact::Contact,
    identity::organization::Organization,
    messaging::job::Lease,
    outreach::campaign::{CampaignProgress, PausedReason},
    shared::{id::Id, money::Money},
};

use crate::shared::store::StoreError;

/// Leased campaign that has work to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeasedCampaign {
    /// Organization that owns the campaign.
    pub organization: Id<Organization>,
    /// Identifier of the campaign.
    pub id: CampaignId,
    /// Proof of the lease.
    pub lease: Lease,
    /// Identifier from which on contacts are not part of the campaign; `None` if it has not started.
    pub contacts_until: Option<Id<Contact>>,
    /// Last contact that has its message, or has no address.
    pub position: Option<Id<Contact>>,
    /// Time at which the last contact was passed.
    pub expanded_at: Option<DateTime<Utc>>,
    /// True if its segment still exists, or if it has no segment.
    pub has_segment: bool,
}

/// Start of a campaign.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CampaignStart {
    /// Time of the start.
    pub at: DateTime<Utc>,
    /// Identifier from which on contacts are not part of the campaign.
    pub contacts_until: Id<Contact>,
    /// Number of contacts; `None` if they could not be counted.
    pub audience: Option<u64>,
}

/// Leases campaigns that have work to do, and records what was done. If the lease is lost, or the campaign
/// was paused or cancelled, a call changes nothing and returns false.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait CampaignQueue: Send + Sync {
    /// Leases up to `most` campaigns that have waited longest, each of another organization, and none
    /// of an organization that has a leased campaign. A lease expires after a minute and a half.
    async fn claim(&self, most: u32) -> Result<Vec<LeasedCampaign>, StoreError>;

    /// Closes the contacts of a campaign, at an identifier of about `latest` at the latest, and returns
    /// that identifier: contacts below it exist now, or never will. Waits for transactions that are adding
    /// contacts.
    async fn set_cutoff(
        &self,
        campaign: &LeasedCampaign,
        latest: Id<Contact>,
    ) -> Result<Id<Contact>, StoreError>;

    /// Starts a campaign that was sent, or whose scheduled time has come.
    async fn start(
        &self,
        campaign: &LeasedCampaign,
        start: &CampaignStart,
    ) -> Result<bool, StoreError>;

    /// Records that no contact follows after the last one that has its message.
    async fn end_expansion(
        &self,
        campaign: &LeasedCampaign,
        last: Option<Id<Contact>>,
        at: DateTime<Utc>,
    ) -> Result<bool, StoreError>;

    /// Pauses a campaign until its wallet holds `needed`, or until the spending limit allows `needed`
    /// again, as `reason` says.
    async fn pause_unpaid(
        &self,
        campaign: &LeasedCampaign,
        reason: PausedReason,
        needed: Money,
        at: DateTime<Utc>,
    ) -> Result<bool, StoreError>;

    /// Resumes paused campaigns whose wallets hold, and may spend, what they were paused for.
    async fn resume_paid(&self, at: DateTime<Utc>) -> Result<Vec<CampaignId>, StoreError>;

    /// Completes a campaign with the figures of `completed` and publishes an event, unless one of its
    /// messages still waits.
    async fn complete(
        &self,
        campaign: &LeasedCampaign,
        completed: &CampaignProgress,
        at: DateTime<Utc>,
    ) -> Result<bool, StoreError>;

    /// Records that a cancelled or failed campaign has no waiting messages left, unless it has some.
    async fn settle(
        &self,
        campaign: &LeasedCampaign,
        at: DateTime<Utc>,
    ) -> Result<bool, StoreError>;

    /// Fails a campaign that cannot go on.
    async fn fail(&self, campaign: &LeasedCampaign, at: DateTime<Utc>) -> Result<bool, StoreError>;

    /// Releases a campaign until `delay` is over; `None` until somebody acts on the campaign.
    async fn give_back(
        &self,
        campaign: &LeasedCampaign,
        delay: Option<TimeDelta>,
    ) -> Result<(), StoreError>;
}
