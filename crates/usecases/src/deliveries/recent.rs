//! Messages that a provider has just taken.
//!
//! Most reports come soon, and to the process that sent the message, so it decides by what it
//! remembers instead of reading the message back. What it remembers may be outdated: then the step
//! comes too late, and the message is read after all.

use std::{
    collections::{HashMap, VecDeque},
    sync::{Mutex, MutexGuard, PoisonError},
};

use domain::{id::Id, message::Message};

/// How much is remembered, in bytes, more or less.
const ROOM: usize = 8 << 20;
/// What a message takes beside its text.
const FRAME: usize = 1_024;
/// How many messages may come after one that is still remembered.
const MANY: usize = 1 << 16;

#[derive(Default)]
pub(super) struct Recent(Mutex<Memory>);

#[derive(Default)]
struct Memory {
    messages: HashMap<Id<Message>, Message>,
    /// Oldest first, with those that were taken since.
    order: VecDeque<Id<Message>>,
    size: usize,
}

impl Recent {
    /// Remembers a message as it was just written, if need be instead of the oldest.
    pub(super) fn remember(&self, message: Message) {
        let mut memory = self.memory();
        memory.order.push_back(message.id);
        memory.size += size(&message);
        if let Some(former) = memory.messages.insert(message.id, message) {
            memory.size -= size(&former);
        }
        while memory.size > ROOM || memory.order.len() > MANY {
            let Some(oldest) = memory.order.pop_front() else { return };
            memory.forget(oldest);
        }
    }

    /// The message as it is remembered, once.
    pub(super) fn take(&self, id: Id<Message>) -> Option<Message> {
        self.memory().forget(id)
    }

    fn memory(&self) -> MutexGuard<'_, Memory> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Memory {
    fn forget(&mut self, id: Id<Message>) -> Option<Message> {
        let message = self.messages.remove(&id)?;
        self.size -= size(&message);
        Some(message)
    }
}

fn size(message: &Message) -> usize {
    FRAME + message.draft.body.len()
}
