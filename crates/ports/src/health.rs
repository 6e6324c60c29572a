//! Whether what we depend on is there.

use async_trait::async_trait;
use chrono::TimeDelta;

use crate::store::StoreError;

/// Looks at the database and at the work that waits in it.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait BacklogProbe: Send + Sync {
    /// Counts the jobs. Fails within seconds when the database is away.
    async fn backlog(&self) -> Result<Backlog, StoreError>;
}

/// The jobs of all instances.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Backlog {
    /// Messages that wait for a worker, or for their next try.
    pub waiting: u64,
    /// Messages in the hands of a worker.
    pub active: u64,
    /// How long the oldest message that could be delivered has waited.
    pub oldest: TimeDelta,
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
    fn tally(&self) -> Tally;
}

/// What the workers of this instance have done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tally {
    /// How many work at the same time.
    pub workers: u64,
    /// Messages that a provider took.
    pub completed: u64,
    /// Messages that failed for good.
    pub failed: u64,
}
