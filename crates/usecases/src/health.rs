//! Whether the service works.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use chrono::{DateTime, TimeDelta, Utc};
use ports::{
    clock::Clock,
    health::{Backlog, SharedProbe, StoreProbe, WorkerProbe, WorkerStats},
};

/// How long a message that could be delivered may wait before that is a sign of trouble.
const MAX_WAIT: TimeDelta = TimeDelta::minutes(1);

/// Operations on the health of the service.
#[derive(Clone)]
pub struct Health {
    store: Arc<dyn StoreProbe>,
    shared: Arc<dyn SharedProbe>,
    workers: Arc<dyn WorkerProbe>,
    clock: Arc<dyn Clock>,
}

/// How the service is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HealthReport {
    /// When it was looked at.
    pub at: DateTime<Utc>,
    /// Whether `PostgreSQL` answers, or what is wrong.
    pub database: Result<String, String>,
    /// Whether Redis, or what stands in for it, answers, and how long that took.
    pub shared: Result<String, String>,
    /// How long `shared` took to answer.
    pub shared_latency: Duration,
    /// Whether messages are worked on in time, or what is wrong.
    pub workers: Result<String, String>,
    /// The jobs of all instances.
    pub backlog: Backlog,
    /// What the workers of this instance have done.
    pub worker_stats: WorkerStats,
}

impl HealthReport {
    /// Whether everything is as it should be.
    pub fn is_ok(&self) -> bool {
        self.database.is_ok() && self.shared.is_ok() && self.workers.is_ok()
    }
}

impl Health {
    /// Looks through these probes.
    pub fn new(
        store: Arc<dyn StoreProbe>,
        shared: Arc<dyn SharedProbe>,
        workers: Arc<dyn WorkerProbe>,
        clock: Arc<dyn Clock>,
    ) -> Self {
        Self { store, shared, workers, clock }
    }

    /// Whether this instance can accept messages: nothing else that the service depends on is worth
    /// sending requests elsewhere for.
    pub fn is_ready(&self) -> bool {
        self.store.stats().database.is_ok()
    }

    /// Looks at everything that the service depends on.
    pub async fn check(&self) -> HealthReport {
        let asked = Instant::now();
        let shared = self.shared.ping().await;
        let shared_latency = asked.elapsed();
        let stats = self.store.stats();
        let workers = match &stats.backlog {
            Some(backlog) if backlog.oldest > MAX_WAIT => {
                Err(format!("a message has waited for {} s", backlog.oldest.num_seconds()))
            }
            Some(_) => Ok("no message waits too long".to_owned()),
            None if stats.database.is_ok() => {
                Ok("the waiting messages are being counted".to_owned())
            }
            None => Err("the waiting messages cannot be counted".to_owned()),
        };
        HealthReport {
            at: self.clock.now(),
            database: stats.database.map(|()| "PostgreSQL answers".to_owned()),
            shared,
            shared_latency,
            workers,
            backlog: stats.backlog.unwrap_or_default(),
            worker_stats: self.workers.stats(),
        }
    }
}

#[cfg(test)]
mod tests;
