//! What instances share, or what stands in for it.

use std::sync::Arc;

use adapters_redis::{RedisConnection, RedisRateLimiter};
use ports::{health::SharedProbe, rate_limits::RateLimiter};
use usecases::limits::Limits;

use super::StartError;
use crate::{config::Config, rate_limits::InProcess};

/// The limits, and what is known of the store that instances share.
pub(super) fn shared(config: &Config) -> Result<(Limits, Arc<dyn SharedProbe>), StartError> {
    let in_process = Arc::new(InProcess::default());
    let (limiter, probe): (Arc<dyn RateLimiter>, Arc<dyn SharedProbe>) =
        match &config.storage.redis_url {
            Some(url) => {
                let redis = RedisConnection::new(url)?;
                (Arc::new(RedisRateLimiter::new(redis.clone(), in_process)), Arc::new(redis))
            }
            None => (Arc::clone(&in_process) as _, in_process),
        };
    let rates = config.server.clients.rates;
    let limits =
        if config.server.rate_limits { Limits::new(limiter, rates) } else { Limits::off() };
    Ok((limits, probe))
}
