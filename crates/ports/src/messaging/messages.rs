//! Acceptance of messages, and the queue of jobs that deliver them.
//!
//! ```
//! use ports::{
//!     messaging::messages::{ClaimLimits, Jobs},
//!     shared::store::StoreError,
//! };
//!
//! async fn give_back(jobs: &dyn Jobs) -> Result<usize, StoreError> {
//!     let claimed = jobs.claim(&ClaimLimits::any(10)).await?;
//!     jobs.release(&claimed).await?;
//!     Ok(claimed.len())
//! }
//! ```

use domain::messaging::message::CampaignId;
use std::time::Duration;

use async_trait::async_trait;
use domain::{
    audience::contact::Contact,
    identity::organization::Organization,
    messaging::{
        intake::Backlog,
        job::{Job, Step},
        message::Message,
        priority::{Priority, ProviderQueue},
        resend::Resend,
    },
    money::{
        funds::{SpendingLimitReached, Unpayable},
        wallet::InsufficientBalance,
    },
    outreach::trigger::Trigger,
    shared::id::Id,
};
use thiserror::Error;

use crate::shared::{nobody::Nobody, store::StoreError};

/// Stores and pays for the messages of a submission, all or none.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait Intake: Send + Sync {
    /// Accepts the messages of a submission in one transaction: idempotency key, suppression, debit, log
    /// and job. Returns once the transaction is durable. A planned attempt may get the time of the
    /// transaction instead of its own.
    async fn accept(&self, submission: Submission) -> Result<Receipt, IntakeError>;
}

/// Messages of one request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Submission {
    /// Organization that sends and pays.
    pub organization: Id<Organization>,
    /// Idempotency key of the request; `None` if it has none.
    pub idempotency: Option<Idempotency>,
    /// Messages with their prices.
    pub messages: Vec<Message>,
    /// Worker that handles them first.
    pub first_worker: FirstWorker,
    /// Campaign, trigger or repetition that advances with their acceptance.
    pub advance: Option<Advance>,
}

/// Campaign, trigger or repetition that advances in the transaction that accepts a submission. If it has advanced
/// meanwhile, the submission is rejected with [`IntakeError::Overtaken`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Advance {
    /// Advance of a campaign over more of its contacts.
    Campaign(CampaignAdvance),
    /// New state of a trigger: its first or next channel is tried.
    Trigger(Trigger),
    /// Repetition of a failed message, which is not repeated yet, or only by the former replacement.
    Resend(Resend),
}

/// Range of a campaign's contacts whose messages are created.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CampaignAdvance {
    /// Campaign that advances.
    pub campaign: CampaignId,
    /// Last contact before the range; `None` at the beginning of the audience.
    pub after: Option<Id<Contact>>,
    /// Last contact of the range.
    pub last: Id<Contact>,
    /// Contacts in the range that have no address for the channel, and hence no message.
    pub unreachable: Vec<Id<Contact>>,
}

/// First worker of newly accepted messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FirstWorker {
    /// Workers of this instance, through its [`LocalQueue`].
    Workers,
    /// Caller that submitted them and now waits for the outcome.
    Submitter,
}

/// Idempotency key of a request, with what it applies to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Idempotency {
    /// Key, unique per organization and mode for 24 hours.
    pub key: String,
    /// True for the sandbox mode. Sandbox and live mode have separate keys.
    pub is_sandbox: bool,
    /// SHA-256 of the request's content.
    pub fingerprint: [u8; 32],
    /// Places in the request that got no message, in ascending order: a bulk request may be accepted
    /// in part.
    pub gaps: Vec<u16>,
}

/// Result of a submission.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Receipt {
    /// Jobs of the messages, which are durable, paid for and leased, in their order.
    Accepted(Vec<Job>),
    /// Messages of an earlier, identical request in their current state, in their order.
    Replayed(Vec<Message>),
}

