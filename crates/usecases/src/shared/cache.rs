//! What was read from the store and is trusted until it changes.

use std::{
    hash::Hash,
    sync::atomic::{AtomicI64, Ordering},
    time::Duration,
};

use chrono::{DateTime, Utc};
use moka::sync::Cache;

/// How long something is trusted after it was read, or after it was last heard that it has not
/// changed, in milliseconds: what is changed holds on every instance within a second.
const TRUST: i64 = 800;
/// How long it may take to hear of changes again before everything is forgotten, in milliseconds.
/// Stores tell the changes of the last minute.
const LONGEST_SILENCE: i64 = 30_000;
/// After how long everything is read anew, whatever was heard.
const LIFETIME: Duration = Duration::from_secs(600);
/// How much is kept, as its weight counts.
const CAPACITY: u64 = 200_000;

/// What was read, by its keys.
pub(crate) struct ReadCache<K, V> {
    entries: Cache<K, Entry<V>>,
    /// When it was asked last what has changed, in milliseconds.
    asked_at: AtomicI64,
}

#[derive(Clone)]
struct Entry<V> {
    value: V,
    read_at: i64,
}

impl<K, V> ReadCache<K, V>
where
    K: Hash + Eq + Send + Sync + 'static,
    V: Clone + Send + Sync + 'static,
{
    /// Keeps 200,000 entries at the most, fewer if some weigh more than one.
    pub(crate) fn weighing(weight: fn(&V) -> usize) -> Self {
        let weigh =
            move |_: &K, entry: &Entry<V>| u32::try_from(weight(&entry.value)).unwrap_or(u32::MAX);
        let entries =
            Cache::builder().max_capacity(CAPACITY).time_to_live(LIFETIME).weigher(weigh).build();
        Self { entries, asked_at: AtomicI64::new(i64::MIN / 2) }
    }

    /// What is kept under a key, if it can be trusted.
    pub(crate) fn get(&self, key: &K, now: DateTime<Utc>) -> Option<V> {
        let entry = self.entries.get(key)?;
        let since = entry.read_at.max(self.asked_at.load(Ordering::Acquire));
        // Who asks may have looked at the clock a moment before.
        ((now.timestamp_millis() - since).abs() < TRUST).then_some(entry.value)
    }

    /// What is kept under a key, whether or not it has changed since.
    pub(crate) fn last_known(&self, key: &K) -> Option<V> {
        self.entries.get(key).map(|entry| entry.value)
    }

    /// Keeps what was looked for at `now`.
    pub(crate) fn learn(&self, key: K, value: V, now: DateTime<Utc>) {
        self.entries.insert(key, Entry { value, read_at: now.timestamp_millis() });
    }

    /// Forgets what has changed, as the store told when it was asked at `asked_at`. A look that began
    /// before a change may end after it was told; changes are told for a minute, so it is forgotten
    /// the next time.
    pub(crate) fn forget(&self, changed: impl IntoIterator<Item = K>, asked_at: DateTime<Utc>) {
        let asked_at = asked_at.timestamp_millis();
        if asked_at - self.asked_at.load(Ordering::Acquire) > LONGEST_SILENCE {
            self.entries.invalidate_all();
        }
        for key in changed {
            self.entries.invalidate(&key);
        }
        self.asked_at.store(asked_at, Ordering::Release);
    }

    /// Forgets what is kept under a key.
    pub(crate) fn forget_one(&self, key: &K) {
        self.entries.invalidate(key);
    }
}
