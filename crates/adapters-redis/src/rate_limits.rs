//! Limits that hold over all instances.

use std::{sync::LazyLock, time::Duration};

use async_trait::async_trait;
use ports::rate_limits::{Exceeded, Quota, RateLimiter};
use redis::Script;

use crate::RedisConnection;

const PREFIX: &str = "atumpan:rate:";

/// Counts one more in the window of a key, and tells how many there were and how many milliseconds
/// are left of it. A key without a time to live would count for ever, so it gets one.
static COUNT: LazyLock<Script> = LazyLock::new(|| {
    Script::new(
        "local hits = redis.call('INCR', KEYS[1])
         local left = redis.call('PTTL', KEYS[1])
         if left < 0 then
             left = tonumber(ARGV[1])
             redis.call('PEXPIRE', KEYS[1], left)
         end
         return {hits, left}",
    )
});

/// Counts in fixed windows, which begin with their first hit.
#[async_trait]
impl RateLimiter for RedisConnection {
    async fn hit(&self, key: &str, quota: Quota) -> Result<(), Exceeded> {
        let window = u64::try_from(quota.window.as_millis()).unwrap_or(u64::MAX).max(1);
        let answer = COUNT
            .key(format!("{PREFIX}{key}"))
            .arg(window)
            .invoke_async::<(u64, u64)>(&mut self.manager())
            .await;
        match self.heard(answer) {
            Some((hits, left)) if hits > u64::from(quota.hits) => {
                Err(Exceeded { retry_after: Duration::from_millis(left.min(window)) })
            }
            _ => Ok(()),
        }
    }
}
