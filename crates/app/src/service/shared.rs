//! State shared between instances, or its substitute in this process.

use std::sync::Arc;

use adapters_redis::{RedisConnection, RedisRateLimiter, RedisSignals};
use ports::{
    platform::{health::SharedProbe, rate_limits::RateLimiter},
    shared::random::Random,
};
use usecases::shared::limits::Limits;

use super::StartError;
use crate::{config::Config, rate_limits::InProcess, signals::Signals, webhook_pool::WebhookWaker};

/// State that goes through Redis if there is one, and through this process alone otherwise.
pub(super) struct Shared {
    pub(super) limits: Limits,
    pub(super) probe: Arc<dyn SharedProbe>,
    pub(super) signals: Arc<Signals>,
}

impl Shared {
    pub(super) fn new(
        config: &Config,
        random: &dyn Random,
        webhooks: &Arc<WebhookWaker>,
    ) -> Result<Self, StartError> {
        let in_process = Arc::new(InProcess::default());
        let (limiter, probe, signals): (Arc<dyn RateLimiter>, Arc<dyn SharedProbe>, _) =
            match &config.storage.redis_url {
                Some(url) => {
                    let redis = RedisConnection::new(url);
                    let redis = redis.map_err(|error| format!("REDIS_URL {error}"))?;
                    let signals = RedisSignals::new(redis.clone(), name(random));
                    let limiter = RedisRateLimiter::new(redis.clone(), in_process);
                    (Arc::new(limiter), Arc::new(redis), Some(signals))
                }
                None => (Arc::clone(&in_process) as _, in_process, None),
            };
        let rates = config.server.clients.rates;
        let limits =
            if config.server.rate_limits { Limits::new(limiter, rates) } else { Limits::off() };
        let signals = Arc::new(Signals::new(signals, Arc::clone(webhooks)));
        Ok(Self { limits, probe, signals })
    }
}

/// Returns a name that no other instance has.
fn name(random: &dyn Random) -> String {
    let mut name = [0; 8];
    name.copy_from_slice(&random.secret()[..8]);
    format!("{:016x}", u64::from_be_bytes(name))
}
