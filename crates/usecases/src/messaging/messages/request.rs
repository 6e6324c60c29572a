//! Requests to send, and the answers to repeated ones.

use domain::{
    messaging::{
        message::{Message, MessageRequest},
        priority::Origin,
    },
    shared::{fault::Faults, text},
};
use ports::messaging::messages::Idempotency;

use super::{IDEMPOTENCY_IN_PROGRESS, Sent};
use crate::{
    Error,
    shared::{digest::Fingerprint, limits::RateLimitSlot},
};

/// Maximum length of an idempotency key, in characters.
const MAX_KEY: usize = 255;

/// A request to send messages.
pub(super) struct Request<'r> {
    /// Name of its kind: equal messages of another kind are another request.
    pub(super) kind: &'static str,
    pub(super) origin: Origin,
    /// Path of each message in the request.
    pub(super) path: fn(usize) -> String,
    pub(super) messages: &'r [MessageRequest],
    pub(super) idempotency_key: Option<String>,
    pub(super) is_async: bool,
    /// Faults found so far.
    pub(super) faults: Faults,
    /// Slot for the rate limits that it counted against.
    pub(super) rate_limit: RateLimitSlot,
}

impl Request<'_> {
    /// Returns the key and the fingerprint by which a repetition is recognized. Adds the faults of
    /// the key.
    pub(super) fn idempotency(&mut self, is_sandbox: bool) -> Option<Idempotency> {
        let key = self.idempotency_key.take()?;
        let key = self.faults.take("idempotencyKey", checked_key(key))?;
        let request = Fingerprint::of(self.kind).flag(is_sandbox).flag(self.is_async);
        let request = self.messages.iter().fold(request, Fingerprint::message);
        Some(Idempotency { key, is_sandbox, fingerprint: request.finish() })
    }
}

/// Validates an idempotency key. Fails with its fault.
pub(crate) fn checked_key(key: String) -> Result<String, String> {
    if key.is_empty() || key.chars().count() > MAX_KEY {
        return Err(format!("must have 1 to {MAX_KEY} characters"));
    }
    text::without_nul(&key)?;
    Ok(key)
}

/// True if the request was refused, but may have been accepted under earlier circumstances.
pub(crate) fn is_refusal(error: &Error) -> bool {
    matches!(error, Error::Invalid(_) | Error::UnknownReference(_) | Error::Conflict(_))
}

/// Answers a repeated request with the messages of the first.
pub(crate) fn replay(messages: Vec<Message>, is_async: bool) -> Result<Sent<Vec<Message>>, Error> {
    let accepted = if is_async {
        messages.into_iter().map(Message::as_accepted).collect()
    } else if messages.iter().all(has_outcome) {
        messages
    } else {
        return Err(Error::InProgress(IDEMPOTENCY_IN_PROGRESS));
    };
    Ok(Sent { accepted, is_replay: true })
}

/// True if a first round through the providers is over.
fn has_outcome(message: &Message) -> bool {
    let has_ended = message.attempts.iter().any(|attempt| attempt.ended().is_some());
    has_ended || message.delivery.status().is_final()
}
