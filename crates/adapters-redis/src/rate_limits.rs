//! Limits that hold over all instances.

use std::{
    sync::{Arc, LazyLock},
    time::Duration,
};

use async_trait::async_trait;
use domain::rate::Rate;
use ports::rate_limits::{Exceeded, RateLimiter};
use redis::Script;

use crate::RedisConnection;

const PREFIX: &str = "atumpan:bucket:";

/// `Rate::take` of the domain, by the clock of Redis and in microseconds. Returns how long to wait,
/// or 0 if the tokens were taken. A key lives until its bucket is full.
static TAKE: LazyLock<Script> = LazyLock::new(|| {
    Script::new(
        "local time = redis.call('TIME')
         local now = time[1] * 1000000 + time[2]
         local span, taken = tonumber(ARGV[1]), tonumber(ARGV[2])
         local missing = tonumber(redis.call('GET', KEYS[1]) or '0') - now
         missing = math.min(math.max(missing, 0), span) + taken
         if missing > span then
             return math.ceil(missing - span)
         end
         local full_at = string.format('%.0f', now + missing)
         redis.call('SET', KEYS[1], full_at, 'PX', math.ceil(missing / 1000))
         return 0",
    )
});

/// Keeps buckets in Redis, and in a substitute as long as Redis does not answer.
pub struct RedisRateLimiter {
    connection: RedisConnection,
    substitute: Arc<dyn RateLimiter>,
}

impl RedisRateLimiter {
    /// Counts through `connection`, else with `substitute`.
    pub fn new(connection: RedisConnection, substitute: Arc<dyn RateLimiter>) -> Self {
        Self { connection, substitute }
    }

    /// How long to wait, unless Redis does not answer.
    async fn wait(&self, key: &str, rate: Rate, tokens: u32) -> Option<Duration> {
        if self.connection.is_away() {
            return None;
        }
        let taken = rate.interval * tokens.min(rate.burst.max(1));
        let answer = TAKE
            .key(format!("{PREFIX}{key}"))
            .arg(micros(rate.span()))
            .arg(micros(taken))
            .invoke_async::<u64>(&mut self.connection.manager())
            .await;
        self.connection.heard(answer).map(Duration::from_micros)
    }
}

fn micros(duration: Duration) -> u64 {
    u64::try_from(duration.as_micros()).unwrap_or(u64::MAX).max(1)
}

#[async_trait]
impl RateLimiter for RedisRateLimiter {
    async fn take(&self, key: &str, rate: Rate, tokens: u32) -> Result<(), Exceeded> {
        match self.wait(key, rate, tokens).await {
            Some(Duration::ZERO) => Ok(()),
            Some(retry_after) => Err(Exceeded { retry_after }),
            None => self.substitute.take(key, rate, tokens).await,
        }
    }
}
