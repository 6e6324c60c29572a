//! Jobs: claimed in batches, and their steps written in batches.

use std::sync::Arc;

use async_trait::async_trait;
use domain::{
    messaging::{
        attempts,
        job::{Job, Lease, Step},
        message::Message,
    },
    shared::id::Id,
};
use ports::{
    messaging::messages::{ClaimLimits, Jobs, Recorded},
    shared::{clock::Clock, store::StoreError},
    webhooks::webhook_queue::FreshDeliveries,
};
use tokio::time::timeout_at;

use self::{
    claim_progress::ClaimProgress,
    kept::KeptLeases,
    locked_steps::LockedSteps,
    lost::{LostBy, LostLeases},
    writer::{StepWriter, by_organization, one_step_each},
};
use crate::{
    messaging::{delivery_logs, message_counters::MessageCounters},
    shared::{
        database::{instance::PgInstance, session::PgStore},
        error::clone_error,
        query::{
            batching::{self, BatchReceiver, BatchSender},
            sql::sql,
        },
        task::{self, Task},
    },
};

mod batch;
mod claim;
mod claim_progress;
mod claim_statement;
mod confirmed;
mod forgotten_text;
mod handed_over;
mod held;
mod kept;
mod lock_order;
mod locked_steps;
mod lost;
mod postponed;
mod update;
mod writer;

pub(crate) use self::claim_statement::OCCUPIED_LINES;

/// Duration of a lease in seconds: longer than handing a message over and recording that.
pub(crate) const LEASE_SECONDS: i64 = 120;
/// Maximum number of steps that may wait for the writer before their workers wait too.
const WAITING: usize = 4_096;
/// Maximum number of steps written together.
const BATCH: usize = 500;

type StepResult = Result<Recorded, StoreError>;
type FindResult = Result<Option<Message>, StoreError>;

/// [`Jobs`] on `PostgreSQL`.
pub struct PgJobs {
    store: PgStore,
    instance: PgInstance,
    steps: BatchSender<Step, StepResult>,
    finds: BatchSender<Id<Message>, FindResult>,
    lost: LostLeases,
    claims: ClaimProgress,
    kept: KeptLeases,
}

impl PgJobs {
    /// Creates the jobs, with the tasks that have to run for them. `shard` is the shard of the
    /// providers' minutes that is reserved for their writer. `fresh` takes the deliveries to
    /// webhook endpoints that steps cause; with `None` they are found by reading.
    pub fn new(
        store: PgStore,
        clock: Arc<dyn Clock>,
        instance: PgInstance,
        shard: i16,
        fresh: Option<Arc<dyn FreshDeliveries>>,
    ) -> (Self, Vec<Task>) {
        let (steps, arriving_steps) = batching::channel(WAITING, BATCH);
        let (finds, arriving_finds) = batching::channel(WAITING, BATCH);
        let message_counters = MessageCounters::new();
        let kept = KeptLeases::default();
        let writer = StepWriter {
            store: store.clone(),
            clock,
            shard,
            message_counters,
            kept: kept.clone(),
            fresh,
        };
        let (locked_steps, locked_step_writer) = LockedSteps::new(writer.clone());
        let tasks = vec![
            Task::new("step writer", write_steps(writer, arriving_steps, locked_steps)),
            locked_step_writer,
            Task::new("message finder", find_messages(store.clone(), arriving_finds)),
        ];
        let (lost, claims) = (LostLeases::default(), ClaimProgress::default());
        (Self { store, instance, steps, finds, lost, claims, kept }, tasks)
    }

    /// Creates the jobs with their tasks on the current runtime; the end of a task goes unnoticed.
    pub fn start(store: PgStore, clock: Arc<dyn Clock>, instance: PgInstance, shard: i16) -> Self {
        let (jobs, tasks) = Self::new(store, clock, instance, shard, None);
        task::run_all(tasks);
        jobs
    }

    /// Puts off the jobs that keep their leases until the reports, before the instance stops.
    pub async fn put_off_kept(&self) {
        self.kept.put_off_all(&self.store).await;
    }

    /// Returns the instance that holds the leases.
    pub(crate) fn instance(&self) -> &PgInstance {
        &self.instance
    }

    /// Frees the jobs that were accepted under a lease, if any: the answer was lost, so nobody
    /// works on them.
    pub(crate) fn lose_acceptance(&self, lease: Lease) {
        self.lost.note(lease, LostBy::Acceptance);
    }
}

