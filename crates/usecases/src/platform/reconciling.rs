//! Reconciliation after a restore of the database: messages that were on their way are asked about at
//! their providers, and none is sent that may have been sent.

use std::sync::Arc;

use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    messaging::{finding::Finding, job::Job},
    platform::reconciliation::{LostTime, Reconciliation},
};
use futures_util::{StreamExt, TryStreamExt, stream};
use ports::{
    messaging::scheduled_messages::ScheduledMessageRepository,
    platform::reconciliations::Reconciliations,
    shared::{clock::Clock, store::StoreError},
};
use thiserror::Error;

use crate::messaging::deliveries::{Deliveries, Inquiry};

/// Number of messages that are examined at the same time: few enough for their leases, which last longer
/// than a query.
const AT_ONCE: usize = 32;
/// Difference of the clocks of the database and of the instances that wrote to it.
const CLOCKS: TimeDelta = TimeDelta::minutes(1);

/// Operation on a restored database.
pub struct Reconciling {
    deps: ReconcilingDeps,
}

/// Dependencies of [`Reconciling`].
pub struct ReconcilingDeps {
    /// Reconciliations, and the messages that they examine.
    pub reconciliations: Arc<dyn Reconciliations>,
    /// Messages that waited for their time.
    pub scheduled: Arc<dyn ScheduledMessageRepository>,
    /// Inquiries at providers.
    pub deliveries: Deliveries,
    /// Source of the current time.
    pub clock: Arc<dyn Clock>,
}

/// Reason for which a database is not reconciled.
#[derive(Debug, Error)]
pub enum ReconcileError {
    /// The times are in the wrong order.
    #[error("the time of the restore must be before the end of the service, and both in the past")]
    WrongTimes,
    /// Instances use the database.
    #[error("{0} instances use the database: stop them first")]
    InUse(u64),
    /// The database has messages from after the time to which it was restored.
    #[error(
        "the database has a message of {newest}: it was not restored to {since}, or has been used since"
    )]
    NotRestored {
        /// Time at which its newest message was accepted.
        newest: DateTime<Utc>,
        /// Time to which it is said to be restored.
        since: DateTime<Utc>,
    },
    /// The store failed. The same command goes on from there.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Reconciling {
    /// Creates the operation from its dependencies.
    pub fn new(deps: ReconcilingDeps) -> Self {
        Self { deps }
    }

    /// Reconciles a database that was restored to `since` and had been written to until `until`, or until
    /// now. One that was interrupted goes on, and one that has ended changes nothing.
    pub async fn reconcile(
        &self,
        since: DateTime<Utc>,
        until: Option<DateTime<Utc>>,
    ) -> Result<Reconciliation, ReconcileError> {
        let known = self.deps.reconciliations.find(since).await?;
        if let Some(ended) = known.as_ref().filter(|known| known.finished_at.is_some()) {
            return Ok(ended.clone());
        }
        let running = self.deps.reconciliations.running_instances(since).await?;
        if running > 0 {
            return Err(ReconcileError::InUse(running));
        }
        let mut reconciliation = match known {
            Some(known) => known,
            None => self.begin(since, until).await?,
        };
        while self.deps.scheduled.release_due().await? > 0 {}
        while self.advance(&mut reconciliation).await? {}
        reconciliation.finished_at = Some(self.deps.clock.now());
        self.deps.reconciliations.save(&reconciliation).await?;
        Ok(reconciliation)
    }

    async fn begin(
        &self,
        since: DateTime<Utc>,
        until: Option<DateTime<Utc>>,
    ) -> Result<Reconciliation, ReconcileError> {
        let now = self.deps.clock.now();
        let until = until.unwrap_or(now);
        if since >= until || until > now {
            return Err(ReconcileError::WrongTimes);
        }
        let newest = self.deps.reconciliations.newest_message().await?;
        if let Some(newest) = newest.filter(|newest| *newest > since + CLOCKS) {
            return Err(ReconcileError::NotRestored { newest, since });
        }
        let mut reconciliation = Reconciliation::begin(LostTime { since, until });
        let stopped = self.deps.reconciliations.stop_senders(reconciliation.lost).await?;
        reconciliation.findings.stopped = stopped;
        self.deps.reconciliations.save(&reconciliation).await?;
        Ok(reconciliation)
    }

    /// Examines some messages. Returns false if none was left.
    async fn advance(&self, reconciliation: &mut Reconciliation) -> Result<bool, StoreError> {
        let (lost, position) = (reconciliation.lost, reconciliation.position);
        let taken = self.deps.reconciliations.take(lost, position, AT_ONCE).await?;
        if taken.last.is_none() {
            return Ok(false);
        }
        for finding in self.examine(taken.jobs, lost).await? {
            reconciliation.findings.count(finding);
        }
        reconciliation.position = taken.last;
        self.deps.reconciliations.save(reconciliation).await?;
        Ok(true)
    }

    /// Asks about messages, and records the answers. The validity of those without an answer ends first: if
    /// this process ends in between, they fail instead of being sent again.
    async fn examine(&self, jobs: Vec<Job>, lost: LostTime) -> Result<Vec<Finding>, StoreError> {
        let deliveries = &self.deps.deliveries;
        let asking = stream::iter(jobs).map(|job| deliveries.inquire(job));
        let inquiries: Vec<Inquiry> = asking.buffer_unordered(AT_ONCE).collect().await;
        let unanswered = inquiries.iter().filter(|inquiry| inquiry.is_without_answer());
        let unanswered: Vec<_> = unanswered.map(Inquiry::message).collect();
        if !unanswered.is_empty() {
            let now = self.deps.clock.now();
            self.deps.reconciliations.end_validity(&unanswered, now).await?;
        }
        let settling = stream::iter(inquiries).map(|it| deliveries.settle(it, lost.since));
        settling.buffer_unordered(AT_ONCE).try_collect().await
    }
}

#[cfg(test)]
mod tests;
