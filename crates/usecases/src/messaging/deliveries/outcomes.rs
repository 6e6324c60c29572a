//! What providers answer: with texts that can be kept, counted and logged.

use std::panic::AssertUnwindSafe;

use domain::{
    messaging::{
        delivery::{Failure, FailureCode},
        message::Message,
    },
    providers::provider::{AttemptOutcome, Outcome},
};
use futures_util::FutureExt;

use crate::shared::digest;

/// The outcome of a call. When the code that makes it panics, nobody can say what became of the
/// message; whoever works on it goes on.
pub(super) async fn outcome_of(provider: &str, call: impl Future<Output = Outcome>) -> Outcome {
    let outcome = AssertUnwindSafe(call).catch_unwind().await;
    outcome.unwrap_or_else(|_| {
        tracing::error!(provider, "a call to a provider panicked");
        Outcome::Unknown(Failure::new(FailureCode::UnknownOutcome, "the call broke off"))
    })
}

/// An outcome with the vendor's texts as they can be kept.
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
