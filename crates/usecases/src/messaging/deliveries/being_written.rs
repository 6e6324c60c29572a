//! Messages whose acceptance by a provider is being written.
//!
//! A report may come before that is written, and waits for it. A message that is read from the store meanwhile is
//! outdated soon: the step of the report would be stale, and the message would be read again.

use std::{
    collections::{HashMap, hash_map::Entry},
    future::poll_fn,
    sync::{Mutex, MutexGuard, PoisonError},
    task::{Poll, Waker},
};

use domain::{messaging::message::Message, shared::id::Id};

/// Maximum number of reports that wait for one message. Further ones do not wait: a write may take as long as
/// the store is away, and providers repeat their reports.
const MOST_WAITING: usize = 16;

/// Messages that are being written, with those who wait for the end of it.
#[derive(Default)]
pub(super) struct BeingWritten(Mutex<HashMap<Id<Message>, Writes>>);

/// Writes of one message. There are two if its lease ended during the first.
#[derive(Default)]
struct Writes {
    count: usize,
    waiting: Vec<Waker>,
}

/// Guard of a message that is being written until this is dropped.
pub(super) struct Writing<'w> {
    all: &'w BeingWritten,
    message: Id<Message>,
}

impl BeingWritten {
    /// Marks a message as being written.
    pub(super) fn begin(&self, message: Id<Message>) -> Writing<'_> {
        self.messages().entry(message).or_default().count += 1;
        Writing { all: self, message }
    }

    /// Waits until a message is not being written. Returns at once if too many wait for it.
    pub(super) async fn end_of(&self, message: Id<Message>) {
        poll_fn(
            |context| {
                if self.waits(message, context.waker()) { Poll::Pending } else { Poll::Ready(()) }
            },
        )
        .await;
    }

    /// Adds a waiter to a message. Returns false if there is nothing to wait for, or no room.
    fn waits(&self, message: Id<Message>, waker: &Waker) -> bool {
        let mut messages = self.messages();
        let Some(writes) = messages.get_mut(&message) else { return false };
        if writes.waiting.iter().any(|known| known.will_wake(waker)) {
            return true;
        }
        if writes.waiting.len() >= MOST_WAITING {
            return false;
        }
        writes.waiting.push(waker.clone());
        true
    }

    /// Ends a write, and returns those who wait no longer.
    fn end(&self, message: Id<Message>) -> Vec<Waker> {
        let mut messages = self.messages();
        let Entry::Occupied(mut writes) = messages.entry(message) else { return Vec::new() };
        if writes.get().count > 1 {
            writes.get_mut().count -= 1;
            return Vec::new();
        }
        writes.remove().waiting
    }

    fn messages(&self) -> MutexGuard<'_, HashMap<Id<Message>, Writes>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Writing<'_> {
    fn drop(&mut self) {
        for waker in self.all.end(self.message) {
            waker.wake();
        }
    }
}
