//! Outcomes of handing a message to a provider.
//!
//! ```
//! use domain::{
//!     messaging::outcome::{FollowUp, Outcome},
//!     providers::breaker::BreakerSignal,
//! };
//!
//! let taken = Outcome::Accepted { reference: None, follow_up: FollowUp::Nothing };
//! assert_eq!(BreakerSignal::of(&taken), BreakerSignal::Success);
//! ```

use chrono::TimeDelta;

use crate::{
    messaging::delivery::{DeliveryEvent, Failure, FailureCode},
    providers::breaker::BreakerSignal,
};

/// Outcome of handing a message to a provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// The provider took it.
    Accepted {
        /// The provider's identifier of the message; `None` if it gives none.
        reference: Option<String>,
        /// Further information that may come about the message.
        follow_up: FollowUp,
    },
    /// The provider will never take it, and neither will another: a bad number, a blocked text.
    Rejected(Failure),
    /// The provider certainly did not take it; another may.
    NotAccepted {
        /// Reason for the refusal.
        failure: Failure,
        /// Time for which the provider requested no further calls.
        retry_after: Option<TimeDelta>,
    },
    /// The message may or may not be on its way.
    Unknown(Failure),
}

/// Further information that may come after a provider has taken a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FollowUp {
    /// No information: `SENT` is the final known state.
    Nothing,
    /// A report may come, and the provider can be asked.
    Report,
}

/// Answer of a provider that is asked about a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LookUp {
    /// The provider reports this event.
    Found(DeliveryEvent),
    /// The provider knows the message, and can say nothing more yet.
    Waiting,
    /// The provider never received the message.
    NotFound,
    /// The provider cannot be asked, or did not answer.
    Unavailable,
}

impl BreakerSignal {
    /// Returns the signal of `outcome`.
    pub fn of(outcome: &Outcome) -> Self {
        match outcome {
            Outcome::Accepted { .. } | Outcome::Rejected(_) => Self::Success,
            Outcome::NotAccepted { failure, .. } => match failure.code {
                FailureCode::SenderNotAllowed | FailureCode::ProviderRejected => Self::Success,
                FailureCode::RecipientUnreachable => Self::Neutral,
                FailureCode::ProviderBusy => Self::NotCalled,
                FailureCode::ProviderAuth | FailureCode::ProviderBalance => Self::Fatal,
                _ => Self::Failure,
            },
            Outcome::Unknown(_) => Self::Failure,
        }
    }
}
