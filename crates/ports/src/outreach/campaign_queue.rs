//! The work on campaigns: who does it, and how far it has come.

use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    audience::contact::Contact,
    identity::organization::Organization,
    messaging::job::Lease,
    outreach::campaign::{Campaign, CampaignProgress, PausedReason},
    shared::{id::Id, money::Money},
};

use crate::shared::store::StoreError;

/// A campaign for which there is something to do, and who does it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeasedCampaign {
    /// Whose it is.
    pub organization: Id<Organization>,
    /// Which one it is.
    pub id: Id<Campaign>,
    /// What shows that it is in our hands.
    pub lease: Lease,
    /// From which identifier on contacts came too late; none if it has not started.
    pub contacts_until: Option<Id<Contact>>,
    /// The last contact that has its message, or has no address.
    pub position: Option<Id<Contact>>,
    /// When the last contact was passed.
    pub expanded_at: Option<DateTime<Utc>>,
    /// Whether the segment that it is for is still there, if it is for one.
    pub has_segment: bool,
}

/// How a campaign starts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CampaignStart {
    /// When.
    pub at: DateTime<Utc>,
    /// From which identifier on contacts come too late.
    pub contacts_until: Id<Contact>,
    /// How many contacts there are, if they could be counted.
    pub audience: Option<u64>,
}

/// Hands out the campaigns for which there is something to do, and notes what was done. Whoever lost the
/// lease meanwhile, or whose campaign was paused or cancelled, changes nothing: the answer is false.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait CampaignQueue: Send + Sync {
    /// Leases the campaign that has waited longest for its turn, but for organizations of which another
    /// is leased. A lease ends by itself after half a minute.
    async fn claim(&self) -> Result<Option<LeasedCampaign>, StoreError>;

    /// Draws a line behind the contacts of the organization, about `latest` at the latest, and returns it:
    /// those with identifiers below it are there now, or will never be. Waits for whoever is adding some.
    async fn draw_line(
        &self,
        campaign: &LeasedCampaign,
        latest: Id<Contact>,
    ) -> Result<Id<Contact>, StoreError>;

    /// Starts a campaign that was sent, or whose time has come.
    async fn start(
        &self,
        campaign: &LeasedCampaign,
        start: &CampaignStart,
    ) -> Result<bool, StoreError>;

    /// Notes that no contact follows after the last one that has its message.
    async fn end_expansion(
        &self,
        campaign: &LeasedCampaign,
        last: Option<Id<Contact>>,
        at: DateTime<Utc>,
    ) -> Result<bool, StoreError>;

    /// Pauses a campaign until its wallet holds `needed`, or that may be spent again, as the reason says.
    async fn pause_unpaid(
        &self,
        campaign: &LeasedCampaign,
        reason: PausedReason,
        needed: Money,
        at: DateTime<Utc>,
    ) -> Result<bool, StoreError>;

    /// Lets campaigns go on whose wallets hold by now what they were paused for, and may spend it.
    async fn resume_paid(&self, at: DateTime<Utc>) -> Result<Vec<Id<Campaign>>, StoreError>;

    /// Completes a campaign that looks like this then, and tells the organization, unless a message of
    /// it still waits.
    async fn complete(
        &self,
        campaign: &LeasedCampaign,
        completed: &CampaignProgress,
        at: DateTime<Utc>,
    ) -> Result<bool, StoreError>;

    /// Notes that no message of a campaign waits any more that was cancelled or has failed, unless one
    /// does.
    async fn settle(
        &self,
        campaign: &LeasedCampaign,
        at: DateTime<Utc>,
    ) -> Result<bool, StoreError>;

    /// Ends a campaign that cannot go on.
    async fn fail(&self, campaign: &LeasedCampaign, at: DateTime<Utc>) -> Result<bool, StoreError>;

    /// Gives a campaign back, for its next turn after `delay`. Without one it has no turn until
    /// somebody does something to it.
    async fn give_back(
        &self,
        campaign: &LeasedCampaign,
        delay: Option<TimeDelta>,
    ) -> Result<(), StoreError>;
}
