//! Answers of providers, with texts that can be stored, counted and logged.

use std::panic::AssertUnwindSafe;

use domain::messaging::{
    attempt::AttemptOutcome,
    delivery::{Failure, FailureCode},
    message::Message,
    outcome::Outcome,
};
use futures_util::FutureExt;
use metrics::Counter;

use crate::shared::digest;

/// Returns the outcome of a call. If its code panics, the state of the message is unknown, and the
/// worker continues.
pub(super) async fn outcome_of(provider: &str, call: impl Future<Output = Outcome>) -> Outcome {
    let outcome = AssertUnwindSafe(call).catch_unwind().await;
    outcome.unwrap_or_else(|_| {
        tracing::error!(provider, "a call to a provider panicked");
        Outcome::Unknown(Failure::new(FailureCode::UnknownOutcome, "the call broke off"))
    })
}

/// Returns an outcome with the vendor's texts made fit for storage.
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

/// Counts an outcome, and logs it if the provider did not take the message.
pub(super) fn observe(message: &Message, outcome: &Outcome, provider: &str) {
    let (kind, failure) = match outcome {
        Outcome::Accepted { .. } => (AttemptOutcome::Accepted, None),
        Outcome::Rejected(failure) => (AttemptOutcome::Rejected, Some(failure)),
        Outcome::NotAccepted { failure, .. } => (AttemptOutcome::NotAccepted, Some(failure)),
        Outcome::Unknown(failure) => (AttemptOutcome::Unknown, Some(failure)),
    };
    attempts(provider, kind).increment(1);
    let kind = kind.as_str();
    if let Some(failure) = failure {
        let recipient = message.draft.recipient.masked();
        tracing::info!(
            message_id = %message.id, provider, outcome = kind, code = failure.code.as_str(),
            recipient, "a provider did not take a message"
        );
    }
}

/// Registers the counters of a provider's attempts, so that they exist before the first.
pub fn register_attempts(provider: &str) {
    for outcome in AttemptOutcome::ALL {
        attempts(provider, outcome).increment(0);
    }
}

fn attempts(provider: &str, outcome: AttemptOutcome) -> Counter {
    metrics::counter!(
        "atumpan_attempts_total",
        "provider" => provider.to_owned(), "outcome" => outcome.as_str(),
    )
}
