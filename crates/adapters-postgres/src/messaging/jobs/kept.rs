//! Leases that are kept after a provider took the message.
//!
//! Most reports come soon, and remove the job. Under load it keeps the lease under which its message
//! was handed over, so it is not written in between. The jobs of messages whose reports do not come
//! within seconds are put off then. If the process ends before, the leases are released like all of
//! its leases, and the provider is queried sooner.

use std::{
    collections::{BTreeSet, HashMap},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use chrono::{DateTime, Utc};
use domain::{
    messaging::{
        job::{JobConcluded, Step},
        message::Message,
        priority::ProviderQueue,
    },
    shared::id::Id,
};
use ports::shared::store::StoreError;
use tokio::time::Instant;
use uuid::Uuid;

use super::{BATCH, handed_over};
use crate::shared::{
    database::session::PgStore,
    error::is_lock_timeout,
    query::{columns::column, sql::sql},
};

/// Minimum number of messages handed over in a batch whose jobs keep their leases. The job of a
/// lone message is put off at once: that costs little then.
const LEAST: usize = 8;
/// Maximum number of jobs that keep their leases.
const MOST: usize = 1 << 15;
/// Longest time for which a job keeps its lease, unless its report comes.
const LONGEST: Duration = Duration::from_secs(10);
/// Shortest time until a query for which a lease is kept.
const SHORTEST_WAIT: Duration = Duration::from_secs(2);
/// Age of a message up to which the lease certainly outlasts [`LONGEST`]: it was given at acceptance
/// or later, for 120 s.
const YOUNG: Duration = Duration::from_secs(60);
/// Pause after a failure to put jobs off.
const PAUSE: Duration = Duration::from_secs(1);

/// Jobs whose leases are kept. Clones share them.
#[derive(Clone)]
pub(super) struct KeptLeases {
    entries: Arc<Mutex<Entries>>,
    /// Number of them up to which more are added.
    most: usize,
}

#[derive(Default)]
struct Entries {
    jobs: HashMap<Id<Message>, Kept>,
    /// Times at which the jobs are put off, the earliest first.
    order: BTreeSet<(Instant, Id<Message>)>,
}

/// Job whose lease is kept.
#[derive(Debug, Clone, Copy)]
struct Kept {
    message: Id<Message>,
    organization: Uuid,
    lease: Uuid,
    rounds: i16,
    /// Time at which the provider is to be queried.
    due_at: Instant,
    put_off_at: Instant,
    /// Time after which the lease may have ended.
    ends_at: Instant,
}

/// Steps of a batch: those whose jobs keep their leases, and those whose jobs are written.
#[derive(Default)]
pub(super) struct Division<'s> {
    kept: Vec<Kept>,
    pub(super) written: Vec<&'s Step>,
}

impl Default for KeptLeases {
    fn default() -> Self {
        Self { entries: Arc::default(), most: MOST }
    }
}

impl KeptLeases {
    /// Returns the same jobs, to which none are added: for a writer beside the one that puts jobs off,
    /// which would not learn of a job while it waits for steps.
    #[must_use]
    pub(super) fn without_more(&self) -> Self {
        Self { entries: Arc::clone(&self.entries), most: 0 }
    }

    /// Divides the steps of a batch.
    pub(super) fn divide<'s>(&self, steps: &[&'s Step], now: DateTime<Utc>) -> Division<'s> {
        let at = Instant::now();
        let mut division = Division::default();
        for &step in steps {
            match keepable(step, now, at) {
                Some(kept) => division.kept.push(kept),
                None => division.written.push(step),
            }
        }
        let count = division.kept.len();
        if count < LEAST || self.entries().jobs.len() + count > self.most {
            return Division { kept: Vec::new(), written: steps.to_vec() };
        }
        division
    }

    /// Notes a division once it is written.
    pub(super) fn note(&self, division: &Division<'_>) {
        let mut entries = self.entries();
        for step in &division.written {
            entries.remove(step.message().id);
        }
        for kept in &division.kept {
            entries.add(*kept);
        }
    }

    /// Returns the time at which the next job is to be put off, if there is one.
    pub(super) fn next_at(&self) -> Option<Instant> {
        self.entries().order.first().map(|(at, _)| *at)
    }

    /// Puts off the jobs whose reports have not come in time.
    pub(super) async fn put_off_late(&self, store: &PgStore) {
        self.put_off_until(store, Instant::now()).await;
    }

    /// Puts off all jobs, before the process ends.
    pub(super) async fn put_off_all(&self, store: &PgStore) {
        self.put_off_until(store, Instant::now() + LONGEST).await;
    }

    async fn put_off_until(&self, store: &PgStore, until: Instant) {
        loop {
            let mut late = self.entries().take(until, BATCH);
            if late.is_empty() {
                return;
            }
            if let Err(error) = put_off(store, &late).await {
                if !is_lock_timeout(&error) {
                    // The others would fail as well, one batch after the other.
                    late.extend(self.entries().take(until, usize::MAX));
                }
                tracing::warn!(%error, jobs = late.len(), "failed to put jobs off");
                self.try_later(late);
                return;
            }
        }
    }

    /// Adds jobs again that could not be put off, as long as their leases certainly hold.
    fn try_later(&self, late: Vec<Kept>) {
        let now = Instant::now();
        let mut entries = self.entries();
        for kept in late {
            if now < kept.ends_at && !entries.jobs.contains_key(&kept.message) {
                entries.add(Kept { put_off_at: now + PAUSE, ..kept });
            }
        }
    }

    fn entries(&self) -> MutexGuard<'_, Entries> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Entries {
    fn add(&mut self, kept: Kept) {
        self.remove(kept.message);
        self.order.insert((kept.put_off_at, kept.message));
        self.jobs.insert(kept.message, kept);
    }

    fn remove(&mut self, message: Id<Message>) {
        if let Some(kept) = self.jobs.remove(&message) {
            self.order.remove(&(kept.put_off_at, message));
        }
    }

    /// Removes and returns jobs that are to be put off by then, at most that many, in the order of their
    /// messages.
    fn take(&mut self, until: Instant, most: usize) -> Vec<Kept> {
        let mut taken = Vec::new();
        while taken.len() < most
            && let Some((at, message)) = self.order.first().copied()
            && at <= until
        {
            self.order.remove(&(at, message));
            taken.extend(self.jobs.remove(&message));
        }
        taken.sort_unstable_by_key(|kept| kept.message);
        taken
    }
}

