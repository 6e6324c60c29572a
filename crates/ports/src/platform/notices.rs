//! Notices that are to be mailed.
//!
//! ```
//! use chrono::TimeDelta;
//! use ports::{platform::notices::NoticeQueue, shared::store::StoreError};
//!
//! async fn due(queue: &dyn NoticeQueue) -> Result<usize, StoreError> {
//!     Ok(queue.take_due(TimeDelta::minutes(2), 20).await?.len())
//! }
//! ```

use async_trait::async_trait;
use chrono::TimeDelta;
use domain::{
    identity::organization::Organization,
    platform::notice::{Notice, NoticeCause},
    shared::id::Id,
};

use crate::shared::store::StoreError;

/// Notice that is due.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DueNotice {
    /// Identifier of the notice.
    pub id: Id<Notice>,
    /// Organization that it is about.
    pub organization: Id<Organization>,
    /// Key of its cause.
    pub key: String,
    /// Number of attempts, with this one.
    pub attempt: u32,
    /// Cause of the notice; `None` if this version of the service cannot read it.
    pub cause: Option<NoticeCause>,
}

/// Result of an attempt to send a notice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoticeResult {
    /// All its mails were accepted.
    Sent,
    /// Another attempt follows after this time.
    Retry(TimeDelta),
    /// No attempt follows.
    GivenUp,
}

/// Queue of notices. Each is written by the port of its cause, in the transaction of the cause.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait NoticeQueue: Send + Sync {
    /// Takes up to `limit` due notices, longest due first. No other caller gets them until the timeout is
    /// over.
    async fn take_due(
        &self,
        timeout: TimeDelta,
        limit: usize,
    ) -> Result<Vec<DueNotice>, StoreError>;

    /// Records the result of an attempt. Has no effect on a notice that was sent or given up before.
    async fn record(&self, notice: &DueNotice, result: NoticeResult) -> Result<(), StoreError>;
}
