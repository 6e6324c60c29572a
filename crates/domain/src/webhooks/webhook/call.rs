//! One call of an endpoint, and what came of it.

use chrono::{DateTime, TimeDelta, Utc};

use super::WebhookSecret;
use crate::{
    identity::organization::Organization, shared::id::Id, webhooks::outbound_event::WebhookEvent,
};

/// What is sent to an endpoint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebhookCall {
    /// Whose endpoint is called.
    pub organization: Id<Organization>,
    /// Where to.
    pub url: String,
    /// What signs it, the present secret first.
    pub secrets: Vec<WebhookSecret>,
    /// What the receiver knows the event by, the same each time that it is tried.
    pub id: String,
    /// What happened.
    pub event: WebhookEvent,
    /// The body, byte by byte.
    pub body: String,
    /// When it is sent.
    pub at: DateTime<Utc>,
}

/// What came of a call, and how long that took.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WebhookCallResult {
    /// What came of it.
    pub outcome: CallOutcome,
    /// How long it took.
    pub took: TimeDelta,
}

/// What came of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallOutcome {
    /// The receiver answered.
    Answered {
        /// With this status.
        status: u16,
        /// In how long it wants to be called again, if it said so.
        retry_after: Option<TimeDelta>,
    },
    /// There was no answer.
    Failed(CallFailure),
}

impl CallOutcome {
    /// Whether the receiver has the event: it answered 2xx.
    pub const fn is_success(self) -> bool {
        matches!(self, Self::Answered { status: 200..300, .. })
    }
}

/// Why there was no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallFailure {
    /// Its URL cannot be called, as that of one that was made under other settings.
    UrlRefused,
    /// Its name was not resolved.
    NotResolved,
    /// Its address is one that must not be called: private, of this machine, or of the network.
    AddressRefused,
    /// No connection came about.
    NotConnected,
    /// It did not prove who it is, or does not speak TLS.
    TlsFailed,
    /// It did not answer in time.
    TimedOut,
    /// The connection broke, or what came is not HTTP.
    Broken,
}

impl CallFailure {
    /// Every failure.
    pub const ALL: [Self; 7] = [
        Self::UrlRefused,
        Self::NotResolved,
        Self::AddressRefused,
        Self::NotConnected,
        Self::TlsFailed,
        Self::TimedOut,
        Self::Broken,
    ];

    /// The name on the wire and in the database.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::UrlRefused => "URL_REFUSED",
            Self::NotResolved => "NOT_RESOLVED",
            Self::AddressRefused => "ADDRESS_REFUSED",
            Self::NotConnected => "NOT_CONNECTED",
            Self::TlsFailed => "TLS_FAILED",
            Self::TimedOut => "TIMED_OUT",
            Self::Broken => "BROKEN",
        }
    }
}
