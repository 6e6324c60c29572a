//! Accepting messages: whatever gathered is made durable in one transaction.
//!
//! Two writers take turns. While the commit of one is on its way to the disk, and holds the wallets
//! that it debits, the other writes what needs no wallet.

use std::{sync::Arc, time::Instant};

use async_trait::async_trait;
use ports::{
    clock::Clock,
    messages::{FirstWorker, Handover, Intake, IntakeError, Jobs, Receipt, Submission},
    store::StoreError,
};

use self::{
    batch::{Basis, Batch},
    calm::Calm,
};
use crate::{
    batching::{self, Entrance, Entry, NotWritten, Shared},
    error::again,
    instance::PgInstance,
    jobs::PgJobs,
    session::PgStore,
    task::{self, Task},
};

mod batch;
mod calm;
mod decision;
mod insert;
mod lookup;

/// How many submissions may wait for the writer.
const WAITING: usize = 4_096;
/// How many messages a batch takes at the most, give or take a submission.
const BATCH: usize = 500;
/// How many messages must wait for another batch to begin before the last one is written.
const LARGE: usize = 24;
/// How many batches are written at the same time at the most.
const WRITERS: usize = 2;

type Reply = Result<Receipt, IntakeError>;

/// An [`Intake`] on `PostgreSQL`.
pub struct PgIntake {
    entrance: Entrance<Submission, Reply>,
}

/// What the writer of a [`PgIntake`] works with.
pub struct IntakeParts {
    /// The store: a connection for each of the two writers, and some in which a failed batch is rolled
    /// back meanwhile.
    pub store: PgStore,
    /// Where messages are released that could not be handed over after all.
    pub jobs: Arc<PgJobs>,
    /// Who takes asynchronous messages over.
    pub handover: Arc<dyn Handover>,
    /// What the time is.
    pub clock: Arc<dyn Clock>,
    /// Who leases the messages.
    pub instance: PgInstance,
}

impl PgIntake {
    /// An intake, and its writers, which have to run.
    pub fn new(parts: IntakeParts) -> (Self, Vec<Task>) {
        let (entrance, gathering) = batching::channel(WAITING, BATCH);
        let calm = Arc::new(Calm::default());
        let (parts, gathering) = (Arc::new(parts), Arc::new(Shared::new(gathering, LARGE)));
        let writer = |_| {
            let writer = Writer { parts: Arc::clone(&parts), calm: Arc::clone(&calm) };
            Task::new("intake writer", writer.run(Arc::clone(&gathering)))
        };
        (Self { entrance }, (0..WRITERS).map(writer).collect())
    }

    /// An intake whose writers run on the current runtime, where nobody notices if one ends.
    pub fn start(parts: IntakeParts) -> Self {
        let (intake, writers) = Self::new(parts);
        task::run_all(writers);
        intake
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
    parts: Arc<IntakeParts>,
    calm: Arc<Calm>,
}

type Waiting = Shared<Submission, Reply>;

impl Writer {
    async fn run(self, gathering: Arc<Waiting>) {
        let weight = |submission: &Submission| submission.messages.len();
        while let Some((entries, _turn)) = gathering.next(weight).await {
            metrics::histogram!("atumpan_intake_batch_submissions").record(count(entries.len()));
            let began = Instant::now();
            self.write(entries).await;
            metrics::histogram!("atumpan_intake_batch_duration_seconds").record(began.elapsed());
        }
    }

    /// Writes a batch. When that fails through no fault of the store, each submission is written on
    /// its own, so that a bad one fails alone.
    async fn write(&self, entries: Vec<Entry<Submission, Reply>>) {
        let written = self.insist(&entries).await;
        let error = match written {
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

    /// Tries to write a batch on the assumption that nothing in it has to be refused, unless there is
    /// reason to doubt that; when that fails, by what is read; and when somebody else was quicker,
    /// under lock.
    async fn insist(&self, entries: &[Entry<Submission, Reply>]) -> Result<Vec<Reply>, StoreError> {
        let organizations = entries.iter().map(|entry| entry.item.organization);
        let (first, others) = if self.calm.covers(organizations, self.parts.clock.now()) {
            (Basis::Assumed, &[Basis::Read, Basis::Locked][..])
        } else {
            (Basis::Read, &[Basis::Locked][..])
        };
        let mut written = self.try_write(entries, first).await;
        for basis in others {
            if matches!(written, Err(StoreError::Internal(_) | StoreError::Conflict { .. })) {
                written = self.try_write(entries, *basis).await;
            }
        }
        written
    }

    async fn try_write(
        &self,
        entries: &[Entry<Submission, Reply>],
        basis: Basis,
    ) -> Result<Vec<Reply>, StoreError> {
        let submissions: Vec<_> = entries.iter().map(|entry| &entry.item).collect();
        Batch::new(&self.parts, &self.calm, &submissions).write(basis).await
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

#[expect(clippy::cast_precision_loss, reason = "batches are small")]
fn count(items: usize) -> f64 {
    items as f64
}
