//! Submissions of organizations whose wallets another transaction has locked. They wait separately,
//! so that all others continue.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use domain::{identity::organization::Organization, shared::id::Id};
use ports::{
    messaging::messages::{IntakeError, Submission},
    shared::store::StoreError,
};
use tokio::{
    sync::mpsc,
    time::{Instant, sleep},
};

use super::{BATCH, Entries, Waiting, Writer, answer_all, unfunded::Unfunded};
use crate::{
    money::wallet_deltas::free_wallets,
    shared::{database::session::PgStore, error::clone_error, task::Task},
};

/// Maximum number of submissions that may wait.
const MANY: usize = 1_024;
/// Maximum number of their messages in all.
const MANY_MESSAGES: usize = 20_000;
/// Maximum wait of a submission for its wallet.
const TIMEOUT: Duration = Duration::from_secs(5);
/// Interval between checks whether wallets are free again.
const PAUSE: Duration = Duration::from_millis(50);

/// Sender to the queue of locked submissions.
pub(super) struct LockedSubmissions {
    queue: mpsc::Sender<Expiring>,
    waiting: Arc<Mutex<Numbers>>,
}

/// Waiting submission, with its deadline.
struct Expiring {
    entry: Waiting,
    until: Instant,
}

/// Sizes of the waiting submissions.
#[derive(Default)]
struct Numbers {
    submissions: HashMap<Id<Organization>, usize>,
    messages: usize,
}

impl LockedSubmissions {
    /// Creates the sender, and the task that writes the waiting submissions. The task ends when the
    /// sender is dropped and the queue is empty.
    pub(super) fn new(writer: Writer, unfunded: Unfunded) -> (Self, Task) {
        let (queue, arriving) = mpsc::channel(MANY);
        let waiting = Arc::<Mutex<Numbers>>::default();
        let retrier = Retrier { writer, unfunded, waiting: Arc::clone(&waiting), late: Vec::new() };
        let task = Task::new("writer of locked submissions", retrier.run(arriving));
        (Self { queue, waiting }, task)
    }

    /// Diverts submissions of organizations that already have some in the queue, and returns the
    /// rest.
    pub(super) fn divert(&self, entries: Entries) -> Entries {
        if self.numbers().submissions.is_empty() {
            return entries;
        }
        let is_waiting =
            |it: &Waiting| self.numbers().submissions.contains_key(&it.item.organization);
        let (late, rest): (Entries, Entries) = entries.into_iter().partition(is_waiting);
        self.send(late);
        rest
    }

    /// Diverts submissions whose wallets are locked, and returns the rest.
    pub(super) async fn part(&self, store: &PgStore, entries: Entries) -> Entries {
        let organizations: Vec<_> = entries.iter().map(|it| it.item.organization).collect();
        match free_wallets(store, &organizations).await {
            Ok(free) => {
                let is_free = |it: &Waiting| free.contains(&it.item.organization);
                let (rest, late): (Entries, Entries) = entries.into_iter().partition(is_free);
                self.send(late);
                rest
            }
            Err(error) => {
                answer_all(entries, || clone_error(&error).into());
                Vec::new()
            }
        }
    }

    fn send(&self, entries: Entries) {
        let until = Instant::now() + TIMEOUT;
        for entry in entries {
            let size = (entry.item.organization, entry.item.messages.len());
            let mut numbers = self.numbers();
            if numbers.messages + size.1 > MANY_MESSAGES {
                answer_all(vec![entry], || IntakeError::Overloaded);
                continue;
            }
            match self.queue.try_send(Expiring { entry, until }) {
                Ok(()) => numbers.add(&[size]),
                Err(
                    mpsc::error::TrySendError::Full(late) | mpsc::error::TrySendError::Closed(late),
                ) => {
                    answer_all(vec![late.entry], || IntakeError::Overloaded);
                }
            }
        }
    }

    fn numbers(&self) -> MutexGuard<'_, Numbers> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Writes waiting submissions as soon as their wallets are free.
struct Retrier {
    writer: Writer,
    unfunded: Unfunded,
    waiting: Arc<Mutex<Numbers>>,
    late: Vec<Expiring>,
}

impl Retrier {
    async fn run(mut self, mut arriving: mpsc::Receiver<Expiring>) {
        loop {
            if self.late.is_empty() {
                let Some(late) = arriving.recv().await else { return };
                self.late.push(late);
            }
            while let Ok(late) = arriving.try_recv() {
                self.late.push(late);
            }
            self.give_up();
            if !self.write_free().await {
                sleep(PAUSE).await;
            }
        }
    }

    /// Answers those that have waited too long. Nothing of them was written.
    fn give_up(&mut self) {
        let now = Instant::now();
        let (over, late): (Vec<Expiring>, Vec<Expiring>) =
            self.late.drain(..).partition(|late| late.until <= now);
        self.late = late;
        let over: Entries = over.into_iter().map(|late| late.entry).collect();
        self.numbers().forget(&sizes(&over));
        answer_all(over, || StoreError::Unavailable("the wallet is locked".into()).into());
    }

    /// Writes submissions whose wallets are free, and returns true if there were any.
    async fn write_free(&mut self) -> bool {
        let organizations: Vec<_> =
            self.late.iter().map(|late| late.entry.item.organization).collect();
        let free = match free_wallets(&self.writer.deps.store, &organizations).await {
            Ok(free) => free,
            Err(error) => {
                tracing::warn!(%error, "failed to look for free wallets");
                return false;
            }
        };
        let mut room = BATCH;
        let (ready, late): (Vec<Expiring>, Vec<Expiring>) = self.late.drain(..).partition(|late| {
            let is_ready = room > 0 && free.contains(&late.entry.item.organization);
            if is_ready {
                room = room.saturating_sub(late.entry.item.messages.len());
            }
            is_ready
        });
        self.late = late;
        if ready.is_empty() {
            return false;
        }
        let untils: HashMap<_, _> =
            ready.iter().map(|late| (late.entry.item.organization, late.until)).collect();
        let ready: Entries = ready.into_iter().map(|late| late.entry).collect();
        let before = sizes(&ready);
        let left = self.writer.write(ready, &self.unfunded).await;
        let is_written = left.len() < before.len();
        self.numbers().forget(&before);
        self.numbers().add(&sizes(&left));
        let now = Instant::now();
        let kept = left.into_iter().map(|entry| {
            let until = untils.get(&entry.item.organization).copied().unwrap_or(now);
            Expiring { entry, until }
        });
        self.late.splice(0..0, kept);
        is_written
    }

    fn numbers(&self) -> MutexGuard<'_, Numbers> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Numbers {
    fn add(&mut self, sizes: &[Size]) {
        for (organization, messages) in sizes {
            self.messages += messages;
            *self.submissions.entry(*organization).or_default() += 1;
        }
    }

    fn forget(&mut self, sizes: &[Size]) {
        for (organization, messages) in sizes {
            self.messages = self.messages.saturating_sub(*messages);
            let left = self.submissions.get(organization).copied().unwrap_or_default();
            if left > 1 {
                self.submissions.insert(*organization, left - 1);
            } else {
                self.submissions.remove(organization);
            }
        }
    }
}

/// Organization of a submission, and its number of messages.
type Size = (Id<Organization>, usize);

fn sizes(entries: &[Waiting]) -> Vec<Size> {
    let size = |it: &Submission| (it.organization, it.messages.len());
    entries.iter().map(|entry| size(&entry.item)).collect()
}
