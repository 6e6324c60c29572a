//! Messages whose acceptance by a provider is being written.
//!
//! A report may come before that is written, and waits for it. A message that is read from the store meanwhile is
//! outdated soon: the step of the report would be stale, and the message would be read again.

use std::{
    collections::HashMap,
    future::poll_fn,
    sync::{Mutex, MutexGuard, PoisonError},
    task::{Poll, Waker},
};

use domain::{messaging::message::Message, shared::id::Id};

/// Messages that are being written, with those who wait for the end of it.
#[derive(Default)]
pub(super) struct BeingWritten(Mutex<HashMap<Id<Message>, Vec<Waker>>>);

/// Guard of a message that is being written until this is dropped.
pub(super) struct Writing<'w> {
    all: &'w BeingWritten,
    message: Id<Message>,
}

impl BeingWritten {
    /// Marks a message as being written.
    pub(super) fn begin(&self, message: Id<Message>) -> Writing<'_> {
        self.messages().insert(message, Vec::new());
        Writing { all: self, message }
    }

    /// Waits until a message is not being written.
    pub(super) async fn end_of(&self, message: Id<Message>) {
        let is_over = |waker: &Waker| match self.messages().get_mut(&message) {
            Some(waiting) => {
                waiting.push(waker.clone());
                false
            }
            None => true,
        };
        poll_fn(|context| if is_over(context.waker()) { Poll::Ready(()) } else { Poll::Pending })
            .await;
    }

    fn messages(&self) -> MutexGuard<'_, HashMap<Id<Message>, Vec<Waker>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Writing<'_> {
    fn drop(&mut self) {
        let waiting = self.all.messages().remove(&self.message);
        for waker in waiting.into_iter().flatten() {
            waker.wake();
        }
    }
}
