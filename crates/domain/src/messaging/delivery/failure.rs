//! Failures of messages and their reasons.

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

crate::closed_list! {
    /// Reasons for which a message fails: `errorCode` of a delivery log.
    pub enum FailureCode {
        /// The recipient does not exist or cannot receive this kind of message.
        InvalidRecipient = "INVALID_RECIPIENT",
        /// The provider knows that the recipient does not want our messages.
        RecipientOptedOut = "RECIPIENT_OPTED_OUT",
        /// The recipient is on the organization's suppression list.
        RecipientSuppressed = "RECIPIENT_SUPPRESSED",
        /// No provider serves this channel and country.
        NoRoute = "NO_ROUTE",
        /// The provider or screening refuses the text.
        BlockedContent = "BLOCKED_CONTENT",
        /// The provider refuses the sender.
        SenderNotAllowed = "SENDER_NOT_ALLOWED",
        /// The application was removed from the device.
        DeviceUnregistered = "DEVICE_UNREGISTERED",
        /// The recipient has not written within the provider's session window.
        SessionWindowClosed = "SESSION_WINDOW_CLOSED",
        /// The provider cannot reach this recipient now: its mailbox is full, it receives too much, or
        /// no route leads to it. Other recipients may be reachable.
        RecipientUnreachable = "RECIPIENT_UNREACHABLE",
        /// The provider takes no more for now.
        ProviderThrottled = "PROVIDER_THROTTLED",
        /// We hand the provider no more for now: its declared limits are used up.
        ProviderBusy = "PROVIDER_BUSY",
        /// The provider does not accept our credentials.
        ProviderAuth = "PROVIDER_AUTH",
        /// Our account at the provider is empty.
        ProviderBalance = "PROVIDER_BALANCE",
        /// The provider cannot be reached or says that it is out of order.
        ProviderUnavailable = "PROVIDER_UNAVAILABLE",
        /// The provider refused for a reason of its own.
        ProviderRejected = "PROVIDER_REJECTED",
        /// The provider did not answer in time, or not clearly.
        UnknownOutcome = "UNKNOWN_OUTCOME",
        /// The provider took the message and later gave it up.
        Undelivered = "UNDELIVERED",
        /// The provider took the message and never reported its outcome.
        NoReport = "NO_REPORT",
        /// The message became too old to be worth sending.
        Expired = "EXPIRED",
        /// A placeholder of the text has no value for this recipient.
        MissingVariable = "MISSING_VARIABLE",
        /// The message was cancelled before a provider had it, or its campaign.
        Cancelled = "CANCELLED",
        /// The organization does not send to this country.
        CountryNotAllowed = "COUNTRY_NOT_ALLOWED",
        /// The organization recently sent too much to these numbers, or to such countries.
        VelocityLimit = "VELOCITY_LIMIT",
        /// Codes of the organization to these numbers are stopped, because too few arrive.
        TrafficStopped = "TRAFFIC_STOPPED",
    }
    impl Serialize;
    impl Deserialize;
    impl FromStr else "is not a known failure code";
}

impl FailureCode {
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
