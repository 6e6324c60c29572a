//! What a vendor answered over HTTP, and what the status alone says.

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

/// What a vendor answered.
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

    /// A header's value, if it is printable.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// The body, if it is JSON of that shape.
    pub(crate) fn json<T: DeserializeOwned>(&self) -> Option<T> {
        serde_json::from_slice(&self.body).ok()
    }

    /// The body of a success, if it is JSON of that shape.
    pub(crate) fn json_of_success<T: DeserializeOwned>(&self) -> Option<T> {
        self.json().filter(|_| self.status.is_success())
    }

    /// What a status that is no success says when the vendor is checked.
    pub(crate) fn check_by_status(&self) -> Check {
        match self.status.as_u16() {
            401 | 403 => health::down("the provider refused our credentials"),
            429 => health::degraded("the provider takes no more for now"),
            status => health::down(format!("the provider answered {status}")),
        }
    }

    /// What the status alone says. A success without what the vendor promises is an unknown outcome.
    pub(crate) fn outcome_by_status(&self) -> Outcome {
        self.outcome(self.verdict_by_status(), self.status.as_str())
    }

    /// The same, for outcomes that have a better code than the status.
    pub(crate) fn verdict_by_status(&self) -> Verdict {
        verdict_by_status(self.status.as_u16())
    }

    /// The outcome of this answer. `vendor_code` is the vendor's code for it.
    pub(crate) fn outcome(&self, verdict: Verdict, vendor_code: &str) -> Outcome {
        verdict.outcome(vendor_code, self.retry_after)
    }

    /// The outcome of a refusal whose body says `verdict`, if anything. The body counts with the
    /// statuses that vendors give to refusals of a message; the other statuses say enough.
    pub(crate) fn refusal(&self, verdict: Option<Verdict>, vendor_code: &str) -> Outcome {
        match (self.status.as_u16(), verdict) {
            (200..=299 | 400 | 404 | 422, Some(verdict)) => self.outcome(verdict, vendor_code),
            _ => self.outcome_by_status(),
        }
    }
}

/// What a status says (RFC 9110, section 15).
fn verdict_by_status(status: u16) -> Verdict {
    match status {
        401 | 403 => NotAccepted(Code::ProviderAuth),
        402 => NotAccepted(Code::ProviderBalance),
        429 => NotAccepted(Code::ProviderThrottled),
        // Where messages are sent to always exists, so the address is wrong, not the message.
        404 | 405 => NotAccepted(Code::ProviderUnavailable),
        // Nobody was there to take it.
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
    fn some_statuses_say_that_nothing_was_taken() {
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
    fn every_other_status_leaves_it_open() {
        for status in [200, 204, 302, 303, 500, 502, 504, 599] {
            assert!(matches!(answer(status).outcome_by_status(), Outcome::Unknown(_)), "{status}");
        }
    }

    #[test]
    fn a_body_counts_only_with_a_status_that_leaves_room_for_it() {
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
