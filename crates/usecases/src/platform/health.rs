//! Health of the service.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use chrono::{DateTime, TimeDelta, Utc};
use domain::identity::caller::Administrator;
use futures_util::lock::Mutex as AsyncMutex;
use ports::{
    platform::{
        background_tasks::{BackgroundTaskProbe, BackgroundTaskState},
        health::{Backlog, SharedProbe, StoreProbe, WorkerProbe, WorkerStats},
    },
    shared::clock::Clock,
};

/// Longest healthy wait of a message that could be delivered.
const MAX_WAIT: TimeDelta = TimeDelta::minutes(1);

/// Validity of the last answer of Redis, since anyone may request health at any rate.
const PING_HOLDS: TimeDelta = TimeDelta::seconds(1);

/// Operations on the health of the service.
#[derive(Clone)]
pub struct Health {
    store: Arc<dyn StoreProbe>,
    shared: Arc<dyn SharedProbe>,
    workers: Arc<dyn WorkerProbe>,
    tasks: Arc<dyn BackgroundTaskProbe>,
    clock: Arc<dyn Clock>,
    is_draining: Arc<AtomicBool>,
    last_ping: Arc<AsyncMutex<Option<Ping>>>,
}

/// Answer of the backend that instances share.
#[derive(Debug, Clone)]
struct Ping {
    at: DateTime<Utc>,
    answer: Result<String, String>,
    latency: Duration,
}

/// State of the service.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HealthReport {
    /// Time of the check.
    pub at: DateTime<Utc>,
    /// Answer of `PostgreSQL`, or its failure.
    pub database: Result<String, String>,
    /// Answer of Redis, or of its substitute, or the failure.
    pub shared: Result<String, String>,
    /// Time that `shared` took to answer.
    pub shared_latency: Duration,
    /// State of the workers, or the reason why messages are not processed in time.
    pub workers: Result<String, String>,
    /// Waiting jobs of all instances.
    pub backlog: Backlog,
    /// Counters of the workers of this instance.
    pub worker_stats: WorkerStats,
    /// Names of the background tasks of this instance that fail at present.
    pub failing_tasks: Vec<&'static str>,
}

impl HealthReport {
    /// True if all components are healthy. A background task that fails does not count: requests are
    /// served and messages delivered all the same.
    pub fn is_ok(&self) -> bool {
        self.database.is_ok() && self.shared.is_ok() && self.workers.is_ok()
    }
}

impl Health {
    /// Creates the operations from these probes.
    pub fn new(
        store: Arc<dyn StoreProbe>,
        shared: Arc<dyn SharedProbe>,
        workers: Arc<dyn WorkerProbe>,
        tasks: Arc<dyn BackgroundTaskProbe>,
        clock: Arc<dyn Clock>,
    ) -> Self {
        Self {
            store,
            shared,
            workers,
            tasks,
            clock,
            is_draining: Arc::default(),
            last_ping: Arc::default(),
        }
    }

    /// True if this instance should receive requests. An unavailable database does not count: it is
    /// unavailable to all instances, and without any of them callers would not get a retry time.
    pub fn is_ready(&self) -> bool {
        !self.is_draining() && !self.store.stats().is_refused
    }

    /// True if this instance is about to stop.
    pub fn is_draining(&self) -> bool {
        self.is_draining.load(Ordering::Relaxed)
    }

    /// Marks this instance as not ready, because it is about to stop.
    pub fn begin_draining(&self) {
        self.is_draining.store(true, Ordering::Relaxed);
    }

    /// Pings the shared backend unless it was pinged just before. Pings do not overlap.
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

    /// Checks every dependency of the service.
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
            failing_tasks: self.failing_tasks(),
        }
    }

    /// Returns the states of the background tasks of this instance, ordered by their names.
    pub fn background_tasks(&self, _: &Administrator) -> Vec<BackgroundTaskState> {
        self.tasks.states()
    }

    fn failing_tasks(&self) -> Vec<&'static str> {
        let states = self.tasks.states();
        states.iter().filter(|state| state.is_failing()).map(|state| state.name).collect()
    }
}

#[cfg(test)]
mod tests;
