//! Acceptance of messages: submissions that gathered are made durable in one transaction.
//!
//! Two writers take turns. While the commit of one is being flushed, and holds the wallets that it
//! debits, the other writes the rows that need no wallet.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::messaging::spans;
use ports::{
    messaging::messages::{
        FirstWorker, Intake, IntakeError, Jobs, LocalQueue, Receipt, Submission,
    },
    shared::{clock::Clock, store::StoreError, traces::Tracer},
};
use tokio::time::sleep;

use self::{
    admission::{SubmissionReceiver, SubmissionSender},
    basis::Basis,
    batch::Batch,
    locked_submissions::LockedSubmissions,
    recent_refusals::RecentRefusals,
    unfunded::Unfunded,
    wallet_cache::WalletCache,
};
use crate::{
    messaging::{jobs::PgJobs, message_counters::MessageCounters},
    shared::{
        database::{instance::PgInstance, session::PgStore},
        error::{clone_error, is_deadlock, is_lock_timeout},
        query::batching::Entry,
        task::{self, Task},
    },
};

mod admission;
mod advances;
mod basis;
mod batch;
mod decision;
mod insert;
mod locked_submissions;
pub(crate) mod lookup;
mod recent_refusals;
mod rows;
mod unfunded;
mod wallet_cache;

/// Maximum number of messages in a batch, give or take a submission.
const BATCH: usize = 500;
/// Maximum number of batches written at the same time.
const WRITERS: usize = 2;
/// Maximum number of attempts to write a batch that meets locks, each without the submissions whose
/// wallets are locked.
const LOCK_TRIES: usize = 3;
/// Maximum number of retries of a batch that was ended by a deadlock.
const DEADLOCKS: u32 = 5;
/// Pause before the first retry; it grows by as much with each further one.
const DEADLOCK_PAUSE: Duration = Duration::from_millis(5);

type Reply = Result<Receipt, IntakeError>;

/// [`Intake`] on `PostgreSQL`.
pub struct PgIntake {
    sender: SubmissionSender,
}

/// Dependencies of the writer of a [`PgIntake`].
pub struct IntakeDeps {
    /// The store: a connection for each of the two writers, and some in which a failed batch is
    /// rolled back meanwhile.
    pub store: PgStore,
    /// Jobs in which messages are released that could not be handed over after all.
    pub jobs: Arc<PgJobs>,
    /// Queue that takes over asynchronous messages.
    pub handover: Arc<dyn LocalQueue>,
    /// Source of the time.
    pub clock: Arc<dyn Clock>,
    /// Instance that leases the messages.
    pub instance: PgInstance,
    /// Tracer of the batches.
    pub tracer: Tracer,
}

impl PgIntake {
    /// Creates an intake, with the tasks that have to run for it.
    pub fn new(deps: IntakeDeps) -> (Self, Vec<Task>) {
        let (sender, receiver, sending_away) =
            admission::admission(Arc::clone(&deps.handover), admission::TIMEOUT);
        let writer = Writer {
            deps: Arc::new(deps),
            memory: Arc::default(),
            message_counters: MessageCounters::new(),
        };
        let (unfunded, refunder) = Unfunded::new(writer.clone());
        let (locked_submissions, retrier) =
            LockedSubmissions::new(writer.clone(), unfunded.clone());
        let (locked_submissions, receiver) = (Arc::new(locked_submissions), Arc::new(receiver));
        let writer = |_| {
            let (locked_submissions, receiver) =
                (Arc::clone(&locked_submissions), Arc::clone(&receiver));
            let writing = run(writer.clone(), locked_submissions, unfunded.clone(), receiver);
            Task::new("intake writer", writing)
        };
        let tasks = (0..WRITERS).map(writer).chain([retrier, refunder, sending_away]).collect();
        (Self { sender }, tasks)
    }

    /// Creates an intake whose writers run on the current runtime; the end of a task goes
    /// unnoticed.
    pub fn start(deps: IntakeDeps) -> Self {
        let (intake, writers) = Self::new(deps);
        task::run_all(writers);
        intake
    }
}

#[async_trait]
impl Intake for PgIntake {
    async fn accept(&self, submission: Submission) -> Result<Receipt, IntakeError> {
        self.sender.submit(submission).await
    }
}

type Waiting = Entry<Submission, Reply>;
type Entries = Vec<Waiting>;

async fn run(
    writer: Writer,
    locked_submissions: Arc<LockedSubmissions>,
    unfunded: Unfunded,
    receiver: Arc<SubmissionReceiver>,
) {
    while let Some((entries, _permit)) = receiver.next().await {
        metrics::histogram!("atumpan_intake_batch_submissions").record(count(entries.len()));
        let began = Instant::now();
        let mut entries = locked_submissions.divert(entries);
        for _ in 0..LOCK_TRIES {
            if entries.is_empty() {
                break;
            }
            let locked = writer.write(entries, &unfunded).await;
            entries = if locked.is_empty() {
                locked
            } else {
                locked_submissions.part(&writer.deps.store, locked).await
            };
        }
        answer_all(entries, || StoreError::Unavailable("a row is locked".into()).into());
        metrics::histogram!("atumpan_intake_batch_duration_seconds").record(began.elapsed());
    }
}

