//! Messages that a provider has just taken.
//!
//! Most reports come soon, and to the process that sent the message, so it decides by what it
//! remembers instead of reading the message back. What it remembers may be outdated: then the step
//! comes too late, and the message is read after all.

use std::time::Duration;

use domain::{id::Id, message::Message};
use moka::sync::Cache;

/// How much is remembered, in bytes, more or less.
const ROOM: u64 = 8 << 20;
/// How long.
const MEMORY: Duration = Duration::from_secs(60);
/// What a message takes beside its text.
const FRAME: usize = 1_024;

pub(super) struct Recent(Cache<Id<Message>, Message>);

impl Default for Recent {
    fn default() -> Self {
        let weight = |_: &Id<Message>, message: &Message| {
            u32::try_from(FRAME + message.draft.body.len()).unwrap_or(u32::MAX)
        };
        let cache = Cache::builder().weigher(weight).max_capacity(ROOM).time_to_live(MEMORY);
        Self(cache.build())
    }
}

impl Recent {
    /// Remembers a message as it was just written.
    pub(super) fn remember(&self, message: Message) {
        self.0.insert(message.id, message);
    }

    /// The message as it is remembered, once.
    pub(super) fn take(&self, id: Id<Message>) -> Option<Message> {
        self.0.remove(&id)
    }
}
