//! What a vendor's code says of a message, for the tables of the vendors.

use chrono::TimeDelta;
use domain::{
    delivery::{Failure, FailureCode},
    provider::Outcome,
};

/// What a code says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// The message will never be taken, by nobody.
    Rejected(FailureCode),
    /// The message was not taken; another provider may take it.
    NotAccepted(FailureCode),
    /// The message may be on its way.
    Unknown,
}

impl Verdict {
    /// The outcome of a call that was answered so. `retry_after` is how long the vendor asked to be
    /// left alone.
    pub(crate) fn outcome(self, vendor_code: &str, retry_after: Option<TimeDelta>) -> Outcome {
        match self {
            Self::Rejected(code) => Outcome::Rejected(failure(code, vendor_code)),
            Self::NotAccepted(code) => {
                Outcome::NotAccepted { failure: failure(code, vendor_code), retry_after }
            }
            Self::Unknown => Outcome::Unknown(failure(FailureCode::UnknownOutcome, vendor_code)),
        }
    }

    /// Why a message failed that was taken before.
    pub(crate) fn of_taken(self, vendor_code: &str) -> Failure {
        match self {
            Self::Rejected(code) | Self::NotAccepted(code) => failure(code, vendor_code),
            Self::Unknown => failure(FailureCode::Undelivered, vendor_code),
        }
    }
}

/// A failure as people are told of it.
pub(crate) fn failure(code: FailureCode, vendor_code: &str) -> Failure {
    use FailureCode as Code;

    let message = match code {
        Code::InvalidRecipient => "the recipient does not exist or cannot receive such messages",
        Code::RecipientOptedOut => "the recipient does not want such messages",
        Code::BlockedContent => "the provider refuses the text",
        Code::SenderNotAllowed => "the provider does not let this sender send",
        Code::DeviceUnregistered => "the application was removed from the device",
        Code::SessionWindowClosed => "the recipient has not written within the last 24 hours",
        Code::ProviderThrottled => "the provider takes no more for now",
        Code::ProviderAuth => "the provider refused our credentials",
        Code::ProviderBalance => "the account at the provider is not paid",
        Code::ProviderUnavailable => "the provider is out of order",
        Code::UnknownOutcome => "the provider failed while it took the message",
        Code::Undelivered => "the provider could not deliver the message",
        _ => "the provider refused the message",
    };
    Failure::new(code, message).with_vendor_code(vendor_code)
}
