//! Whether the service works.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use chrono::{DateTime, TimeDelta, Utc};
use futures_util::lock::Mutex as AsyncMutex;
use ports::{
    platform::health::{Backlog, SharedProbe, StoreProbe, WorkerProbe, WorkerStats},
    shared::clock::Clock,
};

/// How long a message that could be delivered may wait before that is a sign of trouble.
const MAX_WAIT: TimeDelta = TimeDelta::minutes(1);

/// For how long what was found of Redis answers whoever asks: anybody may, as often as they like.
const PING_HOLDS: TimeDelta = TimeDelta::seconds(1);

/// Operations on the health of the service.
#[derive(Clone)]
pub struct Health {
    store: Arc<dyn StoreProbe>,
    shared: Arc<dyn SharedProbe>,
    workers: Arc<dyn WorkerProbe>,
    clock: Arc<dyn Clock>,
    is_draining: Arc<AtomicBool>,
    last_ping: Arc<AsyncMutex<Option<Ping>>>,
}

/// An answer of what instances share.
#[derive(Debug, Clone)]
struct Ping {
    at: DateTime<Utc>,
    answer: Result<String, String>,
    latency: Duration,
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
        Self {
            store,
            shared,
            workers,
            clock,
            is_draining: Arc::default(),
            last_ping: Arc::default(),
        }
    }

    /// True if requests are better sent here than elsewhere. A database that is away is away for all
    /// instances: without them their callers would not even be told when to try again.
    pub fn is_ready(&self) -> bool {
        !self.is_draining.load(Ordering::Relaxed) && !self.store.stats().is_refused
    }

    /// Says from now on that requests are better sent elsewhere, because this instance is about to end.
    pub fn begin_draining(&self) {
        self.is_draining.store(true, Ordering::Relaxed);
    }

    /// Asks what instances share for a sign of life, unless somebody just has. One asks at a time.
    async fn ping(&self) -> Ping {
        let mut last = self.last_ping.lock().await;
        let now = self.clock.now();
        let is_held = |ping: &&Ping| (now - ping.at).abs() < PING_HOLDS;
        if let Some(ping) = last.as_ref().filter(is_held) {
            return ping.clone();
        }
        let asked = Instant::now();
        let answer = self.shared.ping().await;
        let ping = Ping { at: now, answer, latency: asked.elapsed() };
        *last = Some(ping.clone());
        ping
    }

    /// Looks at everything that the service depends on.
    pub async fn check(&self) -> HealthReport {
        let Ping { answer: shared, latency: shared_latency, .. } = self.ping().await;
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
