//! The attempts of a message: how they begin and end, and what interrupts them.

use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    attempts,
    delivery::{DeliveryEvent, InvalidTransition},
    job::{Job, Step},
    message::Message,
    provider::{Attempt, AttemptOutcome, Outcome},
};
use ports::{messages::Recorded, store::StoreError};

use super::Deliveries;
use crate::digest;

/// For how long after its acceptance the lease on a message certainly outlives a call that begins.
/// A lease lasts 120 s and a call 60 s at the most; the rest is for writing down what came of it.
const YOUNG: TimeDelta = TimeDelta::seconds(30);

/// Why a job was put down.
pub(super) enum Interruption {
    /// Another worker has it now.
    Lost,
    /// It does not fit its message.
    Misfit(InvalidTransition),
    /// The store failed.
    Store(StoreError),
}

impl From<InvalidTransition> for Interruption {
    fn from(misfit: InvalidTransition) -> Self {
        Self::Misfit(misfit)
    }
}

impl From<StoreError> for Interruption {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl Deliveries {
    /// Keeps an attempt and its round before it begins, which shows that the lease still holds, and
    /// renews it. The
    /// first one was kept when the message was accepted, if it goes to the provider that was
    /// foreseen; as long as that lease is young it needs no second write.
    pub(super) async fn begin_attempt(
        &self,
        job: &mut Job,
        provider: &str,
        now: DateTime<Utc>,
    ) -> Result<(), Interruption> {
        let is_young = job.is_fresh && now - job.message.created_at <= YOUNG;
        let attempts = &mut job.message.attempts;
        if is_young && attempts.last().is_some_and(|it| it.is_open() && it.provider == provider) {
            return Ok(());
        }
        attempts.retain(|attempt| !attempt.is_open());
        attempts::begin(attempts, provider, now);
        let dispatched = job.message.delivery.after(DeliveryEvent::Dispatched)?;
        let rounds = job.rounds.saturating_add(1);
        let step = Step { keeps_lease: true, rounds, ..job.clone().step(dispatched.clone()) };
        match self.record(step).await? {
            Recorded::Done => {
                job.message.delivery = dispatched;
                Ok(())
            }
            Recorded::Stale => Err(Interruption::Lost),
        }
    }
}

/// The attempt at which the message was, or may have been, taken; failing that, the last.
pub(super) fn holder(attempts: &[Attempt]) -> Option<&Attempt> {
    attempts.iter().rfind(|attempt| attempt.may_have_it()).or(attempts.last())
}

/// An answer with its texts as they can be kept.
pub(super) fn sanitized(outcome: Outcome) -> Outcome {
    match outcome {
        Outcome::Accepted { reference, follow_up } => {
            Outcome::Accepted { reference: reference.map(digest::of_reference), follow_up }
        }
        Outcome::Rejected(failure) => Outcome::Rejected(failure.cleaned()),
        Outcome::NotAccepted { failure, retry_after } => {
            Outcome::NotAccepted { failure: failure.cleaned(), retry_after }
        }
        Outcome::Unknown(failure) => Outcome::Unknown(failure.cleaned()),
    }
}

/// Writes the end of the attempt that is under way into a message.
pub(super) fn end_attempt(message: &mut Message, now: DateTime<Utc>, outcome: &Outcome) {
    if let Some(attempt) = message.attempts.pop() {
        message.attempts.push(attempt.end(now, outcome));
    }
}

/// Writes the end of an attempt whose worker died into a message. False if there is none.
pub(super) fn end_abandoned(message: &mut Message, now: DateTime<Utc>) -> bool {
    match message.attempts.pop_if(|attempt| attempt.is_open()) {
        Some(attempt) => {
            message.attempts.push(attempt.abandon(now));
            true
        }
        None => false,
    }
}

pub(super) fn observe(message: &Message, outcome: &Outcome, provider: &str) {
    let (kind, failure) = match outcome {
        Outcome::Accepted { .. } => (AttemptOutcome::Accepted, None),
        Outcome::Rejected(failure) => (AttemptOutcome::Rejected, Some(failure)),
        Outcome::NotAccepted { failure, .. } => (AttemptOutcome::NotAccepted, Some(failure)),
        Outcome::Unknown(failure) => (AttemptOutcome::Unknown, Some(failure)),
    };
    let kind = kind.as_str();
    metrics::counter!("atumpan_attempts_total", "provider" => provider.to_owned(), "outcome" => kind)
        .increment(1);
    if let Some(failure) = failure {
        let recipient = message.draft.recipient.masked();
        tracing::info!(
            message_id = %message.id, provider, outcome = kind, code = failure.code.as_str(),
            recipient, "a provider did not take a message"
        );
    }
}
