//! Work on campaigns, from their start to their completion.

mod batch;
mod expansion;

use std::{panic::AssertUnwindSafe, sync::Arc};

use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    outreach::campaign::{Campaign, CampaignProgress, CampaignStatus},
    shared::id::Id,
};
use futures_util::FutureExt;
use ports::{
    audience::{
        segments::{AudienceRepository, EvaluationError},
        unsubscribes::UnsubscribeLinks,
    },
    outreach::{
        campaign_queue::{CampaignQueue, CampaignStart, LeasedCampaign},
        campaigns::CampaignRepository,
    },
    shared::{clock::Clock, store::StoreError},
};

use self::expansion::Expansion;
use crate::{identity::policies::Policies, messaging::messages::Messages, shared::panics};

/// Delay until the next turn of a campaign whose turn failed.
const RETRY: TimeDelta = TimeDelta::seconds(2);
/// Interval of checks whether a suspended organization may send again.
const SUSPENDED: TimeDelta = TimeDelta::seconds(10);
/// Interval of checks whether the last messages of a campaign were handed over: shorter if its last
/// message was just accepted.
const SOONEST_LOOK: TimeDelta = TimeDelta::milliseconds(500);
const LATEST_LOOK: TimeDelta = TimeDelta::seconds(30);

/// Work on campaigns. Any number of instances may perform it at once.
#[derive(Clone)]
pub struct CampaignWork {
    deps: Arc<CampaignWorkDeps>,
}

/// Dependencies of [`CampaignWork`].
pub struct CampaignWorkDeps {
    /// Queue of campaigns.
    pub queue: Arc<dyn CampaignQueue>,
    /// Store of campaigns.
    pub campaigns: Arc<dyn CampaignRepository>,
    /// Source of their contacts.
    pub audience: Arc<dyn AudienceRepository>,
    /// Operations on messages, for prices and acceptance.
    pub messages: Messages,
    /// Source of unsubscribe links.
    pub links: Arc<dyn UnsubscribeLinks>,
    /// Policies of organizations.
    pub policies: Policies,
    /// Source of the current time.
    pub clock: Arc<dyn Clock>,
}

impl CampaignWork {
    /// Creates the work from its dependencies.
    pub fn new(deps: CampaignWorkDeps) -> Self {
        Self { deps: Arc::new(deps) }
    }

    /// Gives a turn to the campaign that has waited longest. Returns false if there is none.
    pub async fn work_once(&self) -> Result<bool, StoreError> {
        let Some(campaign) = self.deps.queue.claim().await? else { return Ok(false) };
        let worked = AssertUnwindSafe(self.work_on(&campaign)).catch_unwind().await;
        let worked = worked.unwrap_or_else(|panic| Err(panics::failure(panic.as_ref())));
        if let Err(error) = worked {
            tracing::warn!(%error, campaign = %campaign.id, "failed to work on a campaign");
            self.deps.queue.give_back(&campaign, Some(RETRY)).await?;
        }
        Ok(true)
    }

    /// Resumes campaigns that the wallet can pay for again. Returns their number.
    pub async fn resume_paid(&self) -> Result<usize, StoreError> {
        let resumed = self.deps.queue.resume_paid(self.deps.clock.now()).await?;
        for campaign in &resumed {
            tracing::info!(%campaign, "resumed a campaign: the wallet can pay for it again");
        }
        Ok(resumed.len())
    }

    async fn work_on(&self, leased: &LeasedCampaign) -> Result<(), StoreError> {
        use CampaignStatus as S;

        let found = self.deps.campaigns.find(leased.organization, leased.id).await?;
        let Some(progress) = found else { return self.deps.queue.give_back(leased, None).await };
        let is_expanded = leased.expanded_at.is_some();
        if matches!(progress.campaign.status, S::Scheduled | S::Sending)
            && !is_expanded
            && !self.deps.policies.may_send(leased.organization).await?
        {
            return self.deps.queue.give_back(leased, Some(SUSPENDED)).await;
        }
        match progress.campaign.status {
            S::Scheduled | S::Sending if leased.contacts_until.is_none() => {
                self.start(leased, &progress.campaign).await
            }
            S::Sending => match leased.expanded_at {
                None => self.expand(leased, &progress.campaign).await,
                Some(expanded_at) => self.try_to_complete(leased, progress, expanded_at).await,
            },
            S::Cancelled | S::Failed => self.settle(leased, &progress).await,
            S::Scheduled
            | S::Draft
            | S::PendingApproval
            | S::Rejected
            | S::Paused
            | S::Completed => self.deps.queue.give_back(leased, None).await,
        }
    }

