//! Requests to send.

use chrono::{DateTime, Utc};
use domain::{
    messaging::{
        message::{MessageRequest, checked_schedule},
        priority::Origin,
    },
    shared::{fault::Faults, text},
};
use ports::messaging::messages::Idempotency;

use super::planning::Sender;
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
    pub(super) sender: Sender,
    /// Path of each message in the request.
    pub(super) path: fn(usize) -> String,
    pub(super) messages: &'r [MessageRequest],
    /// Time of all messages that have none of their own; `None` if they go at once.
    pub(super) scheduled_at: Option<DateTime<Utc>>,
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
    pub(super) fn idempotency(&mut self) -> Option<Idempotency> {
        let is_sandbox = self.sender.is_sandbox;
        let key = self.idempotency_key.take()?;
        let key = self.faults.take("idempotencyKey", checked_key(key))?;
        let request = Fingerprint::of(self.kind).flag(is_sandbox).flag(self.is_async);
        let request = self.messages.iter().fold(request, Fingerprint::message);
        Some(Idempotency { key, is_sandbox, fingerprint: request.finish(), gaps: Vec::new() })
    }

    /// Adds the faults of the times at which messages are to go, if they are accepted at `now`.
    pub(super) fn check_schedules(&mut self, now: DateTime<Utc>) {
        let is_sandbox = self.sender.is_sandbox;
        if let Some(at) = self.scheduled_at {
            self.faults.take("scheduledAt", checked_schedule(at, is_sandbox, now));
        }
        for (index, message) in self.messages.iter().enumerate() {
            if let Some(at) = message.scheduled_at
                && Some(at) != self.scheduled_at
                && let Err(fault) = checked_schedule(at, is_sandbox, now)
            {
                let fault = Faults::field("scheduledAt", fault);
                self.faults.merge(&(self.path)(index), fault);
            }
        }
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
