//! Limits on how often something is done.

use std::time::Duration;

use async_trait::async_trait;
use domain::shared::rate::{Level, Rate};

/// It was done too often.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Exceeded {
    /// How long until it may be done again.
    pub retry_after: Duration,
    /// How full the bucket is.
    pub level: Level,
}

/// Counts what is done, over all instances where it can.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait RateLimiter: Send + Sync {
    /// Takes `tokens` from the bucket of `key`, all or none. Returns how full it is then.
    async fn take(&self, key: &str, rate: Rate, tokens: u32) -> Result<Level, Exceeded>;

    /// How full the bucket of `key` is. Takes nothing.
    async fn level(&self, key: &str, rate: Rate) -> Level;
}
