//! Cache of messages that a provider has just taken.
//!
//! Most reports come soon, to the process that sent the message, so it decides by the cached
//! message instead of reading it back. If that is outdated, the step is stale, and the message is
//! read after all.

use std::{
    collections::{HashMap, VecDeque},
    sync::{Mutex, MutexGuard, PoisonError},
};

use domain::{
    messaging::{callback::MessageRef, message::Message},
    shared::id::Id,
};

/// Approximate size of the cache, in bytes.
const MAX_BYTES: usize = 16 << 20;
/// Approximate size of a message without its text, in bytes.
const OVERHEAD: usize = 1_024;
/// Number of newer messages after which a message is evicted.
const MAX_MESSAGES: usize = 1 << 16;

#[derive(Default)]
pub(super) struct SentCache(Mutex<Entries>);

#[derive(Default)]
struct Entries {
    messages: HashMap<Id<Message>, Message>,
    /// Messages by provider and by the reference that the provider gave them.
    references: HashMap<(String, String), Id<Message>>,
    /// Oldest first, including messages evicted since.
    order: VecDeque<Id<Message>>,
    bytes: usize,
}

impl SentCache {
    /// Caches a message as it was just written, and evicts the oldest ones if there is no room.
    pub(super) fn remember(&self, message: Message) {
        let mut entries = self.entries();
        entries.forget(message.id);
        entries.order.push_back(message.id);
        entries.bytes += bytes(&message);
        if let Some(reference) = reference(&message) {
            entries.references.insert(reference, message.id);
        }
        entries.messages.insert(message.id, message);
        while entries.bytes > MAX_BYTES || entries.order.len() > MAX_MESSAGES {
            let Some(oldest) = entries.order.pop_front() else { return };
            entries.forget(oldest);
        }
    }

    /// Returns the cached message.
    pub(super) fn find(&self, id: Id<Message>) -> Option<Message> {
        self.entries().messages.get(&id).cloned()
    }

    /// Returns the cached message that a provider names.
    pub(super) fn find_named(&self, provider: &str, about: &MessageRef) -> Option<Message> {
        let entries = self.entries();
        let id = match about {
            MessageRef::Ours(id) => id,
            MessageRef::Vendors(reference) => {
                entries.references.get(&(provider.to_owned(), reference.clone()))?
            }
        };
        entries.messages.get(id).cloned()
    }

    /// Evicts a message that has changed.
    pub(super) fn forget(&self, id: Id<Message>) {
        self.entries().forget(id);
    }

    fn entries(&self) -> MutexGuard<'_, Entries> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Entries {
    fn forget(&mut self, id: Id<Message>) {
        let Some(message) = self.messages.remove(&id) else { return };
        self.bytes -= bytes(&message);
        if let Some(reference) = reference(&message)
            && self.references.get(&reference) == Some(&id)
        {
            self.references.remove(&reference);
        }
    }
}

/// Provider that took a message, and its reference for the message.
fn reference(message: &Message) -> Option<(String, String)> {
    let attempt = message.attempts.last()?;
    Some((attempt.provider.clone(), attempt.reference()?.to_owned()))
}

fn bytes(message: &Message) -> usize {
    OVERHEAD + message.draft.body.len()
}
