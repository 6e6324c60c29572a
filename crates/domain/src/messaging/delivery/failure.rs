//! Failures of messages and their reasons.

use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// Failure that keeps a message from getting further.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// Reason for programs.
    pub code: FailureCode,
    /// Reason for people. Never contains the message's text or a credential.
    pub message: String,
    /// The provider's own code; `None` if it gave none.
    pub vendor_code: Option<String>,
}

impl Failure {
    /// Creates a failure without a provider's code.
    pub fn new(code: FailureCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), vendor_code: None }
    }

    /// Returns the failure of a message that its sender cancelled.
    pub fn withdrawn() -> Self {
        Self::new(FailureCode::Cancelled, "its sender cancelled it")
    }

    /// Returns the same failure with the provider's own code.
    #[must_use]
    pub fn with_vendor_code(self, code: impl Into<String>) -> Self {
        Self { vendor_code: Some(code.into()), ..self }
    }
}

/// Reasons for which a message fails: `errorCode` of a delivery log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum FailureCode {
    /// The recipient does not exist or cannot receive this kind of message.
    InvalidRecipient,
    /// The provider knows that the recipient does not want our messages.
    RecipientOptedOut,
    /// The recipient is on the organization's suppression list.
    RecipientSuppressed,
    /// No provider serves this channel and country.
    NoRoute,
    /// The provider or screening refuses the text.
    BlockedContent,
    /// The provider refuses the sender.
    SenderNotAllowed,
    /// The application was removed from the device.
    DeviceUnregistered,
    /// The recipient has not written within the provider's session window.
    SessionWindowClosed,
    /// The provider cannot reach this recipient now: its mailbox is full, it receives too much, or
    /// no route leads to it. Other recipients may be reachable.
    RecipientUnreachable,
    /// The provider takes no more for now.
    ProviderThrottled,
    /// We hand the provider no more for now: its declared limits are used up.
    ProviderBusy,
    /// The provider does not accept our credentials.
    ProviderAuth,
    /// Our account at the provider is empty.
    ProviderBalance,
    /// The provider cannot be reached or says that it is out of order.
    ProviderUnavailable,
    /// The provider refused for a reason of its own.
    ProviderRejected,
    /// The provider did not answer in time, or not clearly.
    UnknownOutcome,
    /// The provider took the message and later gave it up.
    Undelivered,
    /// The provider took the message and never reported its outcome.
    NoReport,
    /// The message became too old to be worth sending.
    Expired,
    /// A placeholder of the text has no value for this recipient.
    MissingVariable,
    /// The message was cancelled before a provider had it, or its campaign.
    Cancelled,
    /// The organization does not send to this country.
    CountryNotAllowed,
    /// The organization recently sent too much to these numbers, or to such countries.
    VelocityLimit,
    /// Codes of the organization to these numbers are stopped, because too few arrive.
    TrafficStopped,
}

impl FailureCode {
    /// Every reason.
    pub const ALL: [Self; 24] = [
        Self::InvalidRecipient,
        Self::RecipientOptedOut,
        Self::RecipientSuppressed,
        Self::NoRoute,
        Self::BlockedContent,
        Self::SenderNotAllowed,
        Self::DeviceUnregistered,
        Self::SessionWindowClosed,
        Self::RecipientUnreachable,
        Self::ProviderThrottled,
        Self::ProviderBusy,
        Self::ProviderAuth,
        Self::ProviderBalance,
        Self::ProviderUnavailable,
        Self::ProviderRejected,
        Self::UnknownOutcome,
        Self::Undelivered,
        Self::NoReport,
        Self::Expired,
        Self::MissingVariable,
        Self::Cancelled,
        Self::CountryNotAllowed,
        Self::VelocityLimit,
        Self::TrafficStopped,
    ];

    /// The name on the wire and in the database.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::InvalidRecipient => "INVALID_RECIPIENT",
            Self::RecipientOptedOut => "RECIPIENT_OPTED_OUT",
            Self::RecipientSuppressed => "RECIPIENT_SUPPRESSED",
            Self::NoRoute => "NO_ROUTE",
            Self::BlockedContent => "BLOCKED_CONTENT",
            Self::SenderNotAllowed => "SENDER_NOT_ALLOWED",
            Self::DeviceUnregistered => "DEVICE_UNREGISTERED",
            Self::SessionWindowClosed => "SESSION_WINDOW_CLOSED",
            Self::RecipientUnreachable => "RECIPIENT_UNREACHABLE",
            Self::ProviderThrottled => "PROVIDER_THROTTLED",
            Self::ProviderBusy => "PROVIDER_BUSY",
            Self::ProviderAuth => "PROVIDER_AUTH",
            Self::ProviderBalance => "PROVIDER_BALANCE",
            Self::ProviderUnavailable => "PROVIDER_UNAVAILABLE",
            Self::ProviderRejected => "PROVIDER_REJECTED",
            Self::UnknownOutcome => "UNKNOWN_OUTCOME",
            Self::Undelivered => "UNDELIVERED",
            Self::NoReport => "NO_REPORT",
            Self::Expired => "EXPIRED",
            Self::MissingVariable => "MISSING_VARIABLE",
            Self::Cancelled => "CANCELLED",
            Self::CountryNotAllowed => "COUNTRY_NOT_ALLOWED",
            Self::VelocityLimit => "VELOCITY_LIMIT",
            Self::TrafficStopped => "TRAFFIC_STOPPED",
        }
    }

    /// True if nothing was to be sent to such a recipient: it wants no messages, or lacks a value that
    /// the text needs.
    pub const fn is_skip(self) -> bool {
        matches!(self, Self::RecipientSuppressed | Self::MissingVariable)
    }

    /// True if a message that failed so is never handed to a provider, and hence costs nothing.
    pub const fn refuses(self) -> bool {
        matches!(
            self,
            Self::RecipientSuppressed
                | Self::NoRoute
                | Self::MissingVariable
                | Self::CountryNotAllowed
                | Self::VelocityLimit
                | Self::TrafficStopped
        )
    }
}

/// The text names no failure code.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("is not a known failure code")]
pub struct UnknownFailureCode;

impl FromStr for FailureCode {
    type Err = UnknownFailureCode;

    fn from_str(text: &str) -> Result<Self, UnknownFailureCode> {
        Self::ALL.into_iter().find(|code| code.as_str() == text).ok_or(UnknownFailureCode)
    }
}
