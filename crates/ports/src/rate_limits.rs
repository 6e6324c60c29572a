//! Limits on how often something is done.

use std::time::Duration;

use async_trait::async_trait;
use domain::rate::Rate;

/// It was done too often.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Exceeded {
    /// How long until it may be done again.
    pub retry_after: Duration,
}

/// Counts what is done, over all instances where it can.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait RateLimiter: Send + Sync {
    /// Takes `tokens` from the bucket of `key`, all or none.
    async fn take(&self, key: &str, rate: Rate, tokens: u32) -> Result<(), Exceeded>;
}
