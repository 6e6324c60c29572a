//! Jobs: messages that are due for work, each leased to one worker at a time.
//!
//! ```
//! use domain::messaging::job::Lease;
//!
//! assert!(!Lease::NONE.is_held());
//! ```

use chrono::TimeDelta;
use uuid::Uuid;

use crate::{
    messaging::{
        delivery::{Delivery, Status},
        message::Message,
        priority::ProviderQueue,
    },
    shared::{money::Money, trace::TraceContext},
    webhooks::outbound_event::OutboundEvent,
};

/// Token that proves that its holder has the job. A lease that expired and went to another worker
/// has another token, so a late result of the first worker changes nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Lease(pub Uuid);

impl Lease {
    /// No lease: any worker may claim the job.
    pub const NONE: Self = Self(Uuid::nil());

    /// True if a worker has the job.
    pub fn is_held(self) -> bool {
        self != Self::NONE
    }
}

/// Leased message, which a worker hands to a provider or looks up at one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Job {
    /// Message in its current state.
    pub message: Message,
    /// Lease under which it is held.
    pub lease: Lease,
    /// Number of rounds in which a provider was called.
    pub rounds: u8,
    /// Provider queue in which it waits, as long as no provider has it.
    pub provider_queue: ProviderQueue,
    /// True if its text was scored while it waited here, and may be handed over.
    pub is_scored: bool,
}

/// Step of a message that is to be recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// A worker is about to call a provider.
    AttemptBegun(AttemptBegun),
    /// A worker has finished with a job for now.
    JobConcluded(JobConcluded),
    /// A message may not go yet.
    JobPostponed(JobPostponed),
    /// A provider reported on a message.
    ReportApplied(ReportApplied),
}

/// A worker is about to call a provider: the attempt is stored before the call, and the lease is
/// renewed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttemptBegun {
    /// Message with the attempt.
    pub message: Message,
    /// Status that the message left.
    pub from: Status,
    /// Lease, which must still hold.
    pub lease: Lease,
    /// Number of rounds in which a provider was called, including this one.
    pub rounds: u8,
}

/// A worker has finished with a job for now: a round is over, or the provider that may have the
/// message was asked. The lease ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobConcluded {
    /// Message in its current state.
    pub message: Message,
    /// Status that the message left.
    pub from: Status,
    /// Lease, which must still hold.
    pub lease: Lease,
    /// Number of rounds in which a provider was called.
    pub rounds: u8,
    /// Provider queue in which it waits, as long as no provider has it.
    pub provider_queue: ProviderQueue,
    /// True if the recipient can answer through the provider that took the message.
    pub can_be_answered: bool,
    /// Time until the message is due again; `None` ends the job.
    pub due_in: Option<TimeDelta>,
    /// Event published to the organization's webhooks; `None` if there is none.
    pub event: Option<OutboundEvent>,
}

/// A message may not go yet, and is not examined until then. The lease ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobPostponed {
    /// Message with the time at which it may go.
    pub message: Message,
    /// Lease, which must still hold.
    pub lease: Lease,
    /// Provider queue in which the message waits afterwards.
    pub provider_queue: ProviderQueue,
    /// Time until the message is due; `None` if it waits until its campaign resumes or is
    /// cancelled.
    pub due_in: Option<TimeDelta>,
    /// True if it is due sooner when its organization is restored.
    pub is_suspended: bool,
}

/// A provider reported on a message. This needs no lease, and ends any that there is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReportApplied {
    /// Message in its current state.
    pub message: Message,
    /// Status that the message left.
    pub from: Status,
    /// Time until the message is due again; `None` ends the job.
    pub due_in: Option<TimeDelta>,
    /// Event published to the organization's webhooks; `None` if there is none.
    pub event: Option<OutboundEvent>,
}

impl Job {
    /// Ends the work on this job, with the message in `delivery` and not due again.
    pub fn conclude(self, delivery: Delivery) -> JobConcluded {
        JobConcluded {
            from: self.message.delivery.status(),
            message: Message { delivery, ..self.message },
            lease: self.lease,
            rounds: self.rounds,
            provider_queue: self.provider_queue,
            can_be_answered: false,
            due_in: None,
            event: None,
        }
    }
}

impl Step {
    /// Returns the message after the step.
    pub const fn message(&self) -> &Message {
        match self {
            Self::AttemptBegun(AttemptBegun { message, .. })
            | Self::JobConcluded(JobConcluded { message, .. })
            | Self::JobPostponed(JobPostponed { message, .. })
            | Self::ReportApplied(ReportApplied { message, .. }) => message,
        }
    }

