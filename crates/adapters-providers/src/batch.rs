//! Messages that are sent in one call, and the outcome of each.

use chrono::{DateTime, Utc};
use domain::messaging::{
    delivery::{Failure, FailureCode},
    message::Message,
    outcome::Outcome,
};

use crate::verdict::unknown;

/// Messages with the same text and sender that are sent in one call: at least one, and exactly one
/// for vendors whose group limit is one.
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

    /// Returns the first message, whose text and sender are those of all.
    pub(crate) const fn first(&self) -> &'a Message {
        self.first
    }

    pub(crate) const fn len(&self) -> usize {
        self.messages.len()
    }

    /// Returns the number of seconds for which all messages are worth sending, at least one.
    pub(crate) fn seconds_left(&self) -> i64 {
        let first_end = self.messages.iter().map(|message| message.expires_at).min();
        first_end.map_or(1, |end| (end - self.now).num_seconds().max(1))
    }
}

/// Returns the outcome of each message of a call for `count` messages. An unreachable recipient in
/// a group says nothing about the others: each is tried on its own.
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

/// Returns the outcome of a message that the vendor's response does not mention.
pub(crate) fn not_mentioned() -> Outcome {
    unknown("the provider's answer does not mention the message")
}

/// Removes the first entry of `entries` that is for the recipient of a message.
pub(crate) fn take_first<T>(entries: &mut Vec<T>, is_for: impl Fn(&T) -> bool) -> Option<T> {
    let at = entries.iter().position(is_for)?;
    Some(entries.remove(at))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verdict::Verdict;

    #[test]
    fn an_unreachable_recipient_does_not_stand_for_a_group() {
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
