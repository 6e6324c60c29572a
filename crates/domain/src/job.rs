//! Jobs: messages that are due for something, each in the hands of one worker at a time.

use chrono::TimeDelta;
use uuid::Uuid;

use crate::{
    delivery::{Delivery, Status},
    lane::Line,
    message::Message,
    money::Money,
};

/// Proof that a job is in the hands of whoever shows it. A lease that ran out and went to another
/// worker has another token, so the first one's late result changes nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Lease(pub Uuid);

impl Lease {
    /// The proof of nothing: the job is free, for whoever claims it.
    pub const NONE: Self = Self(Uuid::nil());

    /// Whether a worker has the job.
    pub fn is_held(self) -> bool {
        self != Self::NONE
    }
}

/// A leased message: deliver it, or ask what became of it.
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
    /// Whether nobody had it before: the attempt that was kept when it was accepted has not begun.
    pub is_fresh: bool,
}

/// A step of a message from one state to another, to be written down.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// The message as it stands after the step.
    pub message: Message,
    /// The state that it left. Another state in the store means that the step comes too late.
    pub from: Status,
    /// The lease under which the step was made; `None` for a provider's report.
    pub lease: Option<Lease>,
    /// In how many rounds a provider was called, this one too.
    pub rounds: u8,
    /// What the message waits for, as long as no provider has it.
    pub line: Line,
    /// Whether the worker goes on with the message: the lease begins anew.
    pub keeps_lease: bool,
    /// Whether the recipient can answer over the provider that took the message.
    pub can_be_answered: bool,
    /// When the message is due again; `None` is never.
    pub due_in: Option<TimeDelta>,
}

impl Job {
    /// The step of this job's message to `delivery`, after which it is not due again.
    pub fn step(self, delivery: Delivery) -> Step {
        Step {
            from: self.message.delivery.status(),
            message: Message { delivery, ..self.message },
            lease: Some(self.lease),
            rounds: self.rounds,
            line: self.line,
            keeps_lease: false,
            can_be_answered: false,
            due_in: None,
        }
    }
}

impl Step {
    /// What goes back to the wallet when this step is written: what a message that fails has cost.
    /// One that had failed before got it back then.
    pub fn refund(&self) -> Money {
        let is_failed = self.message.delivery.status() == Status::Failed;
        if is_failed && self.from != Status::Failed { self.message.cost } else { Money::ZERO }
    }
}

#[cfg(test)]
mod tests;
