//! Campaigns.
//!
//! ```
//! use ports::{outreach::campaigns::CampaignWakeup, shared::nobody::Nobody};
//!
//! // A program without campaigns wakes nobody.
//! Nobody.wake();
//! ```

use domain::messaging::message::CampaignId;
use std::collections::HashSet;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::{
    audience::contact::Contact,
    content::approval::Approval,
    identity::organization::Organization,
    outreach::campaign::{
        Campaign, CampaignAction, CampaignProgress, CampaignStatus, Confirmation,
    },
    shared::{
        address::Address,
        category::Category,
        channel::Channel,
        id::Id,
        page::{Page, Paged},
    },
};

use crate::shared::{nobody::Nobody, store::StoreError};

/// Campaign with its confirmation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfirmedCampaign {
    /// The campaign, with the counts of its messages.
    pub progress: CampaignProgress,
    /// Its confirmation; `None` if it is not confirmed.
    pub confirmation: Option<Confirmation>,
}

/// Stores campaigns, as organizations see and change them.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait CampaignRepository: Send + Sync {
    /// Returns a page of the organization's campaigns, newest first, of `status` only if it is given.
    /// Each text is cut to its first
    /// [`LISTED_TEXT_READ`](domain::shared::listed_text::LISTED_TEXT_READ) characters.
    async fn page(
        &self,
        organization: Id<Organization>,
        status: Option<CampaignStatus>,
        page: Page,
    ) -> Result<Paged<CampaignProgress>, StoreError>;

    /// Finds a campaign.
    async fn find(
        &self,
        organization: Id<Organization>,
        id: CampaignId,
    ) -> Result<Option<CampaignProgress>, StoreError>;

    /// Finds campaigns with their confirmations. Messages are counted of those only that have passed
    /// their last contact, or were cancelled or failed; the others have empty counts.
    async fn find_confirmed(
        &self,
        campaigns: &[(Id<Organization>, CampaignId)],
    ) -> Result<Vec<ConfirmedCampaign>, StoreError>;

    /// Returns the confirmation of a campaign; `None` if it is not confirmed or does not exist.
    async fn confirmation(
        &self,
        organization: Id<Organization>,
        id: CampaignId,
    ) -> Result<Option<Confirmation>, StoreError>;

    /// Adds a campaign, unless the organization has too many unfinished ones, or lacks the segment or the
    /// template.
    async fn insert(&self, campaign: &Campaign) -> Result<Inserted, StoreError>;

    /// Writes an edited draft.
    async fn update(&self, edited: &Campaign) -> Result<Updated, StoreError>;

    /// Confirms a draft as it was read: stores the confirmation, applies the action and requests the
    /// approval in `begun`. `None` if it is no longer a draft of that version.
    async fn confirm(
        &self,
        draft: &Campaign,
        confirmation: &Confirmation,
        begun: (CampaignAction, Option<Approval>),
        now: DateTime<Utc>,
    ) -> Result<Option<Campaign>, StoreError>;

    /// Applies an action to a campaign, if its status allows it. Cancelling withdraws a pending approval.
    async fn act(
        &self,
        organization: Id<Organization>,
        id: CampaignId,
        action: CampaignAction,
        now: DateTime<Utc>,
    ) -> Result<Acted, StoreError>;

    /// Returns at most `limit` evenly spread identifiers of contacts, as starting points of a sample.
    async fn sample_points(
        &self,
        organization: Id<Organization>,
        limit: usize,
    ) -> Result<Vec<Id<Contact>>, StoreError>;

    /// Returns the recipients whose messages of that channel and category are suppressed.
    async fn suppressed(
        &self,
        organization: Id<Organization>,
        concerned: (Channel, Category),
        recipients: &[Address],
    ) -> Result<HashSet<Address>, StoreError>;

    /// Moves the start of a campaign that is scheduled.
    async fn reschedule(
        &self,
        organization: Id<Organization>,
        id: CampaignId,
        starts_at: DateTime<Utc>,
        now: DateTime<Utc>,
    ) -> Result<Acted, StoreError>;

    /// Deletes a draft.
    async fn delete(
        &self,
        organization: Id<Organization>,
        id: CampaignId,
    ) -> Result<Deleted, StoreError>;
}

/// Result of adding a campaign.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Inserted {
    /// Added.
    Done,
    /// The organization has the maximum number of unfinished campaigns.
    TooMany,
    /// The segment does not exist.
    SegmentMissing,
    /// The template is deleted.
    TemplateMissing,
}

/// Result of updating a draft.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Updated {
    /// Updated.
    Done,
    /// The campaign is no longer a draft of the previous version.
    Overtaken,
    /// The segment does not exist.
    SegmentMissing,
    /// The template is deleted.
    TemplateMissing,
}

/// Result of an action on a campaign.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Acted {
    /// Done; the campaign as it is now.
    Done(Campaign),
    /// The campaign does not exist.
    Missing,
    /// The campaign's status does not allow the action; the campaign as it is.
    Refused(Campaign),
}

/// Result of deleting a draft.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Deleted {
    /// Deleted.
    Done,
    /// The campaign does not exist.
    Missing,
    /// The campaign is no draft.
    Refused(CampaignStatus),
}

/// Wakes the campaign workers of this instance.
#[cfg_attr(feature = "mock", mockall::automock)]
pub trait CampaignWakeup: Send + Sync {
    /// Signals that there is work to do now.
    fn wake(&self);
}

/// Wakes no workers: they find the work at their next poll.
impl CampaignWakeup for Nobody {
    fn wake(&self) {}
}
