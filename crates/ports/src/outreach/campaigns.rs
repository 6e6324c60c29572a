//! Campaigns.

use std::collections::HashSet;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::{
    audience::contact::Contact,
    content::approval::Approval,
    identity::organization::Organization,
    outreach::campaign::{Campaign, CampaignAction, CampaignProgress, Confirmation},
    shared::{
        address::Address,
        category::Category,
        channel::Channel,
        id::Id,
        page::{Page, Paged},
    },
};

use crate::shared::store::StoreError;

/// Keeps campaigns, as organizations see and change them.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait CampaignRepository: Send + Sync {
    /// A page of the organization's campaigns, newest first. Of each text it has the first
    /// [`LISTED_TEXT_READ`](domain::shared::listed_text::LISTED_TEXT_READ) characters.
    async fn page(
        &self,
        organization: Id<Organization>,
        page: Page,
    ) -> Result<Paged<CampaignProgress>, StoreError>;

    /// Finds a campaign.
    async fn find(
        &self,
        organization: Id<Organization>,
        id: Id<Campaign>,
    ) -> Result<Option<CampaignProgress>, StoreError>;

    /// What was confirmed of a campaign; none if it was not, or there is no such campaign.
    async fn confirmation(
        &self,
        organization: Id<Organization>,
        id: Id<Campaign>,
    ) -> Result<Option<Confirmation>, StoreError>;

    /// Adds a campaign, unless the organization has too many that have not ended, or no such segment.
    async fn insert(&self, campaign: &Campaign) -> Result<Inserted, StoreError>;

    /// Writes an edited draft.
    async fn update(&self, edited: &Campaign) -> Result<Updated, StoreError>;

    /// Confirms a draft as it was read: notes what was confirmed, does what begins with it, and asks
    /// for the approval that it needs. None if it is no draft of that version any more.
    async fn confirm(
        &self,
        draft: &Campaign,
        confirmation: &Confirmation,
        begun: (CampaignAction, Option<Approval>),
        now: DateTime<Utc>,
    ) -> Result<Option<Campaign>, StoreError>;

    /// Does something to a campaign, if its status allows it. Whoever cancels it takes the approval
    /// back for which it waits.
    async fn act(
        &self,
        organization: Id<Organization>,
        id: Id<Campaign>,
        action: CampaignAction,
        now: DateTime<Utc>,
    ) -> Result<Acted, StoreError>;

    /// From where on contacts are looked at to learn something of all of them: some of their
    /// identifiers, spread evenly, `limit` at the most.
    async fn sample_points(
        &self,
        organization: Id<Organization>,
        limit: usize,
    ) -> Result<Vec<Id<Contact>>, StoreError>;

    /// Those of the recipients whose messages of that channel and category are suppressed.
    async fn suppressed(
        &self,
        organization: Id<Organization>,
        concerned: (Channel, Category),
        recipients: &[Address],
    ) -> Result<HashSet<Address>, StoreError>;
}

/// What became of a campaign that was to be added.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Inserted {
    /// It is there.
    Done,
    /// The organization has as many campaigns that have not ended as it may have.
    TooMany,
    /// There is no such segment.
    SegmentMissing,
}

/// What became of a draft that was to be changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Updated {
    /// It is changed.
    Done,
    /// It is no draft of the version before any more.
    Overtaken,
    /// There is no such segment.
    SegmentMissing,
}

/// What became of something that was to be done to a campaign.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Acted {
    /// It is done; the campaign is like this now.
    Done(Campaign),
    /// There is no such campaign.
    Missing,
    /// It cannot be done to a campaign like this.
    Refused(Campaign),
}

/// Tells the workers of this instance that a campaign may go on.
#[cfg_attr(feature = "mock", mockall::automock)]
pub trait CampaignWakeup: Send + Sync {
    /// There is something to do now.
    fn wake(&self);
}
