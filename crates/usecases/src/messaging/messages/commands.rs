//! Commands to send messages.

use chrono::{DateTime, Utc};
use domain::{
    identity::caller::Caller,
    messaging::{message::MessageRequest, priority::Origin},
    shared::fault::Faults,
};

use super::{MAX_BULK, planning::Sender, request::Request};
use crate::shared::limits::RateLimitSlot;

/// A request to send one message.
#[derive(Debug, Clone, Default)]
pub struct SendMessage {
    /// The message.
    pub message: MessageRequest,
    /// Key by which a repeated request is recognized; `None` if it has none.
    pub idempotency_key: Option<String>,
    /// True if the answer comes before the outcome.
    pub is_async: bool,
    /// True to rehearse it in the sandbox; the caller's mode if absent.
    pub is_sandbox: Option<bool>,
    /// Faults found in the request so far.
    pub faults: Faults,
    /// Slot for the rate limits that the request counted against.
    pub rate_limit: RateLimitSlot,
}

/// A request to send several messages.
#[derive(Debug, Clone, Default)]
pub struct SendBulk {
    /// The messages: 1 to [`MAX_BULK`].
    pub messages: Vec<MessageRequest>,
    /// Time of all messages that have none of their own; `None` if they go at once.
    pub scheduled_at: Option<DateTime<Utc>>,
    /// Key by which a repeated request is recognized; `None` if it has none.
    pub idempotency_key: Option<String>,
    /// True if the answer comes before the outcome.
    pub is_async: bool,
    /// True to send the valid messages if others are not; false to send all or none.
    pub is_partial: bool,
    /// True to rehearse them in the sandbox; the caller's mode if absent.
    pub is_sandbox: Option<bool>,
    /// Faults found in the request so far.
    pub faults: Faults,
    /// Slot for the rate limits that the request counted against.
    pub rate_limit: RateLimitSlot,
}

impl SendBulk {
    /// Returns the request of this kind, with at most [`MAX_BULK`] messages. Adds the faults of their
    /// number, of missing texts and of the mode.
    pub(super) fn request(&mut self, kind: &'static str, caller: &Caller) -> Request<'_> {
        let mut faults = std::mem::take(&mut self.faults);
        let sender = Sender::choosing(caller, self.is_sandbox, &mut faults);
        if self.messages.is_empty() && !faults.fields.contains_key("messages") {
            faults.add("messages", "must have at least 1 item");
        }
        if self.messages.len() > MAX_BULK {
            faults.add("messages", format!("must have at most {MAX_BULK} items"));
        }
        for (index, message) in self.messages.iter_mut().take(MAX_BULK).enumerate() {
            message.scheduled_at = message.scheduled_at.or(self.scheduled_at);
            let path = format!("messages.{index}.body");
            if message.body.is_none() && !faults.fields.contains_key(&path) {
                faults.add(path, "is required");
            }
        }
        Request {
            kind,
            origin: Origin::Bulk,
            sender,
            path: |index| format!("messages.{index}"),
            idempotency_key: self.idempotency_key.take(),
            is_async: self.is_async,
            faults,
            rate_limit: std::mem::take(&mut self.rate_limit),
            scheduled_at: self.scheduled_at,
            messages: &self.messages[..self.messages.len().min(MAX_BULK)],
        }
    }
}
