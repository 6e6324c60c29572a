//! The HTTP client that all vendors share, and what an answer means before its vendor explains it.

use std::{error::Error, sync::Arc, time::Duration};

use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    delivery::{Failure, FailureCode},
    provider::{Check, CheckStatus, Outcome},
};
use ports::clock::Clock;
use reqwest::{
    RequestBuilder, Response, StatusCode, Url,
    header::{self, HeaderMap},
    redirect,
};
use serde::de::DeserializeOwned;

use crate::declaration::DEFAULT_TIMEOUT;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// Shorter than the 60 s after which common servers hang up on an idle connection, lest a request
/// is written into the end of one.
const IDLE_TIMEOUT: Duration = Duration::from_secs(30);
/// The most that is read of an answer, in bytes.
const MAX_ANSWER: usize = 64 * 1024;

/// The shared client: TLS, time-outs, no redirects, no proxies. Clones share connections.
#[derive(Clone)]
pub struct HttpClient {
    client: reqwest::Client,
    clock: Arc<dyn Clock>,
}

/// The client cannot be made on this machine.
#[derive(Debug, thiserror::Error)]
#[error("the HTTP client cannot be made: {0}")]
pub struct HttpClientError(#[from] reqwest::Error);

impl HttpClient {
    /// Makes the client. `clock` is what a `Retry-After` with a date is counted from.
    pub fn new(clock: Arc<dyn Clock>) -> Result<Self, HttpClientError> {
        // Fails only if another part of the program was first, which is as good.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = reqwest::Client::builder()
            .user_agent(concat!("atumpan/", env!("CARGO_PKG_VERSION")))
            .connect_timeout(CONNECT_TIMEOUT)
            .timeout(DEFAULT_TIMEOUT)
            .pool_idle_timeout(IDLE_TIMEOUT)
            .redirect(redirect::Policy::none())
            .no_proxy()
            .build()?;
        Ok(Self { client, clock })
    }

    /// A request for [`call`](Self::call).
    pub(crate) fn post(&self, url: Url) -> RequestBuilder {
        self.client.post(url)
    }

    /// A request for [`call`](Self::call) or [`look`](Self::look) that only asks.
    pub(crate) fn get(&self, url: Url) -> RequestBuilder {
        self.client.get(url)
    }

    /// Makes a request, which may take `timeout` with its answer. Without a readable answer, what
    /// that means is the error.
    pub(crate) async fn call(
        &self,
        request: RequestBuilder,
        timeout: Duration,
    ) -> Result<Answer, Outcome> {
        let response = request.timeout(timeout).send().await.map_err(|error| broken(&error))?;
        let (status, headers) = (response.status(), response.headers().clone());
        let retry_after = headers
            .get(header::RETRY_AFTER)
            .and_then(|value| retry_after(value.to_str().ok()?, self.clock.now()));
        let body = match read(response).await {
            // The status says enough.
            None if !status.is_success() => Vec::new(),
            body => body.ok_or_else(|| unknown("the provider's answer could not be read"))?,
        };
        Ok(Answer { status, retry_after, headers, body })
    }

    /// Makes a request that asks for an account. Without a success, what that shows is the error.
    pub(crate) async fn look(
        &self,
        request: RequestBuilder,
        timeout: Duration,
    ) -> Result<Answer, Check> {
        match self.call(request, timeout).await {
            Ok(answer) => answer.shown(),
            Err(outcome) => Err(unseen(outcome)),
        }
    }
}

/// What a look shows that got no answer.
pub(crate) fn unseen(outcome: Outcome) -> Check {
    let message = match outcome {
        Outcome::Rejected(failure)
        | Outcome::NotAccepted { failure, .. }
        | Outcome::Unknown(failure) => failure.message,
        Outcome::Accepted { .. } => "the provider said nothing".to_owned(),
    };
    Check { status: CheckStatus::Down, message }
}

/// What a vendor answered.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) retry_after: Option<TimeDelta>,
    headers: HeaderMap,
    body: Vec<u8>,
}

impl Answer {
    #[cfg(test)]
    pub(crate) fn of(status: u16, body: &str) -> Self {
        let status = StatusCode::from_u16(status).unwrap();
        let body = body.as_bytes().to_vec();
        Self { status, retry_after: None, headers: HeaderMap::new(), body }
    }

    /// A header's value, if it is printable.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// The body, if it is JSON of that shape.
    pub(crate) fn json<T: DeserializeOwned>(&self) -> Option<T> {
        serde_json::from_slice(&self.body).ok()
    }

    /// This answer to a look, if it is a success; otherwise what that shows.
    pub(crate) fn shown(self) -> Result<Self, Check> {
        let check = |status, message: &str| Err(Check { status, message: message.to_owned() });
        match self.status.as_u16() {
            200..=299 => Ok(self),
            401 | 403 => check(CheckStatus::Down, "the provider refused our credentials"),
            429 => check(CheckStatus::Degraded, "the provider takes no more for now"),
            status => check(CheckStatus::Down, &format!("the provider answered {status}")),
        }
    }

