//! HTTP responses of vendors, and their meaning by the status alone.

use chrono::TimeDelta;
use domain::{
    messaging::{delivery::FailureCode as Code, outcome::Outcome},
    providers::provider::Check,
};
use reqwest::{StatusCode, header::HeaderMap};
use serde::de::DeserializeOwned;

use crate::{
    health,
    verdict::Verdict::{self, NotAccepted, Rejected, Unknown},
};

/// HTTP response of a vendor.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) retry_after: Option<TimeDelta>,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    #[cfg(test)]
    pub(crate) fn of(status: u16, body: &str) -> Self {
        let status = StatusCode::from_u16(status).unwrap();
        let body = body.as_bytes().to_vec();
        Self { status, retry_after: None, headers: HeaderMap::new(), body }
    }

    /// Returns the value of a header; `None` if it is not printable.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// Returns the body; `None` if it is not JSON of the requested type.
    pub(crate) fn json<T: DeserializeOwned>(&self) -> Option<T> {
        serde_json::from_slice(&self.body).ok()
    }

    /// Returns the body of a success; `None` if it is not JSON of the requested type.
    pub(crate) fn json_of_success<T: DeserializeOwned>(&self) -> Option<T> {
        self.json().filter(|_| self.status.is_success())
    }

    /// Returns the result of a health check whose response is not a success, by the status.
    pub(crate) fn check_by_status(&self) -> Check {
        match self.status.as_u16() {
            401 | 403 => health::down("the provider refused our credentials"),
            429 => health::degraded("the provider takes no more for now"),
            status => health::down(format!("the provider answered {status}")),
        }
    }

    /// Returns the outcome by the status alone. A success without the promised body is an unknown
    /// outcome.
    pub(crate) fn outcome_by_status(&self) -> Outcome {
        self.outcome(self.verdict_by_status(), self.status.as_str())
    }

    /// Returns the verdict by the status, for outcomes that have a better code than the status.
    pub(crate) fn verdict_by_status(&self) -> Verdict {
        verdict_by_status(self.status.as_u16())
    }

    /// Returns the outcome of this response. `vendor_code` is the vendor's code for it.
    pub(crate) fn outcome(&self, verdict: Verdict, vendor_code: &str) -> Outcome {
        verdict.outcome(vendor_code, self.retry_after)
    }

    /// Returns the outcome of a refusal whose body means `verdict`, if anything. The body counts
    /// only with the statuses that vendors use to refuse a message; the other statuses are
    /// sufficient.
    pub(crate) fn refusal(&self, verdict: Option<Verdict>, vendor_code: &str) -> Outcome {
        match (self.status.as_u16(), verdict) {
            (200..=299 | 400 | 404 | 422, Some(verdict)) => self.outcome(verdict, vendor_code),
            _ => self.outcome_by_status(),
        }
    }
}

/// Maps a status to its meaning (RFC 9110, section 15).
fn verdict_by_status(status: u16) -> Verdict {
    match status {
        401 | 403 => NotAccepted(Code::ProviderAuth),
        402 => NotAccepted(Code::ProviderBalance),
        429 => NotAccepted(Code::ProviderThrottled),
        // The endpoint for messages always exists, so the address is wrong, not the message.
        404 | 405 => NotAccepted(Code::ProviderUnavailable),
        // No service was available to accept it.
        301 | 307 | 308 | 408 | 503 => NotAccepted(Code::ProviderUnavailable),
        400..=499 => Rejected(Code::ProviderRejected),
        _ => Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(status: u16) -> Answer {
        Answer { retry_after: Some(TimeDelta::seconds(7)), ..Answer::of(status, "") }
    }

    fn not_accepted(status: u16) -> Option<(Code, Option<TimeDelta>)> {
        match answer(status).outcome_by_status() {
            Outcome::NotAccepted { failure, retry_after } => Some((failure.code, retry_after)),
            _ => None,
        }
    }

    #[test]
    fn some_statuses_mean_that_nothing_was_accepted() {
        let wait = Some(TimeDelta::seconds(7));
        for (status, code) in [
            (401, Code::ProviderAuth),
            (402, Code::ProviderBalance),
            (403, Code::ProviderAuth),
            (404, Code::ProviderUnavailable),
            (405, Code::ProviderUnavailable),
            (429, Code::ProviderThrottled),
            (503, Code::ProviderUnavailable),
            (301, Code::ProviderUnavailable),
            (308, Code::ProviderUnavailable),
        ] {
            assert_eq!(not_accepted(status), Some((code, wait)), "{status}");
        }
    }

    #[test]
    fn other_client_errors_are_refusals_of_the_message() {
        for status in [400, 413, 422] {
            let Outcome::Rejected(failure) = answer(status).outcome_by_status() else {
                panic!("{status}")
            };

            assert_eq!(failure.code, Code::ProviderRejected);
            assert_eq!(failure.vendor_code, Some(status.to_string()));
        }
    }

    #[test]
    fn every_other_status_is_an_unknown_outcome() {
        for status in [200, 204, 302, 303, 500, 502, 504, 599] {
            assert!(matches!(answer(status).outcome_by_status(), Outcome::Unknown(_)), "{status}");
        }
    }

    #[test]
    fn a_body_counts_only_with_some_statuses() {
        let verdict = Some(Rejected(Code::BlockedContent));
        for status in [200, 400, 404, 422] {
            let outcome = answer(status).refusal(verdict, "6");
            assert_eq!(outcome, Rejected(Code::BlockedContent).outcome("6", None), "{status}");
            assert_eq!(answer(status).refusal(None, "6"), answer(status).outcome_by_status());
        }
        for status in [401, 402, 403, 429, 500, 503] {
            assert_eq!(answer(status).refusal(verdict, "6"), answer(status).outcome_by_status());
        }
    }
}