/// Reason why a submission was rejected. Nothing of it is stored.
#[derive(Debug, Error)]
pub enum IntakeError {
    /// The wallet's balance does not cover the whole submission.
    #[error(transparent)]
    InsufficientBalance(#[from] InsufficientBalance),
    /// The submission would exceed the organization's daily spending limit.
    #[error(transparent)]
    SpendingLimitReached(#[from] SpendingLimitReached),
    /// A different request used the key.
    #[error("the idempotency key was used for a different request")]
    IdempotencyKeyReused,
    /// The campaign, trigger or repetition of the submission has advanced meanwhile.
    #[error("somebody else was first")]
    Overtaken,
    /// The intake queue is full; the caller may retry in a moment.
    #[error("too many messages wait to be accepted")]
    Overloaded,
    /// The store rejected the write or failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<Unpayable> for IntakeError {
    fn from(unpayable: Unpayable) -> Self {
        match unpayable {
            Unpayable::InsufficientBalance(missing) => missing.into(),
            Unpayable::SpendingLimitReached(reached) => reached.into(),
        }
    }
}

/// Queue of this instance. It takes newly accepted messages over directly, so that no worker needs to claim
/// them.
#[cfg_attr(feature = "mock", mockall::automock)]
pub trait LocalQueue: Send + Sync {
    /// Returns the provider queue of a newly accepted message.
    fn provider_queue(&self, message: &Message) -> ProviderQueue;

    /// Returns the number of jobs that still fit into a provider queue of `priority`.
    fn room(&self, priority: Priority, provider_queue: ProviderQueue) -> usize;

    /// Takes jobs over, and returns those that do not fit.
    fn offer(&self, jobs: Vec<Job>) -> Vec<Job>;

    /// Signals that the store has due jobs that were not offered.
    fn wake(&self);

    /// Returns the jobs in this queue that could be delivered now. Acceptance is slowed while there are
    /// many. The default is an empty backlog, for queues whose delivery acceptance does not slow down.
    fn backlog(&self) -> Backlog {
        Backlog::default()
    }
}

/// Maximum numbers of due jobs that an instance can work on soon.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClaimLimits {
    /// Limit over all provider queues.
    pub total: usize,
    /// Limits of the provider queues that the instance knows, by priority.
    pub provider_queues: Vec<ProviderQueueLimit>,
    /// Limit of any other provider queue of a priority, such as one from before the providers were declared
    /// anew.
    pub unknown_queues: usize,
}

/// Maximum number of jobs of one provider queue and priority that can be worked on soon.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProviderQueueLimit {
    /// Priority of the jobs.
    pub priority: Priority,
    /// Provider queue of the jobs.
    pub provider_queue: ProviderQueue,
    /// Number of jobs; 0 while no worker can take them.
    pub jobs: usize,
}

impl ClaimLimits {
    /// Allows up to `limit` jobs of any kind.
    pub const fn any(limit: usize) -> Self {
        Self { total: limit, provider_queues: Vec::new(), unknown_queues: limit }
    }
}

/// Jobs of all instances.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait Jobs: Send + Sync {
    /// Leases due jobs within `limits`: urgent priorities first, organizations in turn. Jobs outside the
    /// limits are leased, a few at a time, after they have been due for ten minutes, because they may have
    /// expired.
    async fn claim(&self, limits: &ClaimLimits) -> Result<Vec<Job>, StoreError>;

    /// Records a step: the log entry, the refund, the counters and the time at which the job is next due.
    /// Waits while the store is unavailable. Steps of concurrent callers are written together.
    async fn record(&self, step: Step) -> Result<Recorded, StoreError>;

    /// Releases leased jobs that no worker has started: they become due at once. A planned attempt is
    /// discarded, because it never took place. The provider queue of each job is kept.
    async fn release(&self, jobs: &[Job]) -> Result<(), StoreError>;

    /// Finds a message by its identifier alone, as providers refer to it.
    async fn find(&self, id: Id<Message>) -> Result<Option<Message>, StoreError>;
}

/// Knowledge of this process about its own leases, without a query to the store.
#[cfg_attr(feature = "mock", mockall::automock)]
pub trait OwnLeases: Send + Sync {
    /// Returns true if no other process can have taken over an unexpired lease that this process got `age`
    /// ago.
    fn are_certain(&self, age: Duration) -> bool;
}

/// Knows no other process that takes over leases.
impl OwnLeases for Nobody {
    fn are_certain(&self, _: Duration) -> bool {
        true
    }
}

/// Result of recording a [`Step`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Recorded {
    /// Written.
    Done,
    /// The message has changed meanwhile, or the lease is lost; nothing was written.
    Stale,
}