    /// Counts the audience, and begins with its first contacts.
    async fn start(&self, leased: &LeasedCampaign, campaign: &Campaign) -> Result<(), StoreError> {
        let at = self.deps.clock.now();
        let contacts_until = self.deps.queue.set_cutoff(leased, Id::floor(at)).await?;
        let expansion = self.expansion(leased, campaign, contacts_until).await?;
        let audience = match &expansion {
            Some(expansion) => self.count(leased, expansion).await?,
            None => None,
        };
        let start = CampaignStart { at, contacts_until, audience };
        if !self.deps.queue.start(leased, &start).await? {
            return Ok(());
        }
        tracing::info!(
            campaign = %leased.id, organization = %leased.organization, audience, "started a campaign"
        );
        match expansion {
            Some(expansion) => self.expand_with(leased, &expansion).await,
            None => self.fail(leased).await,
        }
    }

    /// Returns the number of contacts of a campaign; `None` if counting takes too long.
    async fn count(
        &self,
        leased: &LeasedCampaign,
        expansion: &Expansion,
    ) -> Result<Option<u64>, StoreError> {
        let (audience, until) = (expansion.audience(), expansion.until);
        match self.deps.audience.count_until(leased.organization, audience, until).await {
            Ok(contacts) => Ok(Some(contacts)),
            Err(EvaluationError::TooSlow) => Ok(None),
            Err(EvaluationError::Store(error)) => Err(error),
        }
    }

    /// Completes a campaign without waiting messages.
    async fn try_to_complete(
        &self,
        leased: &LeasedCampaign,
        mut progress: CampaignProgress,
        expanded_at: DateTime<Utc>,
    ) -> Result<(), StoreError> {
        let now = self.deps.clock.now();
        if progress.queued() == 0 {
            progress.campaign.status = CampaignStatus::Completed;
            // Contacts that were deleted, or left the segment, since the start were not passed.
            progress.campaign.audience = Some(progress.passed());
            progress.campaign.completed_at = Some(now);
            progress.campaign.updated_at = now;
            if self.deps.queue.complete(leased, &progress, now).await? {
                tracing::info!(
                    campaign = %leased.id, organization = %leased.organization,
                    sent = progress.sent(), skipped = progress.skipped(), failed = progress.failed(),
                    "completed a campaign"
                );
                return Ok(());
            }
        }
        self.deps.queue.give_back(leased, Some(next_look(expanded_at, now))).await
    }

    /// Settles a campaign without waiting messages that has ended before its time.
    async fn settle(
        &self,
        leased: &LeasedCampaign,
        progress: &CampaignProgress,
    ) -> Result<(), StoreError> {
        let now = self.deps.clock.now();
        if progress.queued() == 0 && self.deps.queue.settle(leased, now).await? {
            return Ok(());
        }
        let ended_at = progress.campaign.updated_at;
        self.deps.queue.give_back(leased, Some(next_look(ended_at, now))).await
    }

    async fn fail(&self, leased: &LeasedCampaign) -> Result<(), StoreError> {
        if self.deps.queue.fail(leased, self.deps.clock.now()).await? {
            tracing::warn!(
                campaign = %leased.id, organization = %leased.organization,
                "gave up a campaign: its segment or its text is gone"
            );
        }
        Ok(())
    }
}

/// Delay until the next check whether messages still wait.
fn next_look(since: DateTime<Utc>, now: DateTime<Utc>) -> TimeDelta {
    ((now - since) / 10).clamp(SOONEST_LOOK, LATEST_LOOK)
}

#[cfg(test)]
mod tests;
