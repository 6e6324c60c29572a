//! Messages that a provider has just taken.
//!
//! Most reports come soon, and to the process that sent the message, so it decides by what it
//! remembers instead of reading the message back. That may be outdated: then the step is stale, and
//! the message is read after all.

use std::{
    collections::{HashMap, VecDeque},
    sync::{Mutex, MutexGuard, PoisonError},
};

use domain::{
    messaging::{callback::MessageRef, message::Message},
    shared::id::Id,
};

/// How many bytes are remembered, more or less.
const MAX_BYTES: usize = 16 << 20;
/// How many bytes a message takes beside its text, more or less.
const OVERHEAD: usize = 1_024;
/// How many messages may come after one that is still remembered.
const MAX_MESSAGES: usize = 1 << 16;

#[derive(Default)]
pub(super) struct SentCache(Mutex<Entries>);

#[derive(Default)]
struct Entries {
    messages: HashMap<Id<Message>, Message>,
    /// The messages by their providers and the names that these gave them.
    references: HashMap<(String, String), Id<Message>>,
    /// Oldest first, with those that were forgotten since.
    order: VecDeque<Id<Message>>,
    bytes: usize,
}

impl SentCache {
    /// Remembers a message as it was just written, if need be instead of the oldest.
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

    /// The message as it is remembered.
    pub(super) fn find(&self, id: Id<Message>) -> Option<Message> {
        self.entries().messages.get(&id).cloned()
    }

    /// The message that a provider names, as it is remembered.
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

    /// Forgets a message that has moved on.
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

/// The provider that took a message, and what it calls the message.
fn reference(message: &Message) -> Option<(String, String)> {
    let attempt = message.attempts.last()?;
    Some((attempt.provider.clone(), attempt.reference()?.to_owned()))
}

fn bytes(message: &Message) -> usize {
    OVERHEAD + message.draft.body.len()
}