/// Answers submissions of which nothing was written.
fn answer_all(entries: Entries, error: impl Fn() -> IntakeError) {
    for entry in entries {
        entry.answer(Err(error()));
    }
}

/// Facts about organizations that the writers remember.
#[derive(Default)]
struct Memory {
    refusals: RecentRefusals,
    wallets: WalletCache,
}

#[derive(Clone)]
struct Writer {
    deps: Arc<IntakeDeps>,
    memory: Arc<Memory>,
    message_counters: MessageCounters,
}

impl Writer {
    /// Writes a batch and answers it. When that fails through no fault of the store, each
    /// submission is written on its own, so that a bad one fails alone. Returns those that met a
    /// lock, unanswered: nothing of them was written.
    async fn write(&self, entries: Entries, unfunded: &Unfunded) -> Entries {
        let written = self.write_with_fallback(&entries).await;
        let error = match written {
            Ok(replies) => {
                self.settle(entries, replies, unfunded).await;
                return Vec::new();
            }
            Err(error) if is_lock_timeout(&error) => return entries,
            Err(error) => error,
        };
        let is_of_the_store = matches!(error, StoreError::Unavailable(_));
        tracing::warn!(%error, submissions = entries.len(), "failed to write a batch");
        if entries.len() == 1 || is_of_the_store {
            answer_all(entries, || clone_error(&error).into());
            return Vec::new();
        }
        let mut locked = Vec::new();
        for entry in entries {
            locked.extend(Box::pin(self.write(vec![entry], unfunded)).await);
        }
        locked
    }

    /// Answers a batch that was written. An organization with too little money may be owed a refund
    /// that is not posted yet: these submissions go to [`Unfunded`].
    async fn settle(&self, entries: Entries, replies: Vec<Reply>, unfunded: &Unfunded) {
        let is_poor = |reply: &Reply| matches!(reply, Err(IntakeError::InsufficientBalance(_)));
        let (poor, mut settled): (Vec<_>, Vec<_>) =
            entries.into_iter().zip(replies).partition(|(_, reply)| is_poor(reply));
        settled.extend(unfunded.send(poor));
        self.answer(settled).await;
    }

    /// Tries to write a batch on the assumption that nothing in it has to be refused, unless there
    /// is reason to doubt that. If that fails, reads before it decides; if another writer was
    /// quicker, decides under lock.
    async fn write_with_fallback(&self, entries: &[Waiting]) -> Result<Vec<Reply>, StoreError> {
        let organizations = entries.iter().map(|entry| entry.item.organization);
        let (first, others) = if self.memory.refusals.spare(organizations, self.deps.clock.now()) {
            (Basis::Optimistic, &[Basis::Read, Basis::Locked][..])
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

    /// Writes a batch. In a deadlock the server ends one of two batches; nothing of that one is
    /// left, so it is written again.
    async fn try_write(&self, entries: &[Waiting], basis: Basis) -> Result<Vec<Reply>, StoreError> {
        let submissions: Vec<_> = entries.iter().map(|entry| &entry.item).collect();
        let mut turn = 0_u32;
        loop {
            let began = self.deps.tracer.is_on().then(|| self.deps.clock.now());
            let batch = Batch::new(&self.deps, &self.memory, &submissions);
            match batch.write(basis).await {
                Err(error) if is_deadlock(&error) && turn < DEADLOCKS => {
                    turn += 1;
                    // The other batch goes first, or both meet in the same deadlock again.
                    sleep(DEADLOCK_PAUSE * turn).await;
                }
                written => {
                    if let (Some(began), Ok(replies)) = (began, &written) {
                        self.trace(replies, began);
                    }
                    return written;
                }
            }
        }
    }

    /// Exports the spans of a batch that was written.
    fn trace(&self, replies: &[Reply], began: DateTime<Utc>) {
        let accepted = replies.iter().filter_map(|reply| match reply {
            Ok(Receipt::Accepted(jobs)) => Some(jobs),
            Ok(Receipt::Replayed(_)) | Err(_) => None,
        });
        let messages = accepted.flatten().map(|job| &job.message);
        self.deps.tracer.export(spans::batch(messages, (began, self.deps.clock.now())));
    }

    /// Answers after the commit, and hands over asynchronous messages: here and not in the caller,
    /// which may be gone.
    async fn answer(&self, answers: Vec<(Waiting, Reply)>) {
        let mut offered = Vec::new();
        let mut is_left = false;
        for (entry, reply) in answers {
            if let Ok(Receipt::Accepted(jobs)) = &reply {
                for job in jobs {
                    self.message_counters.count_accepted(&job.message);
                }
                if entry.item.first_worker == FirstWorker::Workers {
                    let due = jobs.iter().filter(|job| !job.message.is_scheduled()).cloned();
                    let (leased, left): (Vec<_>, Vec<_>) = due.partition(|job| job.lease.is_held());
                    offered.extend(leased);
                    is_left |= !left.is_empty();
                }
            }
            entry.answer(reply);
        }
        let refused = self.deps.handover.offer(offered);
        if is_left || !refused.is_empty() {
            if let Err(error) = self.deps.jobs.release(&refused).await {
                tracing::warn!(%error, "failed to free jobs; their leases will end");
            }
            self.deps.handover.wake();
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "batches are small")]
fn count(items: usize) -> f64 {
    items as f64
}