    /// What the status alone says. A success without what the vendor promises is an unknown outcome.
    pub(crate) fn by_status(&self) -> Outcome {
        use FailureCode as Code;

        let failure = |code, message: &str| {
            Failure::new(code, message).with_vendor_code(self.status.as_str())
        };
        let not_accepted = |code, message| Outcome::NotAccepted {
            failure: failure(code, message),
            retry_after: self.retry_after,
        };
        match self.status.as_u16() {
            401 | 403 => not_accepted(Code::ProviderAuth, "the provider refused our credentials"),
            429 => not_accepted(Code::ProviderThrottled, "the provider takes no more for now"),
            503 => not_accepted(Code::ProviderUnavailable, "the provider is out of order"),
            // Nobody was there to take it.
            301 | 307 | 308 | 408 => {
                not_accepted(Code::ProviderUnavailable, "the provider did not take the request")
            }
            400..=499 => Outcome::Rejected(failure(
                Code::ProviderRejected,
                "the provider refused the message",
            )),
            _ => Outcome::Unknown(failure(
                Code::UnknownOutcome,
                "the provider's answer does not say what became of the message",
            )),
        }
    }
}

/// What it means that there was no answer.
fn broken(error: &reqwest::Error) -> Outcome {
    let not_accepted = |message| Outcome::NotAccepted {
        failure: Failure::new(FailureCode::ProviderUnavailable, message),
        retry_after: None,
    };
    // Neither the error's URL, which may hold a key, nor its text is for tenants.
    tracing::debug!(cause = innermost(error), "a call to a provider failed");
    if error.is_builder() {
        not_accepted("the request to the provider could not be made")
    } else if error.is_dns() {
        not_accepted("the provider's name could not be resolved")
    } else if error.is_connect() && error.is_timeout() {
        not_accepted("connecting to the provider took too long")
    } else if error.is_connect() {
        not_accepted("the provider could not be connected to")
    } else if error.is_timeout() {
        unknown("the provider did not answer in time")
    } else {
        unknown("the connection to the provider broke")
    }
}

/// The text of the error that caused all others: the system's or the TLS library's.
fn innermost(error: &reqwest::Error) -> String {
    let mut innermost: &dyn Error = error;
    while let Some(cause) = innermost.source() {
        innermost = cause;
    }
    // The outermost would name the URL.
    error.source().map_or_else(|| "unknown".to_owned(), |_| innermost.to_string())
}

pub(crate) fn unknown(message: &str) -> Outcome {
    Outcome::Unknown(Failure::new(FailureCode::UnknownOutcome, message))
}

/// The body, unless it breaks off or is larger than [`MAX_ANSWER`].
async fn read(mut response: Response) -> Option<Vec<u8>> {
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.ok()? {
        if body.len() + chunk.len() > MAX_ANSWER {
            return None;
        }
        body.extend_from_slice(&chunk);
    }
    Some(body)
}

/// Reads `Retry-After` (RFC 9110, section 10.2.3): seconds, or a date. Never negative, and a day at
/// most.
fn retry_after(value: &str, now: DateTime<Utc>) -> Option<TimeDelta> {
    let wait = match value.trim().parse::<u32>() {
        Ok(seconds) => TimeDelta::seconds(seconds.into()),
        Err(_) => DateTime::parse_from_rfc2822(value.trim()).ok()?.to_utc() - now,
    };
    Some(wait.clamp(TimeDelta::zero(), TimeDelta::days(1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(status: u16) -> Answer {
        Answer { retry_after: Some(TimeDelta::seconds(7)), ..Answer::of(status, "") }
    }

    fn not_accepted(status: u16) -> Option<(FailureCode, Option<TimeDelta>)> {
        match answer(status).by_status() {
            Outcome::NotAccepted { failure, retry_after } => Some((failure.code, retry_after)),
            _ => None,
        }
    }

    #[test]
    fn some_statuses_say_that_nothing_was_taken() {
        let wait = Some(TimeDelta::seconds(7));
        for (status, code) in [
            (401, FailureCode::ProviderAuth),
            (403, FailureCode::ProviderAuth),
            (429, FailureCode::ProviderThrottled),
            (503, FailureCode::ProviderUnavailable),
            (301, FailureCode::ProviderUnavailable),
            (308, FailureCode::ProviderUnavailable),
        ] {
            assert_eq!(not_accepted(status), Some((code, wait)), "{status}");
        }
    }

    #[test]
    fn other_client_errors_are_refusals_of_the_message() {
        for status in [400, 404, 422] {
            let Outcome::Rejected(failure) = answer(status).by_status() else { panic!("{status}") };

            assert_eq!(failure.code, FailureCode::ProviderRejected);
            assert_eq!(failure.vendor_code, Some(status.to_string()));
        }
    }

    #[test]
    fn every_other_status_leaves_it_open() {
        for status in [200, 204, 302, 303, 500, 502, 504, 599] {
            assert!(matches!(answer(status).by_status(), Outcome::Unknown(_)), "{status}");
        }
    }

    #[test]
    fn retry_after_is_read_as_seconds_and_as_a_date() {
        let now = DateTime::parse_from_rfc3339("1994-11-06T08:49:07Z").unwrap().to_utc();

        for (value, seconds) in [
            ("120", Some(120)),
            (" 0 ", Some(0)),
            ("Sun, 06 Nov 1994 08:49:37 GMT", Some(30)),
            ("Sun, 06 Nov 1994 08:00:00 GMT", Some(0)),
            ("4000000000", Some(86_400)),
            ("-1", None),
            ("soon", None),
            ("", None),
        ] {
            assert_eq!(retry_after(value, now), seconds.map(TimeDelta::seconds), "{value:?}");
        }
    }
}
