//! Submissions of organizations that have too little money. They wait separately until it is known
//! whether a pending refund pays for them, so that all others continue.

use std::{collections::HashSet, sync::Arc, time::Duration};

use async_trait::async_trait;
use domain::{identity::organization::Organization, shared::id::Id};
use ports::shared::store::StoreError;
use tokio::time::Instant;

use super::{Entries, Reply, Waiting, Writer, answer_all};
use crate::{
    messaging::waiting_room::{Expiring, Retrier, WaitingRoom},
    money::wallet_deltas::{free_wallets, owed_refunds},
    shared::{
        error::{clone_error, is_lock_timeout},
        task::Task,
    },
};

/// Maximum wait of a submission for a refund to reach the wallet.
const TIMEOUT: Duration = Duration::from_secs(1);

/// Submission, and the decision about it.
pub(super) type Decided = (Waiting, Reply);

/// Sender to the waiting room of submissions without money.
#[derive(Clone)]
pub(super) struct Unfunded(Arc<WaitingRoom<RefundedSubmissionWriter>>);

impl Unfunded {
    /// Creates the sender, and the task that decides the waiting submissions. The task ends when
    /// the sender is dropped and the room is empty.
    pub(super) fn new(writer: Writer) -> (Self, Task) {
        let retrier = RefundedSubmissionWriter(writer);
        let (room, task) = WaitingRoom::new("writer of unfunded submissions", retrier);
        (Self(Arc::new(room)), task)
    }

    /// Lets submissions wait, and returns those for which there is no room: they are refused as
    /// decided.
    pub(super) fn send(&self, decided: Vec<Decided>) -> Vec<Decided> {
        let entries = decided.into_iter().map(|decided| Refusable { decided, was_owed: false });
        decisions(self.0.try_add(entries.collect()))
    }
}

/// Submission that is refused unless a refund pays for it.
struct Refusable {
    decided: Decided,
    was_owed: bool,
}

fn decisions(entries: Vec<Refusable>) -> Vec<Decided> {
    entries.into_iter().map(|entry| entry.decided).collect()
}

/// Moves refunds to wallets, and retries submissions that these may pay for.
struct RefundedSubmissionWriter(Writer);

/// Organizations that are owed a refund, and those whose wallets are free.
type Refunds = (HashSet<Id<Organization>>, HashSet<Id<Organization>>);

impl RefundedSubmissionWriter {
    async fn refunds(&self, organizations: &[Id<Organization>]) -> Result<Refunds, StoreError> {
        let store = &self.0.deps.store;
        let owed = {
            let session = store.session().await?;
            owed_refunds(session.pipeline(), organizations).await?
        };
        Ok((owed, free_wallets(store, organizations).await?))
    }
}

#[async_trait]
impl Retrier for RefundedSubmissionWriter {
    type Entry = Refusable;

    const CAPACITY: usize = 16;
    const MANY: usize = 1_024;
    const TIMEOUT: Option<Duration> = Some(TIMEOUT);
    const PAUSE: Duration = Duration::from_millis(20);

    fn organization(entry: &Refusable) -> Id<Organization> {
        entry.decided.0.item.organization
    }

    /// Takes out the submissions whose refunds arrived. Those of organizations that are owed
    /// nothing are given up at once, the others after the timeout.
    async fn look(&mut self, waiting: &mut Vec<Expiring<Refusable>>) -> Vec<Expiring<Refusable>> {
        let organizations: Vec<_> =
            waiting.iter().map(|it| Self::organization(&it.entry)).collect();
        let refunds = self.refunds(&organizations).await;
        let now = Instant::now();
        let (owed, free) = match refunds {
            Ok(refunds) => refunds,
            Err(error) => {
                tracing::warn!(%error, submissions = waiting.len(), "failed to look for refunds");
                for it in waiting {
                    it.until = Some(now);
                }
                return Vec::new();
            }
        };
        let (mut funded, mut others) = (Vec::new(), Vec::new());
        for mut it in waiting.drain(..) {
            let organization = Self::organization(&it.entry);
            let is_owed = owed.contains(&organization);
            let is_funded = it.entry.was_owed && !is_owed && free.contains(&organization);
            if !it.entry.was_owed {
                it.entry.was_owed = is_owed;
                it.until = Some(if is_owed { now + TIMEOUT } else { now });
            }
            if is_funded {
                funded.push(it);
            } else {
                others.push(it);
            }
        }
        *waiting = others;
        funded
    }

    /// Refuses submissions as decided.
    async fn give_up(&mut self, late: Vec<Refusable>) {
        self.0.answer(decisions(late)).await;
    }

    async fn retry(&mut self, funded: Vec<Refusable>) -> Vec<Refusable> {
        let entries: Entries = funded.into_iter().map(|entry| entry.decided.0).collect();
        match self.0.write_with_fallback(&entries).await {
            Ok(replies) => self.0.answer(entries.into_iter().zip(replies).collect()).await,
            Err(error) if is_lock_timeout(&error) => {
                answer_all(entries, || StoreError::Unavailable("a row is locked".into()).into());
            }
            Err(error) => answer_all(entries, || clone_error(&error).into()),
        }
        Vec::new()
    }

    /// Moves owed refunds to the wallets, unless another instance does so.
    async fn help(&mut self, waiting: &[Expiring<Refusable>]) -> bool {
        if waiting.is_empty() {
            return false;
        }
        match self.0.deps.store.fold_journal(None).await {
            Ok(moved) => moved > 0,
            Err(error) => {
                tracing::warn!(%error, "failed to move refunds to wallets");
                false
            }
        }
    }
}
