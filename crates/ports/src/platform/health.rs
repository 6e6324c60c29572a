//! Whether what we depend on is there.

use std::collections::BTreeMap;

use async_trait::async_trait;
use chrono::TimeDelta;
use domain::messaging::priority::Priority;

/// Knows the state of the database and of the work that waits in it.
#[cfg_attr(feature = "mock", mockall::automock)]
pub trait StoreProbe: Send + Sync {
    /// What was found when it was last looked, seconds ago. Answers at once, from memory.
    fn stats(&self) -> StoreStats;
}

/// The state of the database, and of the work that waits in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoreStats {
    /// Whether readers and writers are answered in time, or what is wrong.
    pub database: Result<(), String>,
    /// True while the database answers others and has no connection for this instance.
    pub is_refused: bool,
    /// The jobs of all instances; `None` while they cannot be counted.
    pub backlog: Option<Backlog>,
    /// How many lines of the journal wait to be folded.
    pub journal_lines: u64,
    /// How long the oldest of what was folded has waited to be posted.
    pub oldest_rollup: TimeDelta,
    /// For how many of the months to come the delivery log and the ledger have partitions.
    pub partitions_ahead: u32,
    /// The pools of connections of this instance, by name.
    pub pools: BTreeMap<&'static str, PoolStats>,
}

/// The jobs of all instances.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Backlog {
    /// Messages that wait for a worker, or for their next try: at the most 10 000 of each priority, for
    /// no more are counted.
    pub waiting: u64,
    /// Messages in the hands of a worker, as the instances told with their last signs of life.
    pub active: u64,
    /// How long the oldest message that could be delivered has waited.
    pub oldest: TimeDelta,
    /// The messages that wait, by priority. Priorities in which none waits are left out.
    pub priorities: BTreeMap<Priority, PriorityBacklog>,
}

/// The messages of a priority that wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PriorityBacklog {
    /// How many there are, 10 000 at the most.
    pub waiting: u64,
    /// How long the oldest that could be delivered has waited.
    pub oldest: TimeDelta,
}

/// A pool of connections.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PoolStats {
    /// How many connections there may be.
    pub max_size: usize,
    /// How many are in use.
    pub in_use: usize,
    /// How many callers wait for one.
    pub waiting: usize,
}

/// Looks at what several instances share.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait SharedProbe: Send + Sync {
    /// Asks for a sign of life; a sentence about the state, or about what is wrong.
    async fn ping(&self) -> Result<String, String>;
}

/// The workers of this instance.
#[cfg_attr(feature = "mock", mockall::automock)]
pub trait WorkerProbe: Send + Sync {
    /// What they have done since they began.
    fn stats(&self) -> WorkerStats;
}

/// What the workers of this instance have done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct WorkerStats {
    /// How many work at the same time.
    pub workers: u64,
    /// Messages in their hands, or in those of requests that wait for the outcome.
    pub active: u64,
    /// Messages that a provider took.
    pub completed: u64,
    /// Messages that failed for good.
    pub failed: u64,
}
