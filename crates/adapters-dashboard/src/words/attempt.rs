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

impl InWords for AttemptOutcome {
    fn words(self) -> Words {
        match self {
            Self::Accepted => Words::good("Taken", "The provider took the message."),
            Self::Rejected => Words::bad("Refused", "The provider refused the message for good."),
            Self::NotAccepted => {
                Words::bad("Not taken", "The provider did not take the message this time.")
            }
            Self::Unknown => {
                Words::neutral("Not clear", "The provider may have taken the message, or not.")
            }
        }
    }
}

impl InWords for EntryKind {
    fn words(self) -> Words {
        match self {
            Self::Accepted => Words::neutral("Accepted", "The message was accepted and paid for."),
            Self::Scheduled => {
                Words::waiting("Put off", "The message was to wait for a later time.")
            }
            Self::Attempt => Words::neutral("Provider called", "A provider was called."),
            Self::HandedOver => Words::neutral("Handed over", "A provider took the message."),
            Self::Report => Words::neutral("Report", "The end of the message became known."),
            Self::Fallback => Words::neutral("Other channel", "Another channel was tried."),
            Self::Refunded => Words::good("Paid back", "The price is back in your wallet."),
            Self::Cancelled => Words::neutral("Cancelled", "The message was cancelled."),
            Self::Webhook => Words::neutral("Webhook", "One of your webhooks was called."),
        }
    }
}
