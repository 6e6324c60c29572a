//! Recent numbers of messages to the same numbers, in this process.

use std::{
    collections::{HashMap, hash_map::RandomState},
    hash::BuildHasher,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use domain::{
    identity::organization::Organization, platform::fraud_guard::VelocityLimit, shared::id::Id,
};

const SHARDS: usize = 16;
/// Number of buckets in a generation of a shard. All shards together hold at most half a million, in
/// about ten megabytes.
const GENERATION: usize = 16_384;

/// Buckets of all limits of all organizations. If there are too many, the least recently used ones are
/// dropped, and so are full again.
pub(super) struct VelocityBuckets {
    hashing: RandomState,
    shards: [Mutex<Shard>; SHARDS],
}

/// Times at which buckets are full again, by the hash of their key, in two generations: a used bucket
/// moves to the present one, and when that is full the past one is dropped.
#[derive(Default)]
struct Shard {
    present: HashMap<u64, Duration>,
    past: HashMap<u64, Duration>,
}

impl Default for VelocityBuckets {
    fn default() -> Self {
        let shards = std::array::from_fn(|_| Mutex::default());
        Self { hashing: RandomState::new(), shards }
    }
}

impl VelocityBuckets {
    /// Counts a message against all its limits. If it exceeds one, counts it against none and fails
    /// with that limit.
    pub(super) fn take(
        &self,
        organization: Id<Organization>,
        limits: &[Option<VelocityLimit>],
        now: Duration,
    ) -> Result<(), VelocityLimit> {
        for limit in limits.iter().flatten() {
            let (mut shard, key) = self.shard(organization, *limit);
            let full_at = shard.find(key);
            if limit.rate().take(full_at, now, 1).is_err() {
                // A refused bucket must not be dropped while attempts continue.
                shard.keep(key, full_at);
                return Err(*limit);
            }
        }
        for limit in limits.iter().flatten() {
            let (mut shard, key) = self.shard(organization, *limit);
            let full_at = shard.find(key);
            // A concurrent message may have taken the last token; a few more pass then.
            shard.keep(key, limit.rate().take(full_at, now, 1).unwrap_or(full_at));
        }
        Ok(())
    }

    fn shard(
        &self,
        organization: Id<Organization>,
        limit: VelocityLimit,
    ) -> (MutexGuard<'_, Shard>, u64) {
        // A changed limit has a new, full bucket.
        let key = self.hashing.hash_one((organization, limit.scope, limit.messages));
        // The high bits choose the shard, because the low bits place a key within the maps.
        let shard = &self.shards[(key >> 60) as usize % SHARDS];
        (shard.lock().unwrap_or_else(PoisonError::into_inner), key)
    }
}

impl Shard {
    fn find(&self, key: u64) -> Duration {
        self.present.get(&key).or_else(|| self.past.get(&key)).copied().unwrap_or_default()
    }

    fn keep(&mut self, key: u64, full_at: Duration) {
        if self.present.len() >= GENERATION && !self.present.contains_key(&key) {
            self.past = std::mem::take(&mut self.present);
        }
        self.present.insert(key, full_at);
    }
}

#[cfg(test)]
mod tests {
    use domain::{
        identity::traffic::NumberBlock, platform::fraud_guard::VelocityScope,
        shared::address::Address,
    };

    use super::*;
    use crate::shared::fixtures::tenant;

    const NOW: Duration = Duration::from_secs(1_700_000_000);

    fn limit(number: u64, messages: u32) -> VelocityLimit {
        let number = Address::stored(format!("+{number}"));
        let scope = VelocityScope::Block(NumberBlock::of(&number).unwrap());
        VelocityLimit { scope, messages }
    }

    #[test]
    fn a_limit_refills_within_an_hour() {
        let buckets = VelocityBuckets::default();
        let limits = [Some(limit(233_241_234_567, 60))];
        for _ in 0..60 {
            buckets.take(tenant(), &limits, NOW).unwrap();
        }
        assert_eq!(buckets.take(tenant(), &limits, NOW).unwrap_err().messages, 60);
        let other = [Some(limit(233_241_235_567, 60))];
        buckets.take(tenant(), &other, NOW).unwrap();

        let later = NOW + Duration::from_secs(600);
        let passed = (0..60).filter(|_| buckets.take(tenant(), &limits, later).is_ok()).count();
        assert_eq!(passed, 10);
    }

    #[test]
    fn a_refused_message_counts_against_no_limit() {
        let buckets = VelocityBuckets::default();
        let (narrow, wide) = (Some(limit(233_241_234_567, 2)), Some(limit(1_000, 3)));
        for _ in 0..10 {
            let _ = buckets.take(tenant(), &[narrow, wide], NOW);
        }
        buckets.take(tenant(), &[wide], NOW).unwrap();
        assert_eq!(buckets.take(tenant(), &[wide], NOW).unwrap_err().messages, 3);
    }

    #[test]
    fn memory_is_bounded_and_refusals_outlast_many_numbers() {
        let buckets = VelocityBuckets::default();
        let busy = [Some(limit(1_000, 1))];
        buckets.take(tenant(), &busy, NOW).unwrap();
        for number in 2..1_500_000_u64 {
            buckets.take(tenant(), &[Some(limit(number * 1_000, 1))], NOW).unwrap();
            if number % 1_000 == 0 {
                assert!(buckets.take(tenant(), &busy, NOW).is_err(), "after {number}");
            }
        }

        let shards = buckets.shards.iter().map(|shard| shard.lock().unwrap());
        let kept: usize = shards.map(|shard| shard.present.len() + shard.past.len()).sum();
        assert!(kept <= 2 * SHARDS * GENERATION, "{kept}");
    }
}
