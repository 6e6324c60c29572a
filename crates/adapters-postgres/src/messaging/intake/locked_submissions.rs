//! Submissions of organizations whose wallets another transaction has locked. They wait separately,
//! so that all others continue.

use std::time::Duration;

use async_trait::async_trait;
use domain::{identity::organization::Organization, shared::id::Id};
use ports::{messaging::messages::IntakeError, shared::store::StoreError};
use tokio::time::Instant;

use super::{BATCH, Entries, Waiting, Writer, answer_all, unfunded::Unfunded};
use crate::{
    messaging::waiting_room::{Expiring, Retrier, WaitingRoom},
    money::wallet_deltas::free_wallets,
    shared::{database::session::PgStore, error::clone_error, task::Task},
};

/// Sender to the waiting room of locked submissions.
pub(super) struct LockedSubmissions(WaitingRoom<LockedSubmissionWriter>);

impl LockedSubmissions {
    /// Creates the sender, and the task that writes the waiting submissions. The task ends when the
    /// sender is dropped and the room is empty.
    pub(super) fn new(writer: Writer, unfunded: Unfunded) -> (Self, Task) {
        let retrier = LockedSubmissionWriter { writer, unfunded };
        let (room, task) = WaitingRoom::new("writer of locked submissions", retrier);
        (Self(room), task)
    }

    /// Diverts submissions of organizations that already have some in the room, and returns the
    /// rest.
    pub(super) fn divert(&self, entries: Entries) -> Entries {
        let (late, rest) = self.0.divert(entries);
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
        for entry in entries {
            answer_all(self.0.try_add(vec![entry]), || IntakeError::Overloaded);
        }
    }
}

/// Writes waiting submissions as soon as their wallets are free.
struct LockedSubmissionWriter {
    writer: Writer,
    unfunded: Unfunded,
}

#[async_trait]
impl Retrier for LockedSubmissionWriter {
    type Entry = Waiting;

    const CAPACITY: usize = 1_024;
    /// Maximum number of messages.
    const MAX_WEIGHT: usize = 20_000;
    const TIMEOUT: Option<Duration> = Some(Duration::from_secs(5));
    const PAUSE: Duration = Duration::from_millis(50);

    fn organization(entry: &Waiting) -> Id<Organization> {
        entry.item.organization
    }

    fn weight(entry: &Waiting) -> usize {
        entry.item.messages.len()
    }

    /// Takes out a batch of submissions whose wallets are free.
    async fn look(&mut self, waiting: &mut Vec<Expiring<Waiting>>) -> Vec<Expiring<Waiting>> {
        let organizations: Vec<_> = waiting.iter().map(|it| it.entry.item.organization).collect();
        let free = match free_wallets(&self.writer.deps.store, &organizations).await {
            Ok(free) => free,
            Err(error) => {
                tracing::warn!(%error, "failed to look for free wallets");
                return Vec::new();
            }
        };
        let now = Instant::now();
        let mut room = BATCH;
        let (ready, locked) = waiting.drain(..).partition(|it| {
            let is_free = free.contains(&it.entry.item.organization);
            let is_ready = room > 0 && is_free && !it.is_over(now);
            if is_ready {
                room = room.saturating_sub(it.entry.item.messages.len());
            }
            is_ready
        });
        *waiting = locked;
        ready
    }

    /// Answers submissions of which nothing was written.
    async fn give_up(&mut self, late: Entries) {
        answer_all(late, || StoreError::Unavailable("the wallet is locked".into()).into());
    }

    async fn retry(&mut self, batch: Entries) -> Entries {
        self.writer.write(batch, &self.unfunded).await
    }
}
