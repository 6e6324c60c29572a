//! Reconciliations after restores of the database.
//!
//! ```
//! use chrono::{DateTime, Utc};
//! use ports::{platform::reconciliations::Reconciliations, shared::store::StoreError};
//!
//! async fn may_begin(
//!     store: &dyn Reconciliations,
//!     since: DateTime<Utc>,
//! ) -> Result<bool, StoreError> {
//!     Ok(store.running_instances(since).await? == 0)
//! }
//! ```

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::{
    messaging::job::Job,
    platform::reconciliation::{LostTime, Position, Reconciliation, Stopped},
};

use crate::shared::store::StoreError;

/// Messages that were leased to ask about them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Taken {
    /// Jobs of the messages.
    pub jobs: Vec<Job>,
    /// Place of the last of them, and of those that cannot be read; `None` if none is left.
    pub last: Option<Position>,
}

/// Stores reconciliations, and takes the messages that they examine. No instance may run meanwhile.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait Reconciliations: Send + Sync {
    /// Returns the reconciliation after a restore to that time; `None` if none was begun.
    async fn find(&self, since: DateTime<Utc>) -> Result<Option<Reconciliation>, StoreError>;

    /// Stores a reconciliation with its progress.
    async fn save(&self, reconciliation: &Reconciliation) -> Result<(), StoreError>;

    /// Returns the number of instances that have shown themselves within fifteen seconds, and after the
    /// database was restored to `since`.
    async fn running_instances(&self, since: DateTime<Utc>) -> Result<u64, StoreError>;

    /// Returns the time at which the newest message was accepted; `None` if there is none.
    async fn newest_message(&self) -> Result<Option<DateTime<Utc>>, StoreError>;

    /// Stops everything that would make messages which may have been sent in the lost time: pauses
    /// campaigns, and ends triggers and repetitions.
    async fn stop_senders(&self, lost: LostTime) -> Result<Stopped, StoreError>;

    /// Leases messages after `position` that workers may have had in the lost time, at most `limit`, for
    /// two minutes.
    async fn take(
        &self,
        lost: LostTime,
        position: Option<Position>,
        limit: usize,
    ) -> Result<Taken, StoreError>;

    /// Ends the validity of messages, so that no provider is given them any more.
    async fn end_validity(
        &self,
        messages: &[Position],
        now: DateTime<Utc>,
    ) -> Result<(), StoreError>;
}
