//! Cache of values read from the store.

use std::{
    hash::Hash,
    sync::atomic::{AtomicI64, AtomicU64, Ordering},
    time::Duration,
};

use chrono::{DateTime, Utc};
use moka::sync::Cache;

/// Validity of an entry after its read or the last check for changes, in milliseconds. A change takes
/// effect on every instance within a second.
const MAX_AGE: i64 = 800;
/// Maximum age of an entry.
const LIFETIME: Duration = Duration::from_secs(600);
/// Maximum total weight of the entries.
const CAPACITY: u64 = 200_000;

/// Cached reads by key.
pub(crate) struct ReadCache<K, V> {
    entries: Cache<K, Entry<V>>,
    /// Time of the last check for changes, in milliseconds.
    checked_at: AtomicI64,
    /// Number of evictions so far.
    evictions: AtomicU64,
}

#[derive(Clone)]
struct Entry<V> {
    value: V,
    read_at: i64,
}

/// Beginning of a read whose value may be cached.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ReadStart {
    at: DateTime<Utc>,
    /// Number of evictions before it.
    evictions: u64,
}

impl<K, V> ReadCache<K, V>
where
    K: Hash + Eq + Clone + Send + Sync + 'static,
    V: Clone + Send + Sync + 'static,
{
    /// Creates a cache of at most 200,000 entries, fewer if some weigh more than one.
    pub(crate) fn weighing(weight: fn(&V) -> usize) -> Self {
        let weigh =
            move |_: &K, entry: &Entry<V>| u32::try_from(weight(&entry.value)).unwrap_or(u32::MAX);
        let entries =
            Cache::builder().max_capacity(CAPACITY).time_to_live(LIFETIME).weigher(weigh).build();
        Self { entries, checked_at: AtomicI64::new(i64::MIN / 2), evictions: AtomicU64::new(0) }
    }

    /// Returns the entry of a key if it is valid.
    pub(crate) fn get(&self, key: &K, now: DateTime<Utc>) -> Option<V> {
        let entry = self.entries.get(key)?;
        let since = entry.read_at.max(self.checked_at.load(Ordering::Acquire));
        // `now` may be slightly before the last check.
        ((now.timestamp_millis() - since).abs() < MAX_AGE).then_some(entry.value)
    }

    /// Returns the entry of a key even if it may have changed.
    pub(crate) fn last_known(&self, key: &K) -> Option<V> {
        self.entries.get(key).map(|entry| entry.value)
    }

    /// Begins a read at `now`, before the store is asked.
    pub(crate) fn begin(&self, now: DateTime<Utc>) -> ReadStart {
        ReadStart { at: now, evictions: self.evictions.load(Ordering::SeqCst) }
    }

    /// Caches the value of a read. A read that began before an eviction may have missed the change, and ends
    /// after it: its value is not cached.
    pub(crate) fn learn(&self, key: &K, value: V, start: ReadStart) {
        if self.has_evicted_since(start) {
            return;
        }
        let entry = Entry { value, read_at: start.at.timestamp_millis() };
        self.entries.insert(key.clone(), entry);
        // An eviction counts before it evicts, so one of the two sees the other.
        if self.has_evicted_since(start) {
            self.entries.invalidate(key);
        }
    }

    /// Evicts the changed keys, or everything if it is unknown what has changed. All changes that were
    /// visible at `checked_at` have been passed by then.
    pub(crate) fn forget(&self, changed: Option<Vec<K>>, checked_at: DateTime<Utc>) {
        match changed {
            None => {
                self.evictions.fetch_add(1, Ordering::SeqCst);
                self.entries.invalidate_all();
            }
            Some(keys) => keys.iter().for_each(|key| self.forget_one(key)),
        }
        self.checked_at.store(checked_at.timestamp_millis(), Ordering::Release);
    }

    /// Evicts the entry of a key.
    pub(crate) fn forget_one(&self, key: &K) {
        self.evictions.fetch_add(1, Ordering::SeqCst);
        self.entries.invalidate(key);
    }

    fn has_evicted_since(&self, start: ReadStart) -> bool {
        self.evictions.load(Ordering::SeqCst) != start.evictions
    }
}

#[cfg(test)]
mod tests {
    use chrono::TimeDelta;

    use super::*;
    use crate::shared::fixtures::NOW;

    fn cache() -> ReadCache<u8, &'static str> {
        ReadCache::weighing(|_| 1)
    }

    #[test]
    fn an_entry_is_valid_for_800_ms_after_its_read_or_the_last_check() {
        let cache = cache();
        cache.learn(&1, "one", cache.begin(NOW));
        let later = |millis| NOW + TimeDelta::milliseconds(millis);

        assert_eq!(cache.get(&1, later(799)), Some("one"));
        assert_eq!(cache.get(&1, later(800)), None);
        cache.forget(Some(Vec::new()), later(5_000));
        assert_eq!(cache.get(&1, later(5_799)), Some("one"));
        assert_eq!(cache.get(&1, later(5_800)), None);
        assert_eq!(cache.last_known(&1), Some("one"));
    }

    #[test]
    fn a_change_evicts_its_key_and_an_unknown_one_everything() {
        let cache = cache();
        for key in [1, 2, 3] {
            cache.learn(&key, "before", cache.begin(NOW));
        }
        let known = || [1, 2, 3].map(|key| cache.get(&key, NOW).is_some());

        cache.forget(Some(vec![1]), NOW);
        assert_eq!(known(), [false, true, true]);
        cache.forget_one(&2);
        assert_eq!(known(), [false, false, true]);
        cache.forget(None, NOW);
        assert_eq!(known(), [false, false, false]);
    }

    #[test]
    fn a_read_that_began_before_an_eviction_is_not_cached() {
        let evictions: [fn(&ReadCache<u8, &'static str>); 3] = [
            |cache| cache.forget(Some(vec![1]), NOW),
            |cache| cache.forget(None, NOW),
            |cache| cache.forget_one(&1),
        ];
        for evict in evictions {
            let cache = cache();
            let start = cache.begin(NOW);
            evict(&cache);

            cache.learn(&1, "before", start);
            assert_eq!(cache.last_known(&1), None);
            cache.learn(&1, "after", cache.begin(NOW));
            assert_eq!(cache.get(&1, NOW), Some("after"));
        }
    }
}
