//! Cache of values read from the store.

use std::{
    hash::Hash,
    sync::atomic::{AtomicI64, Ordering},
    time::Duration,
};

use chrono::{DateTime, Utc};
use moka::sync::Cache;

/// Validity of an entry after its read or the last check for changes, in milliseconds. A change takes
/// effect on every instance within a second.
const MAX_AGE: i64 = 800;
/// Longest gap between two checks for changes before all entries are evicted, in milliseconds. Stores
/// return the changes of the last minute.
const LONGEST_GAP: i64 = 30_000;
/// Maximum age of an entry.
const LIFETIME: Duration = Duration::from_secs(600);
/// Maximum total weight of the entries.
const CAPACITY: u64 = 200_000;

/// Cached reads by key.
pub(crate) struct ReadCache<K, V> {
    entries: Cache<K, Entry<V>>,
    /// Time of the last check for changes, in milliseconds.
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
    /// Creates a cache of at most 200,000 entries, fewer if some weigh more than one.
    pub(crate) fn weighing(weight: fn(&V) -> usize) -> Self {
        let weigh =
            move |_: &K, entry: &Entry<V>| u32::try_from(weight(&entry.value)).unwrap_or(u32::MAX);
        let entries =
            Cache::builder().max_capacity(CAPACITY).time_to_live(LIFETIME).weigher(weigh).build();
        Self { entries, asked_at: AtomicI64::new(i64::MIN / 2) }
    }

    /// Returns the entry of a key if it is valid.
    pub(crate) fn get(&self, key: &K, now: DateTime<Utc>) -> Option<V> {
        let entry = self.entries.get(key)?;
        let since = entry.read_at.max(self.asked_at.load(Ordering::Acquire));
        // `now` may be slightly before the last check.
        ((now.timestamp_millis() - since).abs() < MAX_AGE).then_some(entry.value)
    }

    /// Returns the entry of a key even if it may have changed.
    pub(crate) fn last_known(&self, key: &K) -> Option<V> {
        self.entries.get(key).map(|entry| entry.value)
    }

    /// Caches a value read at `now`.
    pub(crate) fn learn(&self, key: K, value: V, now: DateTime<Utc>) {
        self.entries.insert(key, Entry { value, read_at: now.timestamp_millis() });
    }

    /// Evicts the changed keys that a check at `asked_at` returned. A read that began before a change
    /// may end after that check; the store returns changes for a minute, so the next check evicts it.
    pub(crate) fn forget(&self, changed: impl IntoIterator<Item = K>, asked_at: DateTime<Utc>) {
        let asked_at = asked_at.timestamp_millis();
        if asked_at - self.asked_at.load(Ordering::Acquire) > LONGEST_GAP {
            self.entries.invalidate_all();
        }
        for key in changed {
            self.entries.invalidate(&key);
        }
        self.asked_at.store(asked_at, Ordering::Release);
    }

    /// Evicts the entry of a key.
    pub(crate) fn forget_one(&self, key: &K) {
        self.entries.invalidate(key);
    }
}
