//! Responses of a service to messages.

use domain::messaging::{
    delivery::{Failure, FailureCode as Code},
    outcome::Outcome,
};
use serde::Deserialize;
use serde_json::Value;

use crate::{answer::Answer, loose_json, verdict::accepted};

/// Maximum number of characters kept of a service's message.
const MAX_MESSAGE: usize = 200;

#[derive(Deserialize)]
struct SendResponse {
    id: Value,
}

#[derive(Deserialize)]
struct Refusal {
    error: Problem,
}

#[derive(Deserialize)]
struct Problem {
    code: String,
    #[serde(default)]
    message: String,
}

pub(super) fn outcome(answer: &Answer) -> Outcome {
    if answer.status.is_success() {
        let body = answer.json::<SendResponse>();
        return accepted(body.and_then(|body| loose_json::text(&body.id)));
    }
    let Some(Refusal { error }) = answer.json() else { return answer.outcome_by_status() };
    match error.code.parse() {
        Ok(code) => refusal(code, &error.message, answer),
        Err(_) => answer.outcome_by_status(),
    }
}

/// Returns the outcome by the code, whatever the status.
fn refusal(code: Code, message: &str, answer: &Answer) -> Outcome {
    let message: String = message.chars().filter(|c| !c.is_control()).take(MAX_MESSAGE).collect();
    let message =
        if message.trim().is_empty() { "the service refused the message" } else { &message };
    let failure = Failure::new(code, message).with_vendor_code(answer.status.as_str());
    match code {
        Code::InvalidRecipient
        | Code::RecipientOptedOut
        | Code::RecipientSuppressed
        | Code::BlockedContent
        | Code::DeviceUnregistered
        | Code::SessionWindowClosed
        | Code::ProviderRejected
        | Code::Undelivered
        | Code::NoReport
        | Code::Expired
        | Code::MissingVariable
        | Code::Cancelled
        | Code::CountryNotAllowed
        | Code::VelocityLimit
        | Code::TrafficStopped => Outcome::Rejected(failure),
        Code::NoRoute
        | Code::SenderNotAllowed
        | Code::RecipientUnreachable
        | Code::ProviderThrottled
        | Code::ProviderBusy
        | Code::ProviderAuth
        | Code::ProviderBalance
        | Code::ProviderUnavailable => {
            Outcome::NotAccepted { failure, retry_after: answer.retry_after }
        }
        Code::UnknownOutcome => Outcome::Unknown(failure),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(status: u16, body: &str) -> (char, Code, String) {
        match outcome(&Answer::of(status, body)) {
            Outcome::Rejected(failure) => ('R', failure.code, failure.message),
            Outcome::NotAccepted { failure, .. } => ('N', failure.code, failure.message),
            Outcome::Unknown(failure) => ('U', failure.code, failure.message),
            Outcome::Accepted { .. } => panic!("accepted"),
        }
    }

    #[test]
    fn every_success_accepts_and_may_have_a_reference() {
        for (status, body, reference) in [
            (200, r#"{"id":"x-1"}"#, Some("x-1")),
            (201, r#"{"id":17}"#, Some("17")),
            (202, r#"{"id":""}"#, None),
            (204, "", None),
            (200, "OK", None),
        ] {
            let reference = reference.map(str::to_owned);
            assert_eq!(outcome(&Answer::of(status, body)), accepted(reference), "{body}");
        }
    }

    #[test]
    fn a_code_outweighs_the_status() {
        let body =
            |code: &str| format!(r#"{{"error":{{"code":"{code}","message":"not\nwanted"}}}}"#);
        for code in Code::ALL {
            for status in [400, 403, 500, 503] {
                let (_, found, message) = parsed(status, &body(code.as_str()));
                assert_eq!((found, message.as_str()), (code, "notwanted"));
            }
        }
        assert_eq!(parsed(500, &body("INVALID_RECIPIENT")).0, 'R');
        assert_eq!(parsed(400, &body("SENDER_NOT_ALLOWED")).0, 'N');
        assert_eq!(parsed(400, &body("UNKNOWN_OUTCOME")).0, 'U');
    }

    #[test]
    fn the_message_of_a_service_is_truncated() {
        let body = format!(
            r#"{{"error":{{"code":"BLOCKED_CONTENT","message":"{}"}}}}"#,
            "ɔ".repeat(MAX_MESSAGE + 1)
        );
        assert_eq!(parsed(400, &body).2.chars().count(), MAX_MESSAGE);
        let silent = r#"{"error":{"code":"BLOCKED_CONTENT"}}"#;
        assert_eq!(parsed(400, silent).2, "the service refused the message");
    }
}
