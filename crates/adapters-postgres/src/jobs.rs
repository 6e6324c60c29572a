//! Jobs: claimed in batches, and their steps written down in batches.

use std::{
    collections::{BTreeMap, HashSet},
    sync::Arc,
    time::Duration,
};

use async_trait::async_trait;
use diesel::sql_types::{Array, Bool, Integer, Uuid as SqlUuid};
use diesel_async::RunQueryDsl;
use domain::{
    id::Id,
    job::{Job, Lease, Step},
    message::Message,
};
use ports::{
    clock::Clock,
    messages::{ClaimLimits, Jobs, Recorded},
    store::StoreError,
};

use self::{
    aside::Aside,
    batch::Batch,
    lost::{LostBy, LostLeases},
};
use crate::{
    batching::{self, Entrance, Entry, Gathering},
    delivery_logs,
    error::{clone_error, is_lock_timeout, store_error},
    instance::PgInstance,
    message_counters::MessageCounters,
    session::PgStore,
    statement::Statement,
    task::{self, Task},
};

mod aside;
mod batch;
mod claim;
mod lost;
mod update;

/// How long a lease lasts, in seconds: longer than handing a message over and writing that down.
pub(crate) const LEASE_SECONDS: i64 = 120;
/// How many steps may wait for the writer before those who made them wait too.
const WAITING: usize = 4_096;
/// How many steps are written together at the most.
const BATCH: usize = 500;
const FIRST_PAUSE: Duration = Duration::from_millis(50);
const LONGEST_PAUSE: Duration = Duration::from_secs(2);

type Reply = Result<Recorded, StoreError>;
type Found = Result<Option<Message>, StoreError>;
type Waiting = Entry<Step, Reply>;
type Entries = Vec<Waiting>;

/// [`Jobs`] on `PostgreSQL`.
pub struct PgJobs {
    store: PgStore,
    instance: PgInstance,
    entrance: Entrance<Step, Reply>,
    questions: Entrance<Id<Message>, Found>,
    lost: LostLeases,
}

impl PgJobs {
    /// The jobs, and the tasks that have to run for them. `shard` is the shard of the providers'
    /// minutes that their writer has for itself.
    pub fn new(
        store: PgStore,
        clock: Arc<dyn Clock>,
        instance: PgInstance,
        shard: i16,
    ) -> (Self, Vec<Task>) {
        let (entrance, gathering) = batching::channel(WAITING, BATCH);
        let message_counters = MessageCounters::new();
        let writer = Writer { store: store.clone(), clock, shard, message_counters };
        let (aside, keeper) = Aside::new(writer.clone());
        let (questions, asked) = batching::channel(WAITING, BATCH);
        let tasks = vec![
            Task::new("step writer", writer.run(gathering, aside)),
            keeper,
            Task::new("message finder", answer(store.clone(), asked)),
        ];
        let lost = LostLeases::default();
        (Self { store, instance, entrance, questions, lost }, tasks)
    }

    /// The jobs with their tasks on the current runtime, where nobody notices if one ends.
    pub fn start(store: PgStore, clock: Arc<dyn Clock>, instance: PgInstance, shard: i16) -> Self {
        let (jobs, tasks) = Self::new(store, clock, instance, shard);
        task::run_all(tasks);
        jobs
    }
}

impl PgJobs {
    /// Frees what was accepted under a lease, if it was: the answer was lost, so nobody works on it.
    pub(crate) fn lose_acceptance(&self, lease: Lease) {
        self.lost.note(lease, LostBy::Acceptance);
    }
}

#[async_trait]
impl Jobs for PgJobs {
    async fn claim(&self, wanted: &ClaimLimits) -> Result<Vec<Job>, StoreError> {
        let mut session = self.store.session().await?;
        self.lost.free(session.conn()).await?;
        let lease = self.instance.lease();
        let claimed = claim::claim(session.conn(), lease, wanted).await;
        if claimed.is_err() {
            // It may have been made all the same.
            self.lost.note(lease, LostBy::Claim);
        }
        claimed
    }

    async fn record(&self, step: Step) -> Result<Recorded, StoreError> {
        let reply = self.entrance.write(step).await;
        reply.unwrap_or_else(|_| Err(shutting_down()))
    }

    async fn release(&self, jobs: &[Job]) -> Result<(), StoreError> {
        if jobs.is_empty() {
            return Ok(());
        }
        let ids: Vec<_> = jobs.iter().map(|job| job.message.id.uuid()).collect();
        let leases: Vec<_> = jobs.iter().map(|job| job.lease.0).collect();
        let fresh: Vec<_> = jobs.iter().map(|job| job.is_fresh).collect();
        let lines: Vec<_> = jobs.iter().map(|job| job.line.0).collect();
        let mut session = self.store.session().await?;
        Statement::<Release>::new(&[RELEASE])
            .bind::<Array<SqlUuid>, _>(ids)
            .bind::<Array<SqlUuid>, _>(leases)
            .bind::<Array<Bool>, _>(fresh)
            .bind::<Array<Integer>, _>(lines)
            .execute(session.conn())
            .await
            .map_err(store_error)?;
        Ok(())
    }