/// Returns the job of a step if its lease may be kept.
fn keepable(step: &Step, now: DateTime<Utc>, at: Instant) -> Option<Kept> {
    let Step::JobConcluded(concluded) = step else { return None };
    if !handed_over::is_plain(concluded) {
        return None;
    }
    let JobConcluded { message, lease, rounds, due_in, .. } = concluded;
    let wait = due_in.as_ref()?.to_std().ok()?;
    // The age is unknown if the clock was set back.
    let age = (now - message.created_at).to_std().ok()?;
    if wait < SHORTEST_WAIT || age > YOUNG {
        return None;
    }
    Some(Kept {
        message: message.id,
        organization: message.organization.uuid(),
        lease: lease.0,
        rounds: i16::from(*rounds),
        due_at: at.checked_add(wait)?,
        put_off_at: at + LONGEST.min(wait / 2),
        ends_at: at + YOUNG,
    })
}

/// Puts jobs off until the provider is to be queried. A job that ended meanwhile, or that somebody
/// else has, stays as it is.
async fn put_off(store: &PgStore, late: &[Kept]) -> Result<(), StoreError> {
    let session = store.session().await?;
    let now = Instant::now();
    let put_off = sql!(
        PUT_OFF,
        waits = column(late, |kept| millis(kept.due_at.saturating_duration_since(now))),
        rounds = column(late, |kept| kept.rounds),
        free = ProviderQueue::FREE.0,
        organizations = column(late, |kept| kept.organization),
        ids = column(late, |kept| kept.message.uuid()),
        leases = column(late, |kept| kept.lease),
    );
    put_off.execute(session.pipeline()).await?;
    Ok(())
}

fn millis(wait: Duration) -> i64 {
    i64::try_from(wait.as_millis()).unwrap_or(i64::MAX)
}

const PUT_OFF: &str = "\
    UPDATE delivery_jobs job SET lease = NULL, rounds = late.rounds, is_follow_up = true, \
        line = {free}::integer, is_ready = late.millis <= 0, held_by = NULL, \
        due_at = now() + make_interval(secs => late.millis / 1000.0) \
    FROM UNNEST({waits}::bigint[], {rounds}::smallint[], {organizations}::uuid[], {ids}::uuid[], \
            {leases}::uuid[]) AS late (millis, rounds, organization_id, id, lease) \
    WHERE job.organization_id = ANY(ARRAY[late.organization_id]) AND job.id = late.id \
        AND job.lease = late.lease";

#[cfg(test)]
mod tests {
    use super::*;

    fn late(number: u128, at: Instant) -> Kept {
        Kept {
            message: Id::from(Uuid::from_u128(number)),
            organization: Uuid::nil(),
            lease: Uuid::nil(),
            rounds: 1,
            due_at: at,
            put_off_at: at,
            ends_at: at + YOUNG,
        }
    }

    #[tokio::test]
    async fn jobs_that_cannot_be_put_off_are_tried_again_together_after_a_pause() {
        let nowhere = PgStore::connect("postgres://postgres@127.0.0.1:1/postgres", 1).unwrap();
        let kept = KeptLeases::default();
        let began = Instant::now();
        for number in (0..).take(BATCH + 1) {
            kept.entries().add(late(number, began));
        }

        kept.put_off_late(&nowhere).await;

        assert!(kept.next_at().is_some_and(|at| at >= began + PAUSE));
        assert_eq!(kept.entries().jobs.len(), BATCH + 1);
    }
}
