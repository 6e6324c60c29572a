//! The texts of calls that are under way.

use std::{
    collections::BTreeMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

use domain::{id::Id, message::Message};

/// Texts in memory, by the messages that they are of. Above the limit the oldest is forgotten.
pub(super) struct Texts {
    limit: usize,
    /// Identifiers sort by their age.
    texts: Mutex<BTreeMap<Id<Message>, String>>,
}

impl Texts {
    /// Room for `limit` texts.
    pub(super) fn new(limit: usize) -> Self {
        Self { limit, texts: Mutex::default() }
    }

    pub(super) fn keep(&self, message: Id<Message>, text: String) {
        let mut texts = self.texts();
        texts.insert(message, text);
        if texts.len() > self.limit {
            texts.pop_first();
        }
    }

    pub(super) fn find(&self, message: Id<Message>) -> Option<String> {
        self.texts().get(&message).cloned()
    }

    pub(super) fn forget(&self, message: Id<Message>) {
        self.texts().remove(&message);
    }

    fn texts(&self) -> MutexGuard<'_, BTreeMap<Id<Message>, String>> {
        self.texts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use chrono::DateTime;

    use super::*;

    #[test]
    fn above_the_limit_the_oldest_is_forgotten() {
        let texts = Texts::new(2);
        let ids: Vec<Id<Message>> = (0..3)
            .map(|second| Id::new(DateTime::from_timestamp(1_700_000_000 + second, 0).unwrap()))
            .collect();

        for id in &ids {
            texts.keep(*id, "a".into());
        }
        texts.forget(ids[2]);

        let found: Vec<_> = ids.iter().map(|id| texts.find(*id).is_some()).collect();
        assert_eq!(found, [false, true, false]);
    }
}
