//! Writer of steps that never gives up: it retries until the store is available again, and writes
//! them one by one when they fail together.

use std::{
    collections::{BTreeMap, HashSet},
    sync::Arc,
    time::Duration,
};

use domain::messaging::job::Step;
use ports::{
    messaging::messages::Recorded,
    shared::{clock::Clock, store::StoreError},
    webhooks::webhook_queue::FreshDeliveries,
};

use super::{StepResult, batch::Batch, kept::KeptLeases};
use crate::{
    messaging::message_counters::MessageCounters,
    shared::{database::session::PgStore, error::is_lock_timeout, query::batching::Entry},
};

const FIRST_PAUSE: Duration = Duration::from_millis(50);
const LONGEST_PAUSE: Duration = Duration::from_secs(2);

/// Step whose maker waits until it is written.
pub(super) type PendingStep = Entry<Step, StepResult>;

#[derive(Clone)]
pub(super) struct StepWriter {
    pub(super) store: PgStore,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) shard: i16,
    pub(super) message_counters: MessageCounters,
    pub(super) kept: KeptLeases,
    pub(super) fresh: Option<Arc<dyn FreshDeliveries>>,
}

impl StepWriter {
    /// Writes a batch and answers it. When it fails, each step is written on its own, so that a bad
    /// one fails alone. Returns those that met a lock, unanswered.
    pub(super) async fn write_with_fallback(&self, batch: Vec<PendingStep>) -> Vec<PendingStep> {
        if batch.is_empty() {
            return batch;
        }
        let steps: Vec<&Step> = batch.iter().map(|pending| &pending.item).collect();
        match self.write_with_retry(&steps).await {
            Ok(recorded) => {
                for (pending, recorded) in batch.into_iter().zip(recorded) {
                    pending.answer(Ok(recorded));
                }
                return Vec::new();
            }
            Err(error) if is_lock_timeout(&error) => {
                tracing::warn!(%error, steps = batch.len(), "failed to write steps: they met a lock");
                return batch;
            }
            Err(error) => {
                tracing::error!(
                    %error, steps = batch.len(), "failed to write steps together; writing each on its own"
                );
            }
        }
        let mut locked = Vec::new();
        for pending in batch {
            match self.write_with_retry(&[&pending.item]).await {
                Ok(recorded) => {
                    pending.answer(Ok(recorded.first().copied().unwrap_or(Recorded::Stale)));
                }
                Err(error) if is_lock_timeout(&error) => locked.push(pending),
                Err(error) => pending.answer(Err(error)),
            }
        }
        locked
    }

    /// Writes steps. While the store is unavailable it retries indefinitely, for a lost step would
    /// send its message twice. A lock is not waited for.
    async fn write_with_retry(&self, steps: &[&Step]) -> Result<Vec<Recorded>, StoreError> {
        let mut pause = FIRST_PAUSE;
        loop {
            let batch = Batch {
                now: self.clock.now(),
                shard: self.shard,
                message_counters: &self.message_counters,
                kept: &self.kept,
                fresh: self.fresh.as_deref(),
                steps,
            };
            match batch.write(&self.store).await {
                Err(error) if is_lock_timeout(&error) => return Err(error),
                Err(StoreError::Unavailable(error)) => {
                    tracing::warn!(
                        %error, steps = steps.len(), "failed to write steps: the store is away; trying again"
                    );
                    tokio::time::sleep(pause).await;
                    pause = LONGEST_PAUSE.min(pause * 2);
                }
                result => return result,
            }
        }
    }
}

/// Separates steps from those that have to wait for the next batch, because an earlier one of the
/// same message is in this one. All instances write in the order of the messages, so that none
/// deadlocks with another.
pub(super) fn one_step_each(steps: Vec<PendingStep>) -> (Vec<PendingStep>, Vec<PendingStep>) {
    let mut seen = HashSet::with_capacity(steps.len());
    let (mut batch, later): (Vec<_>, Vec<_>) =
        steps.into_iter().partition(|pending| seen.insert(pending.item.message().id));
    batch.sort_unstable_by_key(|pending| pending.item.message().id);
    (batch, later)
}

/// Divides steps into those of each organization, in the order of the organizations.
pub(super) fn by_organization(steps: Vec<PendingStep>) -> Vec<Vec<PendingStep>> {
    let mut by_organization = BTreeMap::<_, Vec<_>>::new();
    for step in steps {
        by_organization.entry(step.item.message().organization).or_default().push(step);
    }
    by_organization.into_values().collect()
}
