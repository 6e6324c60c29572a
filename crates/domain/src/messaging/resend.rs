//! Failed messages that are sent again, one or many.
//!
//! ```
//! use chrono::TimeDelta;
//! use domain::{
//!     messaging::{delivery::FailureCode, resend::FailedKind},
//!     shared::category::Category,
//! };
//!
//! let (code, category) = (FailureCode::NoRoute, Category::Transactional);
//! let kind = FailedKind { code, category, validity: TimeDelta::days(1), is_text_lost: false };
//! assert!(kind.is_resendable());
//! assert!(!FailedKind { category: Category::Otp, ..kind }.is_resendable(), "codes are not");
//! ```

use chrono::{DateTime, TimeDelta, Utc};

use crate::{
    identity::organization::Organization,
    messaging::{delivery::FailureCode, delivery_log::LogFilter, message::Message, retry},
    shared::{category::Category, channel::Channel, country::Country, id::Id},
};

/// Maximum number of messages that are counted before they are sent again.
pub const MAX_COUNTED: u32 = 100_000;

/// Failed message that is sent again. It is sent again once unless its sender asks for more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Resend {
    /// Failed message.
    pub message: Id<Message>,
    /// Message that repeats it.
    pub replacement: Id<Message>,
    /// Message that repeated it before; `None` if it is sent again for the first time.
    pub former: Option<Id<Message>>,
    /// Task that sends it again; `None` if it is sent again by itself.
    pub task: Option<Id<ResendTask>>,
}

/// Properties of a failed message on which it depends if it can be sent again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FailedKind {
    /// Reason for the failure.
    pub code: FailureCode,
    /// Purpose of the message.
    pub category: Category,
    /// Time for which it was worth sending.
    pub validity: TimeDelta,
    /// True if its text or its recipient was erased.
    pub is_text_lost: bool,
}

impl FailedKind {
    /// True if such a message can be sent again. Codes are of no use later, and somebody decided
    /// that the others should not arrive.
    pub fn is_resendable(self) -> bool {
        if self.category == Category::Otp || self.is_text_lost {
            return false;
        }
        match self.code {
            FailureCode::RecipientOptedOut
            | FailureCode::RecipientSuppressed
            | FailureCode::BlockedContent
            | FailureCode::MissingVariable
            | FailureCode::Cancelled => false,
            // Its sender gave it less time than usual.
            FailureCode::Expired => self.validity >= retry::validity(self.category),
            FailureCode::InvalidRecipient
            | FailureCode::NoRoute
            | FailureCode::SenderNotAllowed
            | FailureCode::DeviceUnregistered
            | FailureCode::SessionWindowClosed
            | FailureCode::RecipientUnreachable
            | FailureCode::ProviderThrottled
            | FailureCode::ProviderBusy
            | FailureCode::ProviderAuth
            | FailureCode::ProviderBalance
            | FailureCode::ProviderUnavailable
            | FailureCode::ProviderRejected
            | FailureCode::UnknownOutcome
            | FailureCode::Undelivered
            | FailureCode::NoReport
            | FailureCode::CountryNotAllowed
            | FailureCode::VelocityLimit
            | FailureCode::TrafficStopped => true,
        }
    }
}

/// Number of failed messages that are alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FailedGroup {
    /// Properties on which it depends if they can be sent again.
    pub kind: FailedKind,
    /// Channel.
    pub channel: Channel,
    /// Country of the recipients.
    pub country: Country,
    /// Number of units of price of each.
    pub segments: u16,
    /// True if they were sent again already.
    pub is_resent: bool,
    /// Number of messages.
    pub messages: u64,
}

/// Failed messages that fit a filter.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FailedMessages {
    /// Groups of messages that are alike.
    pub groups: Vec<FailedGroup>,
    /// True if only the newest [`MAX_COUNTED`] failed messages of the time were looked at.
    pub is_capped: bool,
}

/// Request to send many failed messages again, worked off in the background.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResendTask {
    /// Identifier.
    pub id: Id<ResendTask>,
    /// Organization that sends them.
    pub organization: Id<Organization>,
    /// Messages that it is about: failed ones of one mode and a limited time.
    pub filter: LogFilter,
    /// State of the work.
    pub status: ResendStatus,
    /// Reason for its failure.
    pub failure: Option<ResendFailure>,
    /// Number of messages, at the end that of the messages that were found.
    pub count: u64,
    /// True if there may be more messages than `count`.
    pub is_capped: bool,
    /// Number of messages so far that were sent again.
    pub resent: u64,
    /// Number of messages so far that were not.
    pub skipped: u64,
    /// Time of the request.
    pub created_at: DateTime<Utc>,
    /// Time of its end.
    pub completed_at: Option<DateTime<Utc>>,
}

impl ResendTask {
    /// True if its messages are in the sandbox.
    pub fn is_sandbox(&self) -> bool {
        self.filter.is_sandbox == Some(true)
    }
}

crate::closed_list! {
    /// State of a [`ResendTask`].
    pub enum ResendStatus {
        /// It has not begun.
        Queued = "QUEUED",
        /// It has begun.
        Processing = "PROCESSING",
        /// All messages were looked at.
        Completed = "COMPLETED",
        /// It ended early. What was sent again stays so.
        Failed = "FAILED",
    }
    impl FromStr else "is not known";
}

crate::closed_list! {
    /// Reason for which a [`ResendTask`] ended early.
    pub enum ResendFailure {
        /// The wallet could not pay for the next message.
        InsufficientBalance = "INSUFFICIENT_BALANCE",
        /// The daily limit did not allow the next message.
        SpendingLimitReached = "SPENDING_LIMIT_REACHED",
        /// The organization is gone.
        OrganizationGone = "ORGANIZATION_GONE",
    }
    impl FromStr else "is not known";
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(code: FailureCode) -> FailedKind {
        let category = Category::Transactional;
        FailedKind { code, category, validity: retry::validity(category), is_text_lost: false }
    }

    #[test]
    fn what_somebody_decided_against_is_not_sent_again() {
        let refused: Vec<_> = FailureCode::ALL
            .into_iter()
            .filter(|code| !kind(*code).is_resendable())
            .map(FailureCode::as_str)
            .collect();

        assert_eq!(
            refused,
            [
                "RECIPIENT_OPTED_OUT",
                "RECIPIENT_SUPPRESSED",
                "BLOCKED_CONTENT",
                "MISSING_VARIABLE",
                "CANCELLED"
            ]
        );
    }

    #[test]
    fn codes_and_erased_messages_are_not_sent_again() {
        for code in FailureCode::ALL {
            let kind = kind(code);
            assert!(!FailedKind { category: Category::Otp, ..kind }.is_resendable(), "{code:?}");
            assert!(!FailedKind { is_text_lost: true, ..kind }.is_resendable(), "{code:?}");
        }
    }

    #[test]
    fn a_message_that_its_sender_let_expire_early_is_not_sent_again() {
        let usual = kind(FailureCode::Expired);

        assert!(usual.is_resendable());
        assert!(FailedKind { validity: retry::LONGEST_VALIDITY, ..usual }.is_resendable());
        let shorter = usual.validity - TimeDelta::seconds(1);
        assert!(!FailedKind { validity: shorter, ..usual }.is_resendable());
    }
}
