//! Failed messages that are sent again.
//!
//! ```
//! use ports::{messaging::resends::ResendQueue, shared::store::StoreError};
//!
//! async fn has_work(queue: &dyn ResendQueue) -> Result<bool, StoreError> {
//!     Ok(queue.claim().await?.is_some())
//! }
//! ```

use async_trait::async_trait;
use chrono::TimeDelta;
use domain::{
    identity::organization::Organization,
    messaging::{
        delivery_log::LogFilter,
        job::Lease,
        message::Message,
        resend::{FailedMessages, Resend, ResendFailure, ResendTask},
    },
    shared::id::Id,
};

use crate::shared::store::StoreError;

/// Reads what was sent again, and stores tasks. The repetitions are written by
/// [`Intake`](crate::messaging::messages::Intake).
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait ResendRepository: Send + Sync {
    /// Returns the newest repetitions of those messages that were sent again.
    async fn find(
        &self,
        organization: Id<Organization>,
        messages: &[Id<Message>],
    ) -> Result<Vec<Resend>, StoreError>;

    /// Counts the failed messages that fit a filter, among the newest
    /// [`MAX_COUNTED`](domain::messaging::resend::MAX_COUNTED) of its time.
    async fn count(
        &self,
        organization: Id<Organization>,
        filter: &LogFilter,
    ) -> Result<FailedMessages, StoreError>;

    /// Adds a task. Returns false if `most` tasks of the organization wait already.
    async fn begin(&self, task: &ResendTask, most: usize) -> Result<bool, StoreError>;

    /// Returns up to `most` tasks of an organization, newest first.
    async fn newest_tasks(
        &self,
        organization: Id<Organization>,
        most: usize,
    ) -> Result<Vec<ResendTask>, StoreError>;

    /// Finds a task.
    async fn find_task(
        &self,
        organization: Id<Organization>,
        id: Id<ResendTask>,
    ) -> Result<Option<ResendTask>, StoreError>;
}

/// Leased task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeasedResend {
    /// The task.
    pub task: ResendTask,
    /// Identifier below which its messages are left.
    pub position: Id<Message>,
    /// Proof of the lease.
    pub lease: Lease,
}

/// Part of the messages of a task.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ResendPart {
    /// Failed messages that fit the filter, newest first.
    pub messages: Vec<Message>,
    /// Last message that was looked at; `None` if none is left.
    pub last: Option<Id<Message>>,
}

/// Result of a part of a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ResendProgress {
    /// Number of its messages that were sent again.
    pub resent: u64,
    /// Number of its messages that were not.
    pub skipped: u64,
}

/// End of a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResendEnd {
    /// All messages were looked at.
    Completed,
    /// It ended early.
    Failed(ResendFailure),
}

/// Leases tasks, and records what was done. If the lease is lost, a call changes nothing.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait ResendQueue: Send + Sync {
    /// Leases the task that has waited longest. A lease expires after a minute.
    async fn claim(&self) -> Result<Option<LeasedResend>, StoreError>;

    /// Returns the next messages of a task, after a look at up to `most` failed messages.
    async fn next(&self, leased: &LeasedResend, most: usize) -> Result<ResendPart, StoreError>;

    /// Records the result of a part that ended at `last`, and releases the task.
    async fn advance(
        &self,
        leased: &LeasedResend,
        last: Id<Message>,
        progress: ResendProgress,
    ) -> Result<(), StoreError>;

    /// Records the result of the last part, and ends the task.
    async fn end(
        &self,
        leased: &LeasedResend,
        progress: ResendProgress,
        end: ResendEnd,
    ) -> Result<(), StoreError>;

    /// Releases the task for another attempt at the same part after `delay`.
    async fn put_off(&self, leased: &LeasedResend, delay: TimeDelta) -> Result<(), StoreError>;
}