    async fn find(&self, id: Id<Message>) -> Result<Option<Message>, StoreError> {
        let found = self.questions.write(id).await;
        found.unwrap_or_else(|_| Err(shutting_down()))
    }
}

/// The only attempt of a fresh job is the one that was foreseen.
struct Release;
const RELEASE: &str = "\
    WITH released AS ( \
        UPDATE delivery_jobs job SET lease = NULL, due_at = now(), line = given.line \
        FROM UNNEST(?, ?, ?, ?) AS given (id, lease, is_fresh, line) \
        WHERE job.id = ANY(ARRAY[given.id]) AND job.lease = given.lease RETURNING job.id, given.is_fresh \
    ) \
    UPDATE delivery_logs log SET attempts = '[]' FROM released \
    WHERE log.id = ANY(ARRAY[released.id]) AND released.is_fresh AND log.status = 'QUEUED'";

fn shutting_down() -> StoreError {
    StoreError::Unavailable("the service is shutting down".into())
}

/// Finds the messages that were asked for meanwhile, all at once.
async fn answer(store: PgStore, mut asked: Gathering<Id<Message>, Found>) {
    while let Some(entries) = asked.next(Vec::new(), |_| 1).await {
        let ids: Vec<_> = entries.iter().map(|entry| entry.item).collect();
        let found = delivery_logs::find_all(&store, &ids).await;
        for entry in entries {
            let message = match &found {
                Ok(found) => Ok(found.get(&entry.item).cloned()),
                Err(error) => Err(clone_error(error)),
            };
            entry.answer(message);
        }
    }
}

#[derive(Clone)]
struct Writer {
    store: PgStore,
    clock: Arc<dyn Clock>,
    shard: i16,
    message_counters: MessageCounters,
}

impl Writer {
    async fn run(self, mut gathering: Gathering<Step, Reply>, aside: Aside) {
        let mut carried = Vec::new();
        while let Some(entries) = gathering.next(carried, |_| 1).await {
            let (batch, later) = one_step_each(aside.divert(entries).await);
            carried = later;
            let locked = self.write(batch).await;
            for entries in by_organization(locked) {
                aside.send(self.write(entries).await).await;
            }
        }
    }

    /// Writes a batch and answers it. While the store is away it is tried again and again, for a step
    /// that is forgotten would send its message twice. When it fails for another reason, each step is
    /// written on its own, so that a bad one fails alone. Returns those that met a lock, unanswered.
    async fn write(&self, entries: Entries) -> Entries {
        if entries.is_empty() {
            return entries;
        }
        let steps: Vec<&Step> = entries.iter().map(|entry| &entry.item).collect();
        match self.insist(&steps).await {
            Ok(recorded) => {
                for (entry, recorded) in entries.into_iter().zip(recorded) {
                    entry.answer(Ok(recorded));
                }
                return Vec::new();
            }
            Err(error) if is_lock_timeout(&error) => {
                tracing::warn!(%error, steps = entries.len(), "steps met a lock");
                return entries;
            }
            Err(error) => {
                tracing::error!(%error, "failed to write a batch; its steps are written one by one");
            }
        }
        let mut locked = Vec::new();
        for entry in entries {
            match self.insist(&[&entry.item]).await {
                Err(error) if is_lock_timeout(&error) => locked.push(entry),
                recorded => {
                    let recorded = recorded.map(|all| all.into_iter().next());
                    entry.answer(recorded.map(|one| one.unwrap_or(Recorded::Stale)));
                }
            }
        }
        locked
    }

    /// Writes steps, and waits for a store that is away, but not for a lock.
    async fn insist(&self, steps: &[&Step]) -> Result<Vec<Recorded>, StoreError> {
        let mut pause = FIRST_PAUSE;
        loop {
            let batch = Batch {
                now: self.clock.now(),
                shard: self.shard,
                message_counters: &self.message_counters,
                steps,
            };
            match batch.write(&self.store).await {
                Err(error) if is_lock_timeout(&error) => return Err(error),
                Err(StoreError::Unavailable(error)) => {
                    tracing::warn!(%error, steps = steps.len(), "steps wait for the store");
                    tokio::time::sleep(pause).await;
                    pause = LONGEST_PAUSE.min(pause * 2);
                }
                done => return done,
            }
        }
    }
}

/// Parts steps by whose they are.
fn by_organization(entries: Entries) -> impl Iterator<Item = Entries> {
    let mut parts = BTreeMap::<_, Entries>::new();
    for entry in entries {
        parts.entry(entry.item.message.organization).or_default().push(entry);
    }
    parts.into_values()
}

/// Parts a batch from the steps that have to wait for the next, because an earlier one of the same
/// message is in it. All instances write in the order of the messages, so that none waits for another
/// in a circle.
fn one_step_each(entries: Entries) -> (Entries, Entries) {
    let mut seen = HashSet::with_capacity(entries.len());
    let (mut batch, later): (Entries, Entries) =
        entries.into_iter().partition(|entry| seen.insert(entry.item.message.id));
    batch.sort_unstable_by_key(|entry| entry.item.message.id);
    (batch, later)
}
