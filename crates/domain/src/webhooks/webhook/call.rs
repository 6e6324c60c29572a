//! A call of an endpoint, and its result.

use chrono::{DateTime, TimeDelta, Utc};

use super::WebhookSecret;
use crate::{
    identity::organization::Organization,
    shared::{
        id::Id,
        span::{Span, SpanKind},
        trace::TraceContext,
        webhook_event::WebhookEvent,
    },
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
    /// Span that is above the call; `None` if its trace is not exported.
    pub trace: Option<TraceContext>,
}

impl WebhookCall {
    /// Identifiers of the span of this call, for the receiver; `None` if its trace is not exported.
    pub fn context(&self) -> Option<TraceContext> {
        Some(self.trace?.child((&self.id, &self.url, self.at)))
    }

    /// Returns the span of the call, which ended at that time.
    pub fn span(&self, result: WebhookCallResult, ended_at: DateTime<Utc>) -> Option<Span> {
        let began_at = ended_at.checked_sub_signed(result.took).unwrap_or(ended_at);
        let times = (began_at, ended_at);
        let span = Span::new("call webhook", SpanKind::Client, self.context()?, times)
            .below(self.trace?)
            .with("messaging.message.id", self.id.clone())
            .with("atumpan.event", self.event.as_str());
        let is_failed = !result.outcome.is_success();
        Some(match result.outcome {
            CallOutcome::Answered { status, .. } => span
                .with("http.response.status_code", i64::from(status))
                .failed(is_failed.then(|| status.to_string())),
            CallOutcome::Failed(failure) => span.failed(Some(failure.as_str())),
        })
    }
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

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    const AT: DateTime<Utc> = DateTime::UNIX_EPOCH;

    fn call(trace: Option<TraceContext>) -> WebhookCall {
        WebhookCall {
            organization: Id::of(Uuid::from_u128(1)),
            url: "https://example.com".to_owned(),
            secrets: Vec::new(),
            id: "018bcfe5-6800-7000-8000-000000000001".to_owned(),
            event: WebhookEvent::MessageStatusUpdated,
            body: String::new(),
            at: AT,
            trace,
        }
    }

    #[test]
    fn the_span_of_a_call_is_the_one_that_its_receiver_gets() {
        let above = TraceContext::root(Uuid::from_u128(7));
        let call = call(Some(above));
        for (outcome, error) in [
            (CallOutcome::Answered { status: 204, retry_after: None }, None),
            (CallOutcome::Answered { status: 503, retry_after: None }, Some("503")),
            (CallOutcome::Failed(CallFailure::TimedOut), Some("TIMED_OUT")),
        ] {
            let result = WebhookCallResult { outcome, took: TimeDelta::seconds(2) };
            let span = call.span(result, AT).unwrap();

            assert_eq!(Some(span.context), call.context());
            assert_eq!(span.parent, Some(above));
            assert_eq!(span.error.as_deref(), error);
            assert_eq!(span.ended_at - span.began_at, TimeDelta::seconds(2));
        }
    }

    #[test]
    fn each_attempt_has_a_span_of_its_own_and_none_outside_of_a_trace() {
        let first = call(Some(TraceContext::root(Uuid::from_u128(7))));
        let second = WebhookCall { at: AT + TimeDelta::seconds(5), ..first.clone() };

        assert_ne!(first.context(), second.context());
        assert_eq!(call(None).context(), None);
    }
}
