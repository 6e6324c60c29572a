//! Messages that wait for the time for which they were scheduled.
//!
//! ```
//! use ports::{messaging::scheduled_messages::ScheduledMessageRepository, shared::store::StoreError};
//!
//! async fn release(scheduled: &dyn ScheduledMessageRepository) -> Result<usize, StoreError> {
//!     scheduled.release_due().await
//! }
//! ```

use async_trait::async_trait;
use domain::{
    identity::organization::Organization,
    messaging::{job::Job, message::Message},
    shared::id::Id,
};

use crate::shared::store::StoreError;

/// Finds, moves and takes messages that no provider was given, and releases those that are due.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait ScheduledMessageRepository: Send + Sync {
    /// Makes some of the messages due whose time has come, and returns their number. Marks those whose
    /// recipients are suppressed by now, or whose templates are not approved any more: workers fail them.
    async fn release_due(&self) -> Result<usize, StoreError>;

    /// Leases the job of a message that was not given to a provider, whether it is scheduled or waits for
    /// something else. Returns `None` if a worker has it or nothing is left to do for it.
    async fn take(
        &self,
        organization: Id<Organization>,
        id: Id<Message>,
    ) -> Result<Option<Job>, StoreError>;

    /// Stores the new time of a message. Returns false if it does not wait for its time any more.
    async fn reschedule(&self, message: &Message) -> Result<bool, StoreError>;

    /// Returns some of the scheduled messages of an organization, at most `limit`.
    async fn of_organization(
        &self,
        organization: Id<Organization>,
        limit: usize,
    ) -> Result<Vec<Id<Message>>, StoreError>;
}
