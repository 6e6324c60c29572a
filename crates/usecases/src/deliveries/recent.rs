//! Messages that a provider has just taken.
//!
//! Most reports come soon, and to the process that sent the message, so it decides by what it
//! remembers instead of reading the message back. What it remembers may be outdated: then the step
//! comes too late, and the message is read after all.

use std::{
    collections::{HashMap, VecDeque},
    sync::{Mutex, MutexGuard, PoisonError},
};

use domain::{callback::About, id::Id, message::Message};

/// How much is remembered, in bytes, more or less.
const ROOM: usize = 16 << 20;
/// What a message takes beside its text.
const FRAME: usize = 1_024;
/// How many messages may come after one that is still remembered.
const MANY: usize = 1 << 16;

#[derive(Default)]
pub(super) struct Recent(Mutex<Memory>);

#[derive(Default)]
struct Memory {
    messages: HashMap<Id<Message>, Message>,
    /// The messages by their providers and the names that these gave them.
    references: HashMap<(String, String), Id<Message>>,
    /// Oldest first, with those that were forgotten since.
    order: VecDeque<Id<Message>>,
    size: usize,
}

impl Recent {
    /// Remembers a message as it was just written, if need be instead of the oldest.
    pub(super) fn remember(&self, message: Message) {
        let mut memory = self.memory();
        memory.forget(message.id);
        memory.order.push_back(message.id);
        memory.size += size(&message);
        if let Some(reference) = reference(&message) {
            memory.references.insert(reference, message.id);
        }
        memory.messages.insert(message.id, message);
        while memory.size > ROOM || memory.order.len() > MANY {
            let Some(oldest) = memory.order.pop_front() else { return };
            memory.forget(oldest);
        }
    }

    /// The message as it is remembered.
    pub(super) fn find(&self, id: Id<Message>) -> Option<Message> {
        self.memory().messages.get(&id).cloned()
    }

    /// The message that a provider names, as it is remembered.
    pub(super) fn find_named(&self, provider: &str, about: &About) -> Option<Message> {
        let memory = self.memory();
        let id = match about {
            About::Ours(id) => id,
            About::Vendors(reference) => {
                memory.references.get(&(provider.to_owned(), reference.clone()))?
            }
        };
        memory.messages.get(id).cloned()
    }

    /// Forgets a message that has moved on.
    pub(super) fn forget(&self, id: Id<Message>) {
        self.memory().forget(id);
    }

    fn memory(&self) -> MutexGuard<'_, Memory> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Memory {
    fn forget(&mut self, id: Id<Message>) {
        let Some(message) = self.messages.remove(&id) else { return };
        self.size -= size(&message);
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
    Some((attempt.provider.clone(), attempt.reference.clone()?))
}

fn size(message: &Message) -> usize {
    FRAME + message.draft.body.len()
}
