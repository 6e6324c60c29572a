//! Results of requests to send, and the answers to repeated ones.

use domain::{identity::caller::Caller, messaging::message::Message};

use super::IDEMPOTENCY_IN_PROGRESS;
use crate::Error;

/// Result of a request to send.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sent<T> {
    /// The message, or the messages in their order.
    pub accepted: T,
    /// True if the same request was accepted before and this one did nothing.
    pub is_replay: bool,
}

impl Sent<Vec<Message>> {
    /// Returns the messages as the caller may see them.
    pub(super) fn shown_to(self, caller: &Caller) -> Self {
        let sees_codes = caller.sees_codes();
        let accepted = self.accepted.into_iter().map(|message| message.shown(sees_codes));
        Self { accepted: accepted.collect(), ..self }
    }
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

/// True if a first round through the providers is over, or none is due yet.
fn has_outcome(message: &Message) -> bool {
    let has_ended = message.attempts.iter().any(|attempt| attempt.ended().is_some());
    has_ended || message.delivery.status().is_final() || message.is_scheduled()
}
