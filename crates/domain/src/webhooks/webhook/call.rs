//! A call of an endpoint, and its result.

use chrono::{DateTime, TimeDelta, Utc};

use super::WebhookSecret;
use crate::{
    identity::organization::Organization,
    shared::{id::Id, webhook_event::WebhookEvent},
};

/// A request to an endpoint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebhookCall {
    /// Organization that the endpoint belongs to.
    pub organization: Id<Organization>,
    /// URL that is called.
    pub url: String,
    /// Secrets that sign it, the present one first.
    pub secrets: Vec<WebhookSecret>,
    /// Identifier by which the receiver knows the event, identical for every attempt.
    pub id: String,
    /// Kind of the event.
    pub event: WebhookEvent,
    /// Exact body.
    pub body: String,
    /// Time of sending.
    pub at: DateTime<Utc>,
}

/// Result of a call, and its duration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WebhookCallResult {
    /// Outcome of the call.
    pub outcome: CallOutcome,
    /// Duration of the call.
    pub took: TimeDelta,
}

/// Outcome of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallOutcome {
    /// The receiver answered.
    Answered {
        /// HTTP status of the answer.
        status: u16,
        /// Time after which the receiver asks to be called again; `None` if it gave none.
        retry_after: Option<TimeDelta>,
    },
    /// There was no answer.
    Failed(CallFailure),
}

impl CallOutcome {
    /// True if the receiver has accepted the event: it answered 2xx.
    pub const fn is_success(self) -> bool {
        matches!(self, Self::Answered { status: 200..300, .. })
    }
}

crate::closed_list! {
    /// Reason for which there was no answer.
    pub enum CallFailure {
        /// The URL may not be called, such as one that was created under other settings.
        UrlRefused = "URL_REFUSED",
        /// The host name was not resolved.
        NotResolved = "NOT_RESOLVED",
        /// The address may not be called: it is private, of this machine, or special.
        AddressRefused = "ADDRESS_REFUSED",
        /// No connection was established.
        NotConnected = "NOT_CONNECTED",
        /// The certificate is not valid, or the receiver does not speak TLS.
        TlsFailed = "TLS_FAILED",
        /// The receiver did not answer in time.
        TimedOut = "TIMED_OUT",
        /// The connection broke, or the answer is not HTTP.
        Broken = "BROKEN",
    }
}
