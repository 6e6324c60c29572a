//! The work on campaigns: from a campaign to its messages, and to its end.

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

/// How soon a campaign has its next turn that failed.
const RETRY: TimeDelta = TimeDelta::seconds(2);
/// How often it is looked whether a suspended organization may send again.
const SUSPENDED: TimeDelta = TimeDelta::seconds(10);
/// How often it is looked whether the last messages of a campaign were handed over: sooner for one
/// whose last message was just accepted.
const SOONEST_LOOK: TimeDelta = TimeDelta::milliseconds(500);
const LATEST_LOOK: TimeDelta = TimeDelta::seconds(30);

/// Works on campaigns. Any number of instances may do so at once.
#[derive(Clone)]
pub struct CampaignWork {
    queue: Arc<dyn CampaignQueue>,
    campaigns: Arc<dyn CampaignRepository>,
    audience: Arc<dyn AudienceRepository>,
    messages: Messages,
    links: Arc<dyn UnsubscribeLinks>,
    policies: Policies,
    clock: Arc<dyn Clock>,
}

/// What [`CampaignWork`] works with.
pub struct CampaignWorkDeps {
    /// What hands out campaigns.
    pub queue: Arc<dyn CampaignQueue>,
    /// Where campaigns are read.
    pub campaigns: Arc<dyn CampaignRepository>,
    /// Where their contacts are read.
    pub audience: Arc<dyn AudienceRepository>,
    /// What prices messages, and has them accepted.
    pub messages: Messages,
    /// What makes the links by which contacts unsubscribe.
    pub links: Arc<dyn UnsubscribeLinks>,
    /// What holds for the messages of organizations.
    pub policies: Policies,
    /// What the time is.
    pub clock: Arc<dyn Clock>,
}

impl CampaignWork {
    /// Works with these deps.
    pub fn new(deps: CampaignWorkDeps) -> Self {
        Self {
            queue: deps.queue,
            campaigns: deps.campaigns,
            audience: deps.audience,
            messages: deps.messages,
            links: deps.links,
            policies: deps.policies,
            clock: deps.clock,
        }
    }

    /// Gives a turn to the campaign that has waited longest; false if there is none.
    pub async fn work_once(&self) -> Result<bool, StoreError> {
        let Some(campaign) = self.queue.claim().await? else { return Ok(false) };
        let worked = AssertUnwindSafe(self.work_on(&campaign)).catch_unwind().await;
        let worked = worked.unwrap_or_else(|panic| Err(panics::failure(panic.as_ref())));
        if let Err(error) = worked {
            tracing::warn!(%error, campaign = %campaign.id, "failed to work on a campaign");
            self.queue.give_back(&campaign, Some(RETRY)).await?;
        }
        Ok(true)
    }

    /// Lets campaigns go on that the wallet can pay for again, and returns how many.
    pub async fn resume_paid(&self) -> Result<usize, StoreError> {
        let resumed = self.queue.resume_paid(self.clock.now()).await?;
        for campaign in &resumed {
            tracing::info!(%campaign, "resumed a campaign: the wallet can pay for it again");
        }
        Ok(resumed.len())
    }

    async fn work_on(&self, leased: &LeasedCampaign) -> Result<(), StoreError> {
        use CampaignStatus as S;

        let found = self.campaigns.find(leased.organization, leased.id).await?;
        let Some(progress) = found else { return self.queue.give_back(leased, None).await };
        let is_expanded = leased.expanded_at.is_some();
        if matches!(progress.campaign.status, S::Scheduled | S::Sending)
            && !is_expanded
            && self.policies.is_suspended(leased.organization).await?
        {
            return self.queue.give_back(leased, Some(SUSPENDED)).await;
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
            | S::Completed => self.queue.give_back(leased, None).await,
        }
    }

    /// Counts the audience, and begins with its first contacts.
    async fn start(&self, leased: &LeasedCampaign, campaign: &Campaign) -> Result<(), StoreError> {
        let at = self.clock.now();
        let contacts_until = self.queue.draw_line(leased, Id::floor(at)).await?;
        let expansion = self.expansion(leased, campaign, contacts_until).await?;
        let audience = match &expansion {
            Some(expansion) => self.count(leased, expansion).await?,
            None => None,
        };
        let start = CampaignStart { at, contacts_until, audience };
        if !self.queue.start(leased, &start).await? {
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

    /// How many contacts a campaign is for; nothing, if that takes too long.
    async fn count(
        &self,
        leased: &LeasedCampaign,
        expansion: &Expansion,
    ) -> Result<Option<u64>, StoreError> {
        let (audience, until) = (expansion.audience(), expansion.until);
        match self.audience.count_until(leased.organization, audience, until).await {
            Ok(contacts) => Ok(Some(contacts)),
            Err(EvaluationError::TooSlow) => Ok(None),
            Err(EvaluationError::Store(error)) => Err(error),
        }
    }

    /// Completes a campaign of which nothing waits any more.
    async fn try_to_complete(
        &self,
        leased: &LeasedCampaign,
        mut progress: CampaignProgress,
        expanded_at: DateTime<Utc>,
    ) -> Result<(), StoreError> {
        let now = self.clock.now();
        if progress.queued() == 0 {
            progress.campaign.status = CampaignStatus::Completed;
            progress.campaign.completed_at = Some(now);
            progress.campaign.updated_at = now;
            if self.queue.complete(leased, &progress, now).await? {
                tracing::info!(
                    campaign = %leased.id, organization = %leased.organization,
                    sent = progress.sent(), failed = progress.failed(), "completed a campaign"
                );
                return Ok(());
            }
        }
        self.queue.give_back(leased, Some(next_look(expanded_at, now))).await
    }

    /// Notes that nothing waits any more of a campaign that has ended before its time.
    async fn settle(
        &self,
        leased: &LeasedCampaign,
        progress: &CampaignProgress,
    ) -> Result<(), StoreError> {
        let now = self.clock.now();
        if progress.queued() == 0 && self.queue.settle(leased, now).await? {
            return Ok(());
        }
        let ended_at = progress.campaign.updated_at;
        self.queue.give_back(leased, Some(next_look(ended_at, now))).await
    }

    async fn fail(&self, leased: &LeasedCampaign) -> Result<(), StoreError> {
        if self.queue.fail(leased, self.clock.now()).await? {
            tracing::warn!(
                campaign = %leased.id, organization = %leased.organization,
                "gave up a campaign: its segment or its text is gone"
            );
        }
        Ok(())
    }
}

/// How long it is until somebody looks again whether messages still wait.
fn next_look(since: DateTime<Utc>, now: DateTime<Utc>) -> TimeDelta {
    ((now - since) / 10).clamp(SOONEST_LOOK, LATEST_LOOK)
}

#[cfg(test)]
mod tests;
