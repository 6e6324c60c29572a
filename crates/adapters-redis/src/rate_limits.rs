//! Rate limits over all instances.

use std::{
    sync::{Arc, LazyLock},
    time::Duration,
};

use async_trait::async_trait;
use domain::shared::rate::{Level, Rate};
use ports::platform::rate_limits::{Exceeded, RateLimiter};
use redis::{RedisResult, Script};

use crate::RedisConnection;

const PREFIX: &str = "atumpan:bucket:";
/// Bucket of the health check.
const PROBE: &str = "probe";

/// `Rate::take` of the domain, by the clock of Redis and in microseconds. Returns the time to wait, or 0 if
/// the tokens were taken, and the time until the bucket is full. A key lives until then.
static TAKE: LazyLock<Script> = LazyLock::new(|| {
    Script::new(
        "local time = redis.call('TIME')
         local now = time[1] * 1000000 + time[2]
         local span, taken = tonumber(ARGV[1]), tonumber(ARGV[2])
         local missing = (tonumber(redis.call('GET', KEYS[1]) or '0') or 0) - now
         missing = math.min(math.max(missing, 0), span)
         if missing + taken > span then
             return {math.ceil(missing + taken - span), missing}
         end
         if taken > 0 then
             missing = missing + taken
             local full_at = string.format('%.0f', now + missing)
             redis.call('SET', KEYS[1], full_at, 'PX', math.ceil(missing / 1000))
         end
         return {0, missing}",
    )
});

/// Rate limiter with its buckets in Redis, and in a substitute while Redis does not answer.
pub struct RedisRateLimiter {
    connection: RedisConnection,
    substitute: Arc<dyn RateLimiter>,
}

impl RedisRateLimiter {
    /// Creates a limiter that counts through `connection`, else with `substitute`.
    pub fn new(connection: RedisConnection, substitute: Arc<dyn RateLimiter>) -> Self {
        Self { connection, substitute }
    }

    /// Returns the time to wait and the level of the bucket; `None` if Redis does not answer.
    async fn ask(&self, key: &str, rate: Rate, taken: Duration) -> Option<(Duration, Level)> {
        if self.connection.is_away() {
            return None;
        }
        let answer = take(&self.connection, key, rate.span(), taken).await;
        let (wait, full_in) = self.connection.counted(answer)?;
        Some((Duration::from_micros(wait), rate.level(Duration::from_micros(full_in))))
    }
}

/// Takes from a bucket that is full again in a millisecond, to check that Redis counts.
pub(crate) async fn probe(connection: &RedisConnection) -> RedisResult<()> {
    take(connection, PROBE, Duration::from_secs(1), Duration::from_millis(1)).await.map(drop)
}

async fn take(
    connection: &RedisConnection,
    key: &str,
    span: Duration,
    taken: Duration,
) -> RedisResult<(u64, u64)> {
    TAKE.key(format!("{PREFIX}{key}"))
        .arg(micros(span).max(1))
        .arg(micros(taken))
        .invoke_async(&mut connection.manager())
        .await
}

fn micros(duration: Duration) -> u64 {
    u64::try_from(duration.as_micros()).unwrap_or(u64::MAX)
}

#[async_trait]
impl RateLimiter for RedisRateLimiter {
    async fn take(&self, key: &str, rate: Rate, tokens: u32) -> Result<Level, Exceeded> {
        let taken = rate.interval * tokens.min(rate.burst.max(1));
        match self.ask(key, rate, taken).await {
            Some((Duration::ZERO, level)) => Ok(level),
            Some((retry_after, level)) => Err(Exceeded { retry_after, level }),
            None => self.substitute.take(key, rate, tokens).await,
        }
    }

    async fn level(&self, key: &str, rate: Rate) -> Level {
        match self.ask(key, rate, Duration::ZERO).await {
            Some((_, level)) => level,
            None => self.substitute.level(key, rate).await,
        }
    }
}