    /// Returns the same step of a message in that trace.
    #[must_use]
    pub fn in_trace(mut self, trace: TraceContext) -> Self {
        match &mut self {
            Self::AttemptBegun(AttemptBegun { message, .. })
            | Self::JobConcluded(JobConcluded { message, .. })
            | Self::JobPostponed(JobPostponed { message, .. })
            | Self::ReportApplied(ReportApplied { message, .. }) => message.trace = Some(trace),
        }
        self
    }

    /// Returns the message after the step.
    pub fn into_message(self) -> Message {
        match self {
            Self::AttemptBegun(AttemptBegun { message, .. })
            | Self::JobConcluded(JobConcluded { message, .. })
            | Self::JobPostponed(JobPostponed { message, .. })
            | Self::ReportApplied(ReportApplied { message, .. }) => message,
        }
    }

    /// Status that the message left. If the store has another one, the step is too late.
    pub const fn previous_status(&self) -> Status {
        match self {
            Self::AttemptBegun(AttemptBegun { from, .. })
            | Self::JobConcluded(JobConcluded { from, .. })
            | Self::ReportApplied(ReportApplied { from, .. }) => *from,
            Self::JobPostponed(JobPostponed { message, .. }) => message.delivery.status(),
        }
    }

    /// Lease under which a worker made the step; `None` for a report, which needs none.
    pub const fn lease(&self) -> Option<Lease> {
        match self {
            Self::AttemptBegun(AttemptBegun { lease, .. })
            | Self::JobConcluded(JobConcluded { lease, .. })
            | Self::JobPostponed(JobPostponed { lease, .. }) => Some(*lease),
            Self::ReportApplied(_) => None,
        }
    }

    /// True if an event is published: the message was handed over, delivered or given up.
    pub fn publishes_event(&self) -> bool {
        let status = self.message().delivery.status();
        let is_news = matches!(status, Status::Sent | Status::Delivered | Status::Failed);
        is_news && status != self.previous_status()
    }

    /// True if no event about the message was published before: it leaves a status in which no
    /// provider had taken it.
    pub const fn publishes_first_event(&self) -> bool {
        matches!(self.previous_status(), Status::Queued | Status::Pending)
    }

    /// Event published to the organization's webhooks.
    pub const fn event(&self) -> Option<&OutboundEvent> {
        match self {
            Self::AttemptBegun(_) | Self::JobPostponed(_) => None,
            Self::JobConcluded(JobConcluded { event, .. })
            | Self::ReportApplied(ReportApplied { event, .. }) => event.as_ref(),
        }
    }

    /// Returns the same step, for which `event` is published to the organization's webhooks.
    #[must_use]
    pub fn publishing(self, event: OutboundEvent) -> Self {
        let event = Some(event);
        match self {
            Self::JobConcluded(concluded) => JobConcluded { event, ..concluded }.into(),
            Self::ReportApplied(applied) => ReportApplied { event, ..applied }.into(),
            step @ (Self::AttemptBegun(_) | Self::JobPostponed(_)) => step,
        }
    }

    /// Number of rounds in which a provider was called; `None` if the step does not record it.
    pub const fn rounds(&self) -> Option<u8> {
        match self {
            Self::AttemptBegun(AttemptBegun { rounds, .. })
            | Self::JobConcluded(JobConcluded { rounds, .. }) => Some(*rounds),
            Self::JobPostponed(_) | Self::ReportApplied(_) => None,
        }
    }

    /// Time until the message is due again after it was with a provider, or after a failed round.
    pub const fn due_in(&self) -> Option<TimeDelta> {
        match self {
            Self::AttemptBegun(_) | Self::JobPostponed(_) => None,
            Self::JobConcluded(JobConcluded { due_in, .. })
            | Self::ReportApplied(ReportApplied { due_in, .. }) => *due_in,
        }
    }

    /// Amount that returns to the wallet when this step is written: the cost of a message that
    /// fails. A message that had failed before was refunded then.
    pub fn refund(&self) -> Money {
        let is_failed = self.message().delivery.status() == Status::Failed;
        if is_failed && self.previous_status() != Status::Failed {
            self.message().cost
        } else {
            Money::ZERO
        }
    }
}

impl From<AttemptBegun> for Step {
    fn from(begun: AttemptBegun) -> Self {
        Self::AttemptBegun(begun)
    }
}

impl From<JobConcluded> for Step {
    fn from(concluded: JobConcluded) -> Self {
        Self::JobConcluded(concluded)
    }
}

impl From<JobPostponed> for Step {
    fn from(postponed: JobPostponed) -> Self {
        Self::JobPostponed(postponed)
    }
}

impl From<ReportApplied> for Step {
    fn from(applied: ReportApplied) -> Self {
        Self::ReportApplied(applied)
    }
}

#[cfg(test)]
mod tests;
