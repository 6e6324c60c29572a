//! Rate limits and a health probe for a process that shares nothing with others.

use std::{
    collections::{HashMap, hash_map::RandomState},
    hash::BuildHasher,
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use async_trait::async_trait;
use domain::shared::rate::{Level, Rate};
use ports::platform::{
    health::SharedProbe,
    rate_limits::{Exceeded, RateLimiter},
};

const SHARDS: usize = 16;
/// Number of buckets in a generation of a shard. All shards together then hold a quarter of a
/// million, in some megabytes.
const GENERATION: usize = 8_192;

/// Rate limiter that keeps buckets in this process alone. When there are too many, buckets that
/// were not used recently are forgotten, and so are full again.
#[derive(Debug)]
pub struct InProcess {
    began: Instant,
    hashing: RandomState,
    shards: [Mutex<Shard>; SHARDS],
}

/// Times at which buckets will be full, in two generations: a used bucket moves to the present one;
/// when that is full, the past one is dropped.
#[derive(Debug, Default)]
struct Shard {
    present: HashMap<u64, Duration>,
    past: HashMap<u64, Duration>,
}

impl Default for InProcess {
    fn default() -> Self {
        let shards = std::array::from_fn(|_| Mutex::default());
        Self { began: Instant::now(), hashing: RandomState::new(), shards }
    }
}

impl InProcess {
    fn take_at(
        &self,
        now: Duration,
        key: &str,
        rate: Rate,
        tokens: u32,
    ) -> Result<Level, Exceeded> {
        let key = self.hashing.hash_one(key);
        let mut shard = self.shard(key);
        let before = shard.find(key).unwrap_or_default();
        let taken = rate.take(before, now, tokens);
        let full_at = taken.unwrap_or(before);
        shard.keep(key, full_at);
        let level = rate.level(full_at.saturating_sub(now));
        match taken {
            Ok(_) => Ok(level),
            Err(empty) => Err(Exceeded { retry_after: empty.wait, level }),
        }
    }

    fn level_at(&self, now: Duration, key: &str, rate: Rate) -> Level {
        let key = self.hashing.hash_one(key);
        let full_at = self.shard(key).find(key).unwrap_or_default();
        rate.level(full_at.saturating_sub(now))
    }

    fn shard(&self, key: u64) -> MutexGuard<'_, Shard> {
        // The low bits place a key within the maps.
        let shard = &self.shards[(key >> 60) as usize % SHARDS];
        shard.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Shard {
    fn find(&self, key: u64) -> Option<Duration> {
        self.present.get(&key).or_else(|| self.past.get(&key)).copied()
    }

    fn keep(&mut self, key: u64, full_at: Duration) {
        if self.present.len() >= GENERATION && !self.present.contains_key(&key) {
            self.past = std::mem::take(&mut self.present);
        }
        self.present.insert(key, full_at);
    }
}

#[async_trait]
impl RateLimiter for InProcess {
    async fn take(&self, key: &str, rate: Rate, tokens: u32) -> Result<Level, Exceeded> {
        self.take_at(self.began.elapsed(), key, rate, tokens)
    }

    async fn level(&self, key: &str, rate: Rate) -> Level {
        self.level_at(self.began.elapsed(), key, rate)
    }
}

#[async_trait]
impl SharedProbe for InProcess {
    async fn ping(&self) -> Result<String, String> {
        Ok("no Redis is configured; a substitute in the process serves".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RATE: Rate = Rate::per_second(1, 2);

    #[test]
    fn keys_have_buckets_of_their_own() {
        let limits = InProcess::default();
        let now = Duration::from_secs(5);
        let level = |millis| RATE.level(Duration::from_millis(millis));
        assert_eq!(limits.level_at(now, "a", RATE), level(0));
        assert_eq!(limits.take_at(now, "a", RATE, 2), Ok(level(2_000)));

        let later = now + Duration::from_millis(400);
        let retry_after = Duration::from_millis(600);
        let refused = Exceeded { retry_after, level: level(1_600) };
        assert_eq!(limits.take_at(later, "a", RATE, 1), Err(refused));
        assert_eq!(limits.take_at(later, "b", RATE, 1), Ok(level(1_000)));
        assert_eq!(limits.level_at(later + retry_after, "a", RATE), level(1_000));
        assert_eq!(limits.take_at(later + retry_after, "a", RATE, 1), Ok(level(2_000)));
    }

    #[test]
    fn a_flood_of_keys_takes_bounded_room_and_frees_no_active_key() {
        let limits = InProcess::default();
        let now = Duration::from_secs(5);
        limits.take_at(now, "busy", RATE, 2).unwrap();
        for key in 0..SHARDS * GENERATION * 3 {
            limits.take_at(now, &key.to_string(), RATE, 1).unwrap();
            if key % 1_000 == 0 {
                assert!(limits.take_at(now, "busy", RATE, 1).is_err(), "after {key}");
            }
        }

        let shards = limits.shards.iter().map(|shard| shard.lock().unwrap());
        let kept: usize = shards.map(|shard| shard.present.len() + shard.past.len()).sum();
        assert!(kept <= 2 * SHARDS * GENERATION, "{kept}");
    }
}
