//! Jobs that delete or tag many contacts.
//!
//! ```
//! use ports::{audience::contact_jobs::ContactJobQueue, shared::store::StoreError};
//!
//! async fn work_once(queue: &dyn ContactJobQueue) -> Result<bool, StoreError> {
//!     let Some(leased) = queue.claim().await? else { return Ok(false) };
//!     queue.work_off_part(&leased).await?;
//!     Ok(true)
//! }
//! ```

use async_trait::async_trait;
use chrono::TimeDelta;
use domain::{
    audience::contact_job::{ContactJob, ContactSelection, ContactTask, SelectedContacts},
    identity::organization::Organization,
    messaging::job::Lease,
    shared::id::Id,
};

use crate::{audience::segments::EvaluationError, shared::store::StoreError};

/// Selects contacts, and stores jobs.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait ContactJobRepository: Send + Sync {
    /// Counts the selected contacts, and returns the newest of them.
    async fn preview(
        &self,
        organization: Id<Organization>,
        selection: &ContactSelection,
    ) -> Result<SelectedContacts, EvaluationError>;

    /// Adds a job for the contacts that are selected now, and returns their number. `None` if `most` jobs
    /// of the organization wait already.
    async fn begin(
        &self,
        job: &ContactJob,
        selection: &ContactSelection,
        most: usize,
    ) -> Result<Option<u64>, EvaluationError>;

    /// Finds a job.
    async fn find(
        &self,
        organization: Id<Organization>,
        id: Id<ContactJob>,
    ) -> Result<Option<ContactJob>, StoreError>;

    /// Returns up to `limit` jobs of an organization, newest first, older than `before`.
    async fn older(
        &self,
        organization: Id<Organization>,
        before: Option<Id<ContactJob>>,
        limit: usize,
    ) -> Result<Vec<ContactJob>, StoreError>;
}

/// Leased job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeasedContactJob {
    /// Organization that owns the contacts.
    pub organization: Id<Organization>,
    /// Identifier of the job.
    pub id: Id<ContactJob>,
    /// Work on each contact.
    pub task: ContactTask,
    /// Proof of the lease.
    pub lease: Lease,
}

/// Leases jobs, and does their work. If the lease is lost, a call changes nothing.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait ContactJobQueue: Send + Sync {
    /// Leases the job that has waited longest. A lease expires after a minute.
    async fn claim(&self) -> Result<Option<LeasedContactJob>, StoreError>;

    /// Does the work on the next contacts, records it in the same transaction, and releases the job. Ends
    /// the job after the last ones.
    async fn work_off_part(&self, leased: &LeasedContactJob) -> Result<(), StoreError>;

    /// Releases the job for another attempt at the same part after `delay`. After `most` failed attempts
    /// at a part the job ends as failed.
    async fn put_off(
        &self,
        leased: &LeasedContactJob,
        delay: TimeDelta,
        most: u32,
    ) -> Result<(), StoreError>;
}
