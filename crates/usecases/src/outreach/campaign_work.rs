//! Work on campaigns, from their start to their completion.

mod batch;
mod expansion;
mod room;

use std::{collections::HashMap, panic::AssertUnwindSafe, slice, sync::Arc};

use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    messaging::message::CampaignId,
    outreach::campaign::{Campaign, CampaignProgress, CampaignStatus, Confirmation},
    shared::id::Id,
};
use futures_util::{FutureExt, future::join_all};
use ports::{
    audience::{
        segments::{AudienceRepository, EvaluationError},
        unsubscribes::UnsubscribeLinks,
    },
    outreach::{
        campaign_queue::{CampaignQueue, CampaignStart, LeasedCampaign},
        campaigns::{CampaignRepository, ConfirmedCampaign},
    },
    shared::{clock::Clock, store::StoreError},
};

use self::{
    expansion::{Expansion, Prepared},
    room::Room,
};
use crate::{identity::policies::Policies, messaging::messages::Messages, shared::panics};

/// Maximum number of campaigns of a worker that have their turns at once.
const AT_ONCE: u32 = 8;
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

    /// Gives a turn to the campaigns that have waited longest, all at once. Returns false if there is
    /// none.
    pub async fn work_once(&self) -> Result<bool, StoreError> {
        let claimed = self.deps.queue.claim(AT_ONCE).await?;
        if claimed.is_empty() {
            return Ok(false);
        }
        let mut found = self.find(&claimed).await;
        let room = Room::shared_by(claimed.len());
        let turns: Vec<_> = claimed
            .iter()
            .map(|leased| self.take_turn(leased, found.remove(&leased.id), room))
            .collect();
        for ended in join_all(turns).await {
            ended?;
        }
        Ok(true)
    }

    /// Finds leased campaigns together. If that fails or panics, as it does for all if one cannot be
    /// read, each is found in its own turn.
    async fn find(&self, leased: &[LeasedCampaign]) -> HashMap<CampaignId, ConfirmedCampaign> {
        let keys: Vec<_> = leased.iter().map(|leased| (leased.organization, leased.id)).collect();
        let find = async { self.deps.campaigns.find_confirmed(&keys).await };
        let found = match AssertUnwindSafe(find).catch_unwind().await {
            Ok(Ok(found)) => found,
            Ok(Err(_)) | Err(_) => Vec::new(),
        };
        found.into_iter().map(|found| (found.progress.campaign.id, found)).collect()
    }

    async fn take_turn(
        &self,
        leased: &LeasedCampaign,
        found: Option<ConfirmedCampaign>,
        room: Room,
    ) -> Result<(), StoreError> {
        let worked = AssertUnwindSafe(self.work_on(leased, found, room)).catch_unwind().await;
        let worked = worked.unwrap_or_else(|panic| Err(panics::failure(panic.as_ref())));
        if let Err(error) = worked {
            tracing::warn!(%error, campaign = %leased.id, "failed to work on a campaign");
            self.deps.queue.give_back(leased, Some(RETRY)).await?;
        }
        Ok(())
    }

    /// Resumes campaigns that the wallet can pay for again. Returns their number.
    pub async fn resume_paid(&self) -> Result<usize, StoreError> {
        let resumed = self.deps.queue.resume_paid(self.deps.clock.now()).await?;
        for campaign in &resumed {
            tracing::info!(%campaign, "resumed a campaign: the wallet can pay for it again");
        }
        Ok(resumed.len())
    }

    async fn work_on(
        &self,
        leased: &LeasedCampaign,
        found: Option<ConfirmedCampaign>,
        room: Room,
    ) -> Result<(), StoreError> {
        use CampaignStatus as S;

        let found = match found {
            Some(found) => Some(found),
            None => self.find_alone(leased).await?,
        };
        let Some(ConfirmedCampaign { progress, confirmation }) = found else {
            return self.deps.queue.give_back(leased, None).await;
        };
        let is_expanded = leased.expanded_at.is_some();
        if matches!(progress.campaign.status, S::Scheduled | S::Sending)
            && !is_expanded
            && !self.deps.policies.may_send(leased.organization).await?
        {
            return self.deps.queue.give_back(leased, Some(SUSPENDED)).await;
        }
        match progress.campaign.status {
            S::Scheduled | S::Sending if leased.contacts_until.is_none() => {
                self.start(leased, (&progress.campaign, confirmation), room).await
            }
            S::Sending => match leased.expanded_at {
                None => self.expand(leased, (&progress.campaign, confirmation), room).await,
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

    async fn find_alone(
        &self,
        leased: &LeasedCampaign,
    ) -> Result<Option<ConfirmedCampaign>, StoreError> {
        let key = (leased.organization, leased.id);
        Ok(self.deps.campaigns.find_confirmed(slice::from_ref(&key)).await?.pop())
    }

    /// Counts the audience, and begins with its first contacts.
    async fn start(
        &self,
        leased: &LeasedCampaign,
        confirmed: Confirmed<'_>,
        room: Room,
    ) -> Result<(), StoreError> {
        let at = self.deps.clock.now();
        let contacts_until = self.deps.queue.set_cutoff(leased, Id::floor(at)).await?;
        let expansion = self.expansion(leased, confirmed, (contacts_until, room)).await?;
        let (first, audience) = match &expansion {
            Some(expansion) => self.first_batch(leased, expansion).await?,
            None => (None, None),
        };
        let start = CampaignStart { at, contacts_until, audience };
        if !self.deps.queue.start(leased, &start).await? {
            return Ok(());
        }
        tracing::info!(
            campaign = %leased.id, organization = %leased.organization, audience, "started a campaign"
        );
        let Some(expansion) = expansion else { return self.fail(leased).await };
        let first = match first {
            Some(first) => first,
            None => self.prepare(leased, &expansion, leased.position).await?,
        };
        self.expand_with(leased, &expansion, first).await
    }

    /// Returns the first batch of a campaign if it has all contacts, as most often, and their number. If
    /// it has not, they are counted, and the batch is prepared afterwards: counting may take half a
    /// minute, in which contacts change and are erased. If it takes longer, the number is `None`.
    async fn first_batch(
        &self,
        leased: &LeasedCampaign,
        expansion: &Expansion,
    ) -> Result<(Option<Prepared>, Option<u64>), StoreError> {
        let first = self.prepare(leased, expansion, leased.position).await?;
        if let Some(contacts) = first.audience() {
            return Ok((Some(first), Some(contacts)));
        }
        drop(first);
        let (audience, until) = (expansion.audience(), expansion.until);
        match self.deps.audience.count_until(leased.organization, audience, until).await {
            Ok(contacts) => Ok((None, Some(contacts))),
            Err(EvaluationError::TooSlow) => Ok((None, None)),
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

/// Campaign, and its confirmation if it has one.
type Confirmed<'c> = (&'c Campaign, Option<Confirmation>);

/// Delay until the next check whether messages still wait.
fn next_look(since: DateTime<Utc>, now: DateTime<Utc>) -> TimeDelta {
    ((now - since) / 10).clamp(SOONEST_LOOK, LATEST_LOOK)
}

#[cfg(test)]
mod tests;
