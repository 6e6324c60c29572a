//! Messages that are handed over in one call, and what its answer says of each.

use chrono::{DateTime, Utc};
use domain::messaging::{
    delivery::{Failure, FailureCode},
    message::Message,
    outcome::Outcome,
};

use crate::verdict::unknown;

/// Messages of the same text and sender that are handed over in one call: at least one, and only one
/// to vendors whose group limit is one.
#[derive(Clone, Copy)]
pub(crate) struct Batch<'a> {
    first: &'a Message,
    pub(crate) messages: &'a [&'a Message],
    pub(crate) now: DateTime<Utc>,
}

impl<'a> Batch<'a> {
    pub(crate) fn new(messages: &'a [&'a Message], now: DateTime<Utc>) -> Option<Self> {
        let first = messages.first()?;
        Some(Self { first, messages, now })
    }

    /// The first message, whose text and sender are those of all.
    pub(crate) const fn first(&self) -> &'a Message {
        self.first
    }

    pub(crate) const fn len(&self) -> usize {
        self.messages.len()
    }

    /// For how many seconds all messages are worth sending: at least one, because they are sent.
    pub(crate) fn seconds_left(&self) -> i64 {
        let first_end = self.messages.iter().map(|message| message.expires_at).min();
        first_end.map_or(1, |end| (end - self.now).num_seconds().max(1))
    }
}

/// The outcome of a call for `count` messages as that of each message. That one recipient cannot be
/// reached does not mean that none can: each has to be tried on its own.
pub(crate) fn outcome_for_each(outcome: Outcome, count: usize) -> Vec<Outcome> {
    let outcome = match outcome {
        Outcome::NotAccepted { failure, retry_after }
            if count > 1 && failure.code == FailureCode::RecipientUnreachable =>
        {
            let failure = Failure { code: FailureCode::ProviderRejected, ..failure };
            Outcome::NotAccepted { failure, retry_after }
        }
        outcome => outcome,
    };
    vec![outcome; count]
}

/// The outcome of a message that the vendor's answer leaves out.
pub(crate) fn not_mentioned() -> Outcome {
    unknown("the provider's answer does not mention the message")
}

/// Takes the first entry out of `entries` that is for the recipient of a message.
pub(crate) fn take_first<T>(entries: &mut Vec<T>, is_for: impl Fn(&T) -> bool) -> Option<T> {
    let at = entries.iter().position(is_for)?;
    Some(entries.remove(at))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verdict::Verdict;

    #[test]
    fn a_recipient_that_cannot_be_reached_does_not_speak_for_a_group() {
        for (count, code) in
            [(1, FailureCode::RecipientUnreachable), (2, FailureCode::ProviderRejected)]
        {
            let refused =
                Verdict::NotAccepted(FailureCode::RecipientUnreachable).outcome("4", None);
            let outcomes = outcome_for_each(refused, count);
            assert_eq!(outcomes.len(), count);
            let Outcome::NotAccepted { failure, .. } = &outcomes[0] else { panic!() };
            assert_eq!(failure.code, code, "{count}");
        }
    }
}
