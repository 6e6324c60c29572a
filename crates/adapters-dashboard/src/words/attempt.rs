//! Attempts to hand messages to providers, and entries of timelines.

use domain::messaging::attempt::{Attempt, AttemptOutcome, AttemptState};
use domain::messaging::timeline::EntryKind;

use super::{InWords, Words};

/// Returns the words for an attempt, whether it has ended or not.
pub(crate) fn attempt_words(attempt: &Attempt) -> Words {
    match &attempt.state {
        AttemptState::Planned => Words::waiting("Next", "The provider is about to be called."),
        AttemptState::Running => {
            Words::waiting("Calling", "The provider is called, and has not answered yet.")
        }
        AttemptState::Ended(end) => end.outcome.words(),
    }
}

words! { AttemptOutcome:
    Self::Accepted => good("Taken", "The provider took the message."),
    Self::Rejected => bad("Refused", "The provider refused the message for good."),
    Self::NotAccepted => bad("Not taken", "The provider did not take the message this time."),
    Self::Unknown => neutral("Not clear", "The provider may have taken the message, or not."),
}

words! { EntryKind:
    Self::Accepted => neutral("Accepted", "The message was accepted and paid for."),
    Self::Scheduled => waiting("Put off", "The message was to wait for a later time."),
    Self::Attempt => neutral("Provider called", "A provider was called."),
    Self::HandedOver => neutral("Handed over", "A provider took the message."),
    Self::Report => neutral("Report", "The end of the message became known."),
    Self::Fallback => neutral("Other channel", "Another channel was tried."),
    Self::Refunded => good("Paid back", "The price is back in your wallet."),
    Self::Cancelled => neutral("Cancelled", "The message was cancelled."),
    Self::Webhook => neutral("Webhook", "One of your webhooks was called."),
}
