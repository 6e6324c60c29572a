//! Jobs: messages that are due for something, each in the hands of one worker at a time.

use chrono::TimeDelta;
use uuid::Uuid;

use crate::{
    messaging::{
        delivery::{Delivery, Status},
        message::Message,
        priority::Line,
    },
    shared::money::Money,
    webhooks::outbound_event::OutboundEvent,
};

/// Proof that a job is in the hands of whoever shows it. A lease that ran out and went to another
/// worker has another token, so the first one's late result changes nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Lease(pub Uuid);

impl Lease {
    /// No lease: the job is free for whoever claims it.
    pub const NONE: Self = Self(Uuid::nil());

    /// Whether a worker has the job.
    pub fn is_held(self) -> bool {
        self != Self::NONE
    }
}

/// A leased message: hand it to a provider, or ask what became of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Job {
    /// The message as it stands.
    pub message: Message,
    /// The proof that it is ours for now.
    pub lease: Lease,
    /// In how many rounds a provider was called.
    pub rounds: u8,
    /// What it waits for, as long as no provider has it.
    pub line: Line,
    /// Whether its text was scored while it waited here, and may be handed over.
    pub is_scored: bool,
}

/// What is to be written down about a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// A worker is about to call a provider.
    AttemptBegun(AttemptBegun),
    /// A worker is through with a job for now.
    JobConcluded(JobConcluded),
    /// A message may not go yet.
    JobPostponed(JobPostponed),
    /// A provider reported.
    ReportApplied(ReportApplied),
}

/// A worker is about to call a provider: the attempt is kept before the call, and the lease begins
/// anew.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttemptBegun {
    /// The message with the attempt.
    pub message: Message,
    /// The state that it left.
    pub from: Status,
    /// The lease, which must still hold.
    pub lease: Lease,
    /// In how many rounds a provider was called, this one too.
    pub rounds: u8,
}

/// A worker is through with a job for now: a round is over, or the provider that may have the
/// message was asked. The lease ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobConcluded {
    /// The message as it stands.
    pub message: Message,
    /// The state that it left.
    pub from: Status,
    /// The lease, which must still hold.
    pub lease: Lease,
    /// In how many rounds a provider was called.
    pub rounds: u8,
    /// What the message waits for, as long as no provider has it.
    pub line: Line,
    /// Whether the recipient can answer over the provider that took the message.
    pub can_be_answered: bool,
    /// When the message is due again; `None` ends the job.
    pub due_in: Option<TimeDelta>,
    /// What the organization's webhooks tell of it.
    pub told: Option<OutboundEvent>,
}

/// A message may not go yet: nobody has to look at it before. The lease ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobPostponed {
    /// The message, with the time at which it may go.
    pub message: Message,
    /// The lease, which must still hold.
    pub lease: Lease,
    /// What the message waits for afterwards.
    pub line: Line,
    /// In what time it is due; `None` is when its campaign goes on, or is cancelled.
    pub due_in: Option<TimeDelta>,
    /// Whether it is due sooner if its organization is restored.
    pub is_suspended: bool,
}

/// A provider reported. That needs no lease, and ends whichever there is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReportApplied {
    /// The message as it stands.
    pub message: Message,
    /// The state that it left.
    pub from: Status,
    /// When the message is due again; `None` ends the job.
    pub due_in: Option<TimeDelta>,
    /// What the organization's webhooks tell of it.
    pub told: Option<OutboundEvent>,
}

impl Job {
    /// The end of the work on this job, which leaves the message in `delivery` and not due again.
    pub fn conclude(self, delivery: Delivery) -> JobConcluded {
        JobConcluded {
            from: self.message.delivery.status(),
            message: Message { delivery, ..self.message },
            lease: self.lease,
            rounds: self.rounds,
            line: self.line,
            can_be_answered: false,
            due_in: None,
            told: None,
        }
    }
}

impl Step {
    /// The message as it stands after the step.
    pub const fn message(&self) -> &Message {
        match self {
            Self::AttemptBegun(AttemptBegun { message, .. })
            | Self::JobConcluded(JobConcluded { message, .. })
            | Self::JobPostponed(JobPostponed { message, .. })
            | Self::ReportApplied(ReportApplied { message, .. }) => message,
        }
    }

    /// The message as it stands after the step.
    pub fn into_message(self) -> Message {
        match self {
            Self::AttemptBegun(AttemptBegun { message, .. })
            | Self::JobConcluded(JobConcluded { message, .. })
            | Self::JobPostponed(JobPostponed { message, .. })
            | Self::ReportApplied(ReportApplied { message, .. }) => message,
        }
    }

    /// The state that the message left. If the store has it in another, the step comes too late.
    pub const fn previous_status(&self) -> Status {
        match self {
            Self::AttemptBegun(AttemptBegun { from, .. })
            | Self::JobConcluded(JobConcluded { from, .. })
            | Self::ReportApplied(ReportApplied { from, .. }) => *from,
            Self::JobPostponed(JobPostponed { message, .. }) => message.delivery.status(),
        }
    }

    /// The lease under which a worker made the step.
    pub const fn lease(&self) -> Option<Lease> {
        match self {
            Self::AttemptBegun(AttemptBegun { lease, .. })
            | Self::JobConcluded(JobConcluded { lease, .. })
            | Self::JobPostponed(JobPostponed { lease, .. }) => Some(*lease),
            Self::ReportApplied(_) => None,
        }
    }

    /// Whether webhooks tell of it: the message was handed over, delivered or given up.
    pub fn is_told(&self) -> bool {
        let status = self.message().delivery.status();
        let is_news = matches!(status, Status::Sent | Status::Delivered | Status::Failed);
        is_news && status != self.previous_status()
    }

    /// What the organization's webhooks tell of it.
    pub const fn told(&self) -> Option<&OutboundEvent> {
        match self {
            Self::AttemptBegun(_) | Self::JobPostponed(_) => None,
            Self::JobConcluded(JobConcluded { told, .. })
            | Self::ReportApplied(ReportApplied { told, .. }) => told.as_ref(),
        }
    }

    /// The same step, of which the organization's webhooks tell `event`.
    #[must_use]
    pub fn telling(self, event: OutboundEvent) -> Self {
        let told = Some(event);
        match self {
            Self::JobConcluded(concluded) => JobConcluded { told, ..concluded }.into(),
            Self::ReportApplied(applied) => ReportApplied { told, ..applied }.into(),
            step @ (Self::AttemptBegun(_) | Self::JobPostponed(_)) => step,
        }
    }

    /// In how many rounds a provider was called, if the step tells.
    pub const fn rounds(&self) -> Option<u8> {
        match self {
            Self::AttemptBegun(AttemptBegun { rounds, .. })
            | Self::JobConcluded(JobConcluded { rounds, .. }) => Some(*rounds),
            Self::JobPostponed(_) | Self::ReportApplied(_) => None,
        }
    }

    /// When the message is due again after it was with a provider, or a round came to nothing.
    pub const fn due_in(&self) -> Option<TimeDelta> {
        match self {
            Self::AttemptBegun(_) | Self::JobPostponed(_) => None,
            Self::JobConcluded(JobConcluded { due_in, .. })
            | Self::ReportApplied(ReportApplied { due_in, .. }) => *due_in,
        }
    }

    /// What goes back to the wallet when this step is written: what a message that fails has cost.
    /// One that had failed before got it back then.
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
