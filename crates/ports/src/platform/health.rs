//! Health of the dependencies of this service.
//!
//! ```
//! use ports::platform::health::{WorkerProbe, WorkerStats};
//!
//! /// Workers that do nothing.
//! struct Idle;
//!
//! impl WorkerProbe for Idle {
//!     fn stats(&self) -> WorkerStats {
//!         WorkerStats::default()
//!     }
//! }
//!
//! assert_eq!(Idle.stats().active, 0);
//! ```

use std::collections::BTreeMap;

use async_trait::async_trait;
use chrono::TimeDelta;
use domain::messaging::priority::Priority;

/// Reports the state of the database and of the work that waits in it.
#[cfg_attr(feature = "mock", mockall::automock)]
pub trait StoreProbe: Send + Sync {
    /// Returns the state as of the last probe, seconds ago. Returns at once, from memory.
    fn stats(&self) -> StoreStats;
}

/// State of the database, and of the work that waits in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoreStats {
    /// `Ok` if readers and writers are answered in time, else the problem.
    pub database: Result<(), String>,
    /// True while the database serves other clients but has no connection for this instance.
    pub is_refused: bool,
    /// Jobs of all instances; `None` while they cannot be counted.
    pub backlog: Option<Backlog>,
    /// Number of journal entries that wait to be folded.
    pub journal_lines: u64,
    /// Time that the oldest folded entry has waited to be posted.
    pub oldest_rollup: TimeDelta,
    /// Number of future months for which the delivery log and the ledger have partitions.
    pub partitions_ahead: u32,
    /// Connection pools of this instance, by name.
    pub pools: BTreeMap<&'static str, PoolStats>,
}

/// Jobs of all instances.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Backlog {
    /// Number of messages that wait for a worker or for their next attempt. At most 10,000 of each priority
    /// are counted.
    pub waiting: u64,
    /// Number of messages in flight, as the instances reported with their last heartbeats.
    pub active: u64,
    /// Waiting time of the oldest message that could be delivered.
    pub oldest: TimeDelta,
    /// Waiting messages by priority. Priorities without waiting messages are left out.
    pub priorities: BTreeMap<Priority, PriorityBacklog>,
}

/// Waiting messages of one priority.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PriorityBacklog {
    /// Number of messages, at most 10,000.
    pub waiting: u64,
    /// Waiting time of the oldest message that could be delivered.
    pub oldest: TimeDelta,
}

/// State of a connection pool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PoolStats {
    /// Maximum number of connections.
    pub max_size: usize,
    /// Number of connections in use.
    pub in_use: usize,
    /// Number of callers that wait for a connection.
    pub waiting: usize,
}

/// Probes a service that several instances share.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait SharedProbe: Send + Sync {
    /// Checks that the shared service responds. Returns a sentence about its state, or about the problem.
    async fn ping(&self) -> Result<String, String>;
}

/// Reports the work of this instance's workers.
#[cfg_attr(feature = "mock", mockall::automock)]
pub trait WorkerProbe: Send + Sync {
    /// Returns the counts since the workers started.
    fn stats(&self) -> WorkerStats;
}

/// Work of this instance's workers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct WorkerStats {
    /// Number of concurrent workers.
    pub workers: u64,
    /// Number of messages in flight, including those of requests that wait for the outcome.
    pub active: u64,
    /// Number of messages that a provider accepted.
    pub completed: u64,
    /// Number of messages that failed for good.
    pub failed: u64,
}
