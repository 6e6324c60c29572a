//! Rate limits.
//!
//! ```
//! use domain::shared::rate::Rate;
//! use ports::platform::rate_limits::RateLimiter;
//!
//! async fn admits(limiter: &dyn RateLimiter, caller: &str) -> bool {
//!     limiter.take(caller, Rate::per_second(10, 20), 1).await.is_ok()
//! }
//! ```

use std::time::Duration;

use async_trait::async_trait;
use domain::shared::rate::{Level, Rate};

/// Error of an exceeded rate limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Exceeded {
    /// Time until the next attempt may succeed.
    pub retry_after: Duration,
    /// Level of the bucket.
    pub level: Level,
}

/// Counts actions against rate limits, over all instances if possible.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait RateLimiter: Send + Sync {
    /// Takes `tokens` from the bucket of `key`, all or none. Returns the level of the bucket after that.
    async fn take(&self, key: &str, rate: Rate, tokens: u32) -> Result<Level, Exceeded>;

    /// Returns the level of the bucket of `key`. Takes nothing.
    async fn level(&self, key: &str, rate: Rate) -> Level;
}
