//! How messages are accepted, worked on and followed.

use std::time::Duration;

use async_trait::async_trait;
use domain::{
    audience::contact::Contact,
    identity::organization::Organization,
    messaging::{
        intake::Backlog,
        job::{Job, Step},
        message::Message,
        priority::{Line, Priority},
    },
    money::{
        funds::{SpendingLimitReached, Unpayable},
        wallet::InsufficientBalance,
    },
    outreach::{campaign::Campaign, trigger::Trigger},
    shared::id::Id,
};
use thiserror::Error;

use crate::shared::store::StoreError;

/// Makes messages durable and paid for, all of a submission or none.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait Intake: Send + Sync {
    /// Accepts the messages of a submission in one transaction: idempotency key, suppression,
    /// debit, log and job. Returns once that is durable.
    async fn accept(&self, submission: Submission) -> Result<Receipt, IntakeError>;
}

/// Messages of one request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Submission {
    /// Who sends and pays.
    pub organization: Id<Organization>,
    /// What makes a repetition of the request known.
    pub idempotency: Option<Idempotency>,
    /// The messages, priced.
    pub messages: Vec<Message>,
    /// Who works on them first.
    pub first_worker: FirstWorker,
    /// What moves on with their acceptance.
    pub advance: Option<Advance>,
}

/// What moves on in the transaction that accepts a submission. If somebody else has moved it on
/// meanwhile, the submission is not accepted: [`IntakeError::Overtaken`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Advance {
    /// A campaign reaches more of its contacts.
    Campaign(CampaignAdvance),
    /// A trigger is as this from now on: another of its channels is tried, the first or the next.
    Trigger(Trigger),
}

/// The contacts of a campaign, from one to another, have their messages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CampaignAdvance {
    /// The campaign.
    pub campaign: Id<Campaign>,
    /// The last contact before these; nobody, at the beginning.
    pub after: Option<Id<Contact>>,
    /// The last of these contacts.
    pub last: Id<Contact>,
    /// How many of them have no address for the channel, and hence no message.
    pub unreachable: u32,
}

/// Who works on messages that have just been accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FirstWorker {
    /// The workers of this instance, by [`LocalQueue`].
    Workers,
    /// Whoever submitted them and now waits for the outcome.
    Submitter,
}

/// A request's own name for itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Idempotency {
    /// The key; unique in its mode of the organization for 24 hours.
    pub key: String,
    /// The mode: sandbox and live have keys of their own.
    pub is_sandbox: bool,
    /// The SHA-256 of what the request asks for.
    pub fingerprint: [u8; 32],
}

/// What became of a submission.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Receipt {
    /// Its messages are durable, paid for and leased, in their order.
    Accepted(Vec<Job>),
    /// The same request was accepted before: its messages as they stand now, in their order.
    Replayed(Vec<Message>),
}

/// Why a submission was not accepted. Nothing of it is kept.
#[derive(Debug, Error)]
pub enum IntakeError {
    /// The wallet cannot pay for all of it.
    #[error(transparent)]
    InsufficientBalance(#[from] InsufficientBalance),
    /// It would exceed what the organization lets itself spend in a day.
    #[error(transparent)]
    SpendingLimitReached(#[from] SpendingLimitReached),
    /// Another request used the key.
    #[error("the idempotency key was used for a different request")]
    IdempotencyKeyReused,
    /// Somebody else has moved on what was to move on with the submission.
    #[error("somebody else was first")]
    Overtaken,
    /// More was submitted than can be written; it may be submitted again in a moment.
    #[error("too many messages wait to be accepted")]
    Overloaded,
    /// The store refused or failed.
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

/// The queue of this instance, which takes over messages that were just accepted, so that nobody
/// needs to claim them.
#[cfg_attr(feature = "mock", mockall::automock)]
pub trait LocalQueue: Send + Sync {
    /// What a message that was just accepted waits for.
    fn line(&self, message: &Message) -> Line;

    /// How many more jobs of a line of `priority` can be taken over.
    fn room(&self, priority: Priority, line: Line) -> usize;

    /// Takes jobs over, and gives back those for which there is no room.
    fn offer(&self, jobs: Vec<Job>) -> Vec<Job>;

    /// Says that there are due jobs in the store that were not offered.
    fn wake(&self);

    /// What waits here and could go now. While that is much, acceptance is slowed. Nothing, where
    /// acceptance takes nothing away from delivery.
    fn backlog(&self) -> Backlog {
        Backlog::default()
    }
}

/// The most due jobs that an instance can work on soon.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClaimLimits {
    /// Of all lines together.
    pub total: usize,
    /// Of each line of each priority that the instance knows.
    pub lines: Vec<LineLimit>,
    /// Of each other line of a priority, such as one that was known before the providers were
    /// declared anew.
    pub unknown_lines: usize,
}

/// How many jobs of a line of a priority can be worked on soon.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LineLimit {
    /// The priority.
    pub priority: Priority,
    /// The line in it.
    pub line: Line,
    /// How many; none while nobody can take them.
    pub jobs: usize,
}

impl ClaimLimits {
    /// Up to `limit` jobs of any kind.
    pub const fn any(limit: usize) -> Self {
        Self { total: limit, lines: Vec::new(), unknown_lines: limit }
    }
}

/// The jobs of all instances.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait Jobs: Send + Sync {
    /// Leases due jobs, within `limits`: urgent priorities first, organizations in turn. Those that the
    /// limits leave out are leased, a few at a time, when they have been due for ten minutes: they may
    /// have expired.
    async fn claim(&self, limits: &ClaimLimits) -> Result<Vec<Job>, StoreError>;

    /// Writes a step down: the log's line, the refund, the counters and when the job is due again.
    /// Waits for a store that is away. Steps of many callers are written together.
    async fn record(&self, step: Step) -> Result<Recorded, StoreError>;

    /// Gives leased jobs back on which nobody has begun to work: they are due at once, for others to
    /// claim. An attempt that was only planned is forgotten, for it never took place. What they wait
    /// for is kept.
    async fn release(&self, jobs: &[Job]) -> Result<(), StoreError>;

    /// Finds a message by its identifier alone, as providers know it.
    async fn find(&self, id: Id<Message>) -> Result<Option<Message>, StoreError>;
}

/// What this process knows of its own leases without asking the store.
#[cfg_attr(feature = "mock", mockall::automock)]
pub trait OwnLeases: Send + Sync {
    /// Whether no other process can have taken over a lease that was given to this one `age` ago, and
    /// that has not run out.
    fn are_certain(&self, age: Duration) -> bool;
}

/// What became of a [`Step`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Recorded {
    /// It was written.
    Done,
    /// Somebody else has moved the message on, or has the lease; nothing was written.
    Stale,
}
