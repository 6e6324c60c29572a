//! Submissions of organizations that have too little money. They wait separately until it is known
//! whether a pending refund pays for them, so that all others continue.

use std::time::Duration;

use domain::{identity::organization::Organization, shared::id::Id};
use ports::shared::store::StoreError;
use tokio::{
    sync::mpsc,
    time::{Instant, sleep},
};

use super::{Entries, Reply, Waiting, Writer, answer_all};
use crate::{
    money::wallet_deltas::{free_wallets, owed_refunds},
    shared::{
        error::{clone_error, is_lock_timeout},
        task::Task,
    },
};

/// Maximum number of batches whose submissions wait here. Submissions without room are refused as
/// decided.
const MANY: usize = 16;
/// Maximum number of submissions retried at a time, give or take a batch.
const MANY_SUBMISSIONS: usize = 1_024;
/// Maximum wait of a submission for a refund to reach the wallet.
const TIMEOUT: Duration = Duration::from_secs(1);
/// Interval between checks for refunds.
const PAUSE: Duration = Duration::from_millis(20);

/// Submission, and the decision about it.
pub(super) type Decided = (Waiting, Reply);

/// Sender to the queue of submissions without money.
#[derive(Clone)]
pub(super) struct Unfunded(mpsc::Sender<Vec<Decided>>);

/// Waiting submission, with its deadline.
struct Expiring {
    decided: Decided,
    until: Instant,
    was_owed: bool,
}

impl Unfunded {
    /// Creates the sender, and the task that decides the waiting submissions. The task ends when
    /// the sender is dropped and the queue is empty.
    pub(super) fn new(writer: Writer) -> (Self, Task) {
        let (queue, arriving) = mpsc::channel(MANY);
        let retrier = Retrier { writer, late: Vec::new() };
        (Self(queue), Task::new("writer of unfunded submissions", retrier.run(arriving)))
    }

    /// Queues submissions, and returns those for which there is no room.
    pub(super) fn send(&self, decided: Vec<Decided>) -> Vec<Decided> {
        if decided.is_empty() {
            return decided;
        }
        match self.0.try_send(decided) {
            Ok(()) => Vec::new(),
            Err(
                mpsc::error::TrySendError::Full(left) | mpsc::error::TrySendError::Closed(left),
            ) => left,
        }
    }
}

/// Moves refunds to wallets, and retries submissions that these may pay for.
struct Retrier {
    writer: Writer,
    late: Vec<Expiring>,
}

impl Retrier {
    async fn run(mut self, mut arriving: mpsc::Receiver<Vec<Decided>>) {
        loop {
            if self.late.is_empty() {
                let Some(decided) = arriving.recv().await else { return };
                self.keep(decided);
            }
            while self.late.len() < MANY_SUBMISSIONS
                && let Ok(decided) = arriving.try_recv()
            {
                self.keep(decided);
            }
            if let Err(error) = self.decide().await {
                tracing::warn!(%error, submissions = self.late.len(), "failed to look for refunds");
                let refused = self.late.drain(..).map(|late| late.decided).collect();
                self.writer.answer(refused).await;
            }
        }
    }

    fn keep(&mut self, decided: Vec<Decided>) {
        let until = Instant::now() + TIMEOUT;
        let late = decided.into_iter().map(|decided| Expiring { decided, until, was_owed: false });
        self.late.extend(late);
    }

    /// Refuses submissions of organizations that are owed nothing, or that have waited for too
    /// long, retries those whose refunds arrived, and moves the refunds of the others.
    async fn decide(&mut self) -> Result<(), StoreError> {
        let store = &self.writer.deps.store;
        let organizations: Vec<_> = self.late.iter().map(Expiring::organization).collect();
        let (owed, free) = {
            let session = store.session().await?;
            let owed = owed_refunds(session.pipeline(), &organizations).await?;
            drop(session);
            (owed, free_wallets(store, &organizations).await?)
        };
        let now = Instant::now();
        let (mut refused, mut funded) = (Vec::new(), Entries::new());
        for mut late in std::mem::take(&mut self.late) {
            let organization = late.organization();
            let is_owed = owed.contains(&organization);
            if !is_owed && late.was_owed && free.contains(&organization) {
                funded.push(late.decided.0);
            } else if late.until <= now || !is_owed && !late.was_owed {
                refused.push(late.decided);
            } else {
                late.was_owed = true;
                self.late.push(late);
            }
        }
        self.writer.answer(refused).await;
        self.write(funded).await;
        if !self.late.is_empty() {
            self.move_refunds().await;
        }
        Ok(())
    }

    async fn write(&self, entries: Entries) {
        if entries.is_empty() {
            return;
        }
        match self.writer.write_with_fallback(&entries).await {
            Ok(replies) => self.writer.answer(entries.into_iter().zip(replies).collect()).await,
            Err(error) if is_lock_timeout(&error) => {
                answer_all(entries, || StoreError::Unavailable("a row is locked".into()).into());
            }
            Err(error) => answer_all(entries, || clone_error(&error).into()),
        }
    }

    /// Moves owed refunds to the wallets, unless another instance does so.
    async fn move_refunds(&self) {
        match self.writer.deps.store.fold_journal(None).await {
            Ok(1..) => {}
            Ok(0) => sleep(PAUSE).await,
            Err(error) => {
                tracing::warn!(%error, "failed to move refunds to wallets");
                sleep(PAUSE).await;
            }
        }
    }
}

impl Expiring {
    fn organization(&self) -> Id<Organization> {
        self.decided.0.item.organization
    }
}
