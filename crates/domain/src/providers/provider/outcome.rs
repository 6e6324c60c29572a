//! What came of handing a message to a provider.

use chrono::TimeDelta;

use crate::messaging::delivery::Failure;

/// What came of handing a message to a provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// The provider took it.
    Accepted {
        /// The provider's identifier of the message, where it gives one.
        reference: Option<String>,
        /// What may still be learned of the message.
        follow_up: FollowUp,
    },
    /// The provider will never take it, and neither will another: a bad number, a blocked text.
    Rejected(Failure),
    /// The provider certainly did not take it; another may.
    NotAccepted {
        /// Why not.
        failure: Failure,
        /// How long the provider asked to be left alone.
        retry_after: Option<TimeDelta>,
    },
    /// The message may or may not be on its way.
    Unknown(Failure),
}

/// What may be learned of a message after a provider has taken it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FollowUp {
    /// Nothing: `SENT` is the last that anybody can know.
    Nothing,
    /// A report may come, and the provider can be asked.
    Report,
}
