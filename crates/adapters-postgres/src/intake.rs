//! Accepting messages: one writer makes whatever gathered durable in one transaction.

use std::sync::Arc;

use async_trait::async_trait;
use ports::{
    clock::Clock,
    messages::{FirstWorker, Handover, Intake, IntakeError, Jobs, Receipt, Submission},
    store::StoreError,
};

use self::batch::Batch;
use crate::{
    batching::{self, Entrance, Entry, Gathering, NotWritten},
    instance::PgInstance,
    jobs::PgJobs,
    session::PgStore,
};

mod batch;
mod decision;
mod insert;
mod lookup;

/// How many submissions may wait for the writer.
const WAITING: usize = 4_096;
/// How many messages a batch takes at the most, give or take a submission.
const BATCH: usize = 500;

type Reply = Result<Receipt, IntakeError>;

/// An [`Intake`] on `PostgreSQL`.
pub struct PgIntake {
    entrance: Entrance<Submission, Reply>,
}

/// What the writer of a [`PgIntake`] works with.
pub struct IntakeParts {
    /// The store; one connection of it is used.
    pub store: PgStore,
    /// Where messages are released that could not be handed over after all.
    pub jobs: Arc<PgJobs>,
    /// Who takes asynchronous messages over.
    pub handover: Arc<dyn Handover>,
    /// What the time is.
    pub clock: Arc<dyn Clock>,
    /// Who leases the messages.
    pub instance: PgInstance,
    /// The shard of the counters that this writer has for itself.
    pub shard: i16,
}

impl PgIntake {
    /// Starts the writer on the current runtime. It ends when the intake is dropped.
    pub fn start(parts: IntakeParts) -> Self {
        let (entrance, gathering) = batching::channel(WAITING, BATCH);
        tokio::spawn(Writer { parts }.run(gathering));
        Self { entrance }
    }
}

#[async_trait]
impl Intake for PgIntake {
    async fn accept(&self, submission: Submission) -> Result<Receipt, IntakeError> {
        match self.entrance.try_write(submission).await {
            Ok(reply) => reply,
            Err(NotWritten::Full) => Err(IntakeError::Overloaded),
            Err(NotWritten::Closed) => {
                Err(StoreError::Unavailable("the service is shutting down".into()).into())
            }
        }
    }
}

struct Writer {
    parts: IntakeParts,
}

impl Writer {
    async fn run(self, mut gathering: Gathering<Submission, Reply>) {
        let weight = |submission: &Submission| submission.messages.len();
        while let Some(entries) = gathering.next(Vec::new(), weight).await {
            metrics::histogram!("atumpan_intake_batch_submissions").record(count(entries.len()));
            self.write(entries).await;
        }
    }

    /// Writes a batch. When it fails through no fault of the store, each submission is written on
    /// its own, so that a bad one fails alone.
    async fn write(&self, entries: Vec<Entry<Submission, Reply>>) {
        let error = match self.try_write(&entries).await {
            Ok(replies) => return self.answer(entries, replies).await,
            Err(error) => error,
        };
        let is_of_the_store = matches!(error, StoreError::Unavailable(_));
        tracing::warn!(%error, submissions = entries.len(), "a batch could not be written");
        if entries.len() == 1 || is_of_the_store {
            for entry in entries {
                entry.answer(Err(again(&error).into()));
            }
            return;
        }
        for entry in entries {
            Box::pin(self.write(vec![entry])).await;
        }
    }

    async fn try_write(
        &self,
        entries: &[Entry<Submission, Reply>],
    ) -> Result<Vec<Reply>, StoreError> {
        let submissions: Vec<_> = entries.iter().map(|entry| &entry.item).collect();
        Batch::new(&self.parts, self.parts.instance.lease(), &submissions).write().await
    }

    /// Answers after the commit, and hands asynchronous messages over: here and not by the caller,
    /// who may have gone away.
    async fn answer(&self, entries: Vec<Entry<Submission, Reply>>, replies: Vec<Reply>) {
        let mut offered = Vec::new();
        let mut is_left = false;
        for (entry, reply) in entries.into_iter().zip(replies) {
            if let Ok(Receipt::Accepted(jobs)) = &reply
                && entry.item.first_worker == FirstWorker::Workers
            {
                let (leased, left): (Vec<_>, Vec<_>) =
                    jobs.iter().cloned().partition(|job| job.lease.is_held());
                offered.extend(leased);
                is_left |= !left.is_empty();
            }
            entry.answer(reply);
        }
        let refused = self.parts.handover.offer(offered);
        if is_left || !refused.is_empty() {
            if let Err(error) = self.parts.jobs.release(&refused).await {
                tracing::warn!(%error, "jobs wait until their leases end");
            }
            self.parts.handover.ring();
        }
    }
}

/// The same error, for another who waits for the same batch.
fn again(error: &StoreError) -> StoreError {
    match error {
        StoreError::Conflict { constraint } => {
            StoreError::Conflict { constraint: constraint.clone() }
        }
        StoreError::Unavailable(error) => StoreError::Unavailable(error.to_string().into()),
        StoreError::Internal(error) => StoreError::Internal(error.to_string().into()),
    }
}

#[expect(clippy::cast_precision_loss, reason = "batches are small")]
fn count(items: usize) -> f64 {
    items as f64
}
