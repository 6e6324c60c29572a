//! Limits on how often something is done.

use std::time::Duration;

use async_trait::async_trait;

/// How often something may be done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Quota {
    /// How many times.
    pub hits: u32,
    /// Within what time.
    pub window: Duration,
}

/// The quota is used up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("too many requests; try again in {} s", .retry_after.as_secs().max(1))]
pub struct Exceeded {
    /// How long until the next window.
    pub retry_after: Duration,
}

/// Counts what is done, over all instances where it can.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait RateLimiter: Send + Sync {
    /// Counts one more for `key`. Lets it pass when the count cannot be kept.
    async fn hit(&self, key: &str, quota: Quota) -> Result<(), Exceeded>;
}