#[async_trait]
impl Jobs for PgJobs {
    async fn claim(&self, limits: &ClaimLimits) -> Result<Vec<Job>, StoreError> {
        let mut session = self.store.session().await?;
        self.lost.free(session.conn()).await?;
        let lease = self.instance.lease();
        let claimed = claim::claim(session.conn(), lease, limits, &self.claims).await;
        if claimed.is_err() {
            // It may have been made all the same.
            self.lost.note(lease, LostBy::Claim);
        }
        claimed
    }

    async fn record(&self, step: Step) -> Result<Recorded, StoreError> {
        let recorded = self.steps.write(step).await;
        recorded.unwrap_or_else(|_| Err(shutting_down()))
    }

    async fn release(&self, jobs: &[Job]) -> Result<(), StoreError> {
        if jobs.is_empty() {
            return Ok(());
        }
        let organizations: Vec<_> =
            jobs.iter().map(|job| job.message.organization.uuid()).collect();
        let ids: Vec<_> = jobs.iter().map(|job| job.message.id.uuid()).collect();
        let leases: Vec<_> = jobs.iter().map(|job| job.lease.0).collect();
        let are_planned: Vec<_> =
            jobs.iter().map(|job| attempts::planned(&job.message.attempts).is_some()).collect();
        let provider_queues: Vec<_> = jobs.iter().map(|job| job.provider_queue.0).collect();
        let release = sql!(RELEASE, organizations, ids, leases, are_planned, provider_queues);
        release.execute(self.store.session().await?.conn()).await?;
        Ok(())
    }

    async fn find(&self, id: Id<Message>) -> Result<Option<Message>, StoreError> {
        let found = self.finds.write(id).await;
        found.unwrap_or_else(|_| Err(shutting_down()))
    }
}

fn shutting_down() -> StoreError {
    StoreError::Unavailable("the service is shutting down".into())
}

/// Writes gathered steps, batch by batch. A batch that meets a lock is split by organization, so
/// that only the steps of organizations with locked rows wait. Between batches, puts off the jobs
/// whose reports do not come.
async fn write_steps(
    writer: StepWriter,
    mut arriving: BatchReceiver<Step, StepResult>,
    locked_steps: LockedSteps,
) {
    let mut later = Vec::new();
    loop {
        let next = arriving.next(later, |_| 1);
        let arrived = match writer.kept.next_at() {
            // Steps that were carried over are returned at once, so none is lost at the deadline.
            Some(at) => timeout_at(at, next).await,
            None => Ok(next.await),
        };
        later = Vec::new();
        match arrived {
            Ok(Some(steps)) => {
                let batch;
                (batch, later) = one_step_each(locked_steps.divert(steps).await);
                let locked = writer.write_with_fallback(batch).await;
                for steps in by_organization(locked) {
                    locked_steps.add(writer.write_with_fallback(steps).await).await;
                }
            }
            Ok(None) => break,
            Err(_) => {}
        }
        writer.kept.put_off_late(&writer.store).await;
    }
}

/// Reads the messages of all concurrent requests at once.
async fn find_messages(store: PgStore, mut arriving: BatchReceiver<Id<Message>, FindResult>) {
    while let Some(entries) = arriving.next(Vec::new(), |_| 1).await {
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

/// An attempt that is still planned is the only one of its message.
///
/// Here and in all statements on jobs the organization is compared as an array, and on the log from
/// the other side. So the planner can take neither index by the organization alone, nor from end to
/// end, which it would prefer while the tables are empty.
const RELEASE: &str = "\
    WITH released AS ( \
        UPDATE delivery_jobs job SET lease = NULL, is_ready = true, due_at = now(), line = given.line \
        FROM UNNEST({organizations}::uuid[], {ids}::uuid[], {leases}::uuid[], \
                {are_planned}::boolean[], {provider_queues}::integer[]) \
            AS given (organization_id, id, lease, is_planned, line) \
        WHERE job.organization_id = ANY(ARRAY[given.organization_id]) AND job.id = given.id \
            AND job.lease = given.lease \
        RETURNING job.organization_id, job.id, given.is_planned \
    ) \
    UPDATE delivery_logs log SET attempts = '[]' FROM released \
    WHERE released.organization_id = ANY(ARRAY[log.organization_id]) AND log.id = ANY(ARRAY[released.id]) \
        AND released.is_planned AND log.status = 'QUEUED'";
