//! Resend's refusals: <https://resend.com/docs/api-reference/errors>.

use domain::messaging::{delivery::FailureCode as Code, outcome::Outcome};
use serde::Deserialize;

use crate::{
    answer::Answer,
    verdict::{
        CodeTable,
        Verdict::{self, NotAccepted, Rejected, Unknown},
        accepted,
    },
};

#[derive(Deserialize)]
struct SendResponse {
    id: String,
}

#[derive(Deserialize)]
struct Refusal {
    name: String,
    #[serde(default)]
    message: String,
}

/// Names of errors. `validation_error` and those of the status 5xx are judged by more than their
/// names.
#[rustfmt::skip]
const NAMES: CodeTable<&str> = CodeTable(&[
    ("missing_api_key", "no key was sent", NotAccepted(Code::ProviderAuth)),
    ("restricted_api_key", "the key may only send mail", NotAccepted(Code::ProviderAuth)),
    ("invalid_api_key", "the key is wrong", NotAccepted(Code::ProviderAuth)),
    ("suspended_api_key", "the key is suspended", NotAccepted(Code::ProviderAuth)),
    ("invalid_access", "the key may not do this", NotAccepted(Code::ProviderAuth)),
    ("invalid_from_address", "the sender is no address", NotAccepted(Code::SenderNotAllowed)),
    ("invalid_region", "there is no such region", NotAccepted(Code::SenderNotAllowed)),
    ("rate_limit_exceeded", "too many requests", NotAccepted(Code::ProviderThrottled)),
    ("daily_quota_exceeded", "the day's quota is used up", NotAccepted(Code::ProviderBalance)),
    ("monthly_quota_exceeded", "the month's quota is used up", NotAccepted(Code::ProviderBalance)),
    ("not_found", "there is nothing at that address", NotAccepted(Code::ProviderUnavailable)),
    ("method_not_allowed", "not by that method", NotAccepted(Code::ProviderUnavailable)),
    ("invalid_idempotency_key", "the key is too long", NotAccepted(Code::ProviderRejected)),
    ("security_error", "a security problem was found", NotAccepted(Code::ProviderRejected)),
    ("missing_required_field", "a field is missing", Rejected(Code::ProviderRejected)),
    ("invalid_parameter", "a parameter is wrong", Rejected(Code::ProviderRejected)),
    ("invalid_attachment", "an attachment is wrong", Rejected(Code::ProviderRejected)),
    // The message was accepted before, or is being accepted.
    ("invalid_idempotent_request", "the key was used with another body", Unknown),
    ("concurrent_idempotent_requests", "the same request is being served", Unknown),
    ("application_error", "something unexpected happened", Unknown),
]);

pub(super) fn outcome(answer: &Answer) -> Outcome {
    if answer.status.is_success() {
        return match answer.json::<SendResponse>() {
            Some(SendResponse { id }) if !id.is_empty() => accepted(Some(id)),
            _ => answer.outcome_by_status(),
        };
    }
    let refusal = answer.json::<Refusal>();
    let verdict = refusal.as_ref().and_then(|refusal| refusal.verdict(answer.status.as_u16()));
    match refusal.zip(verdict) {
        Some((refusal, verdict)) => answer.outcome(verdict, &refusal.name),
        None => answer.outcome_by_status(),
    }
}

impl Refusal {
    fn verdict(&self, status: u16) -> Option<Verdict> {
        match (status, self.name.as_str()) {
            // The vendor may have accepted the message before the failure, whatever the name.
            (500.., _) => None,
            // "You can only send testing emails to your own address", "the domain is not verified".
            (403, "validation_error") => Some(NotAccepted(Code::SenderNotAllowed)),
            (_, "validation_error") if self.message.contains("`from`") => {
                Some(NotAccepted(Code::SenderNotAllowed))
            }
            (_, "validation_error") if self.message.contains("`to`") => {
                Some(Rejected(Code::InvalidRecipient))
            }
            (_, "validation_error") => Some(Rejected(Code::ProviderRejected)),
            (_, name) => NAMES.get(name),
        }
    }
}

/// True if a check was refused because the key may only send.
pub(super) fn may_only_send(answer: &Answer) -> bool {
    answer.json::<Refusal>().is_some_and(|refusal| refusal.name == "restricted_api_key")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(status: u16, name: &str, message: &str) -> (char, Code, Option<String>) {
        let body = serde_json::json!({"statusCode": status, "name": name, "message": message});
        match outcome(&Answer::of(status, &body.to_string())) {
            Outcome::Rejected(failure) => ('R', failure.code, failure.vendor_code),
            Outcome::NotAccepted { failure, .. } => ('N', failure.code, failure.vendor_code),
            Outcome::Unknown(failure) => ('U', failure.code, failure.vendor_code),
            Outcome::Accepted { .. } => panic!("accepted"),
        }
    }

    #[test]
    fn every_name_is_understood() {
        for &(name, _, verdict) in NAMES.0 {
            let (expected, code) = match verdict {
                Rejected(code) => ('R', code),
                NotAccepted(code) => ('N', code),
                Unknown => ('U', Code::UnknownOutcome),
            };
            assert_eq!(kind(422, name, ""), (expected, code, Some(name.into())), "{name}");
        }
    }

    #[test]
    fn a_validation_error_is_understood_by_what_it_is_about() {
        for (status, message, expected, code) in [
            (422, "Invalid `to` field. The email address needs", 'R', Code::InvalidRecipient),
            (422, "Invalid `from` field. The email address needs", 'N', Code::SenderNotAllowed),
            (403, "The shop.example domain is not verified", 'N', Code::SenderNotAllowed),
            (400, "We found an error with one or more fields", 'R', Code::ProviderRejected),
        ] {
            let found = kind(status, "validation_error", message);
            assert_eq!(found, (expected, code, Some("validation_error".into())), "{message}");
        }
    }

    #[test]
    fn other_errors_are_judged_by_the_status() {
        for (status, name, expected, code) in [
            (500, "application_error", 'U', Code::UnknownOutcome),
            (500, "invalid_api_key", 'U', Code::UnknownOutcome),
            (429, "unheard_of", 'N', Code::ProviderThrottled),
            (404, "unheard_of", 'N', Code::ProviderUnavailable),
            (418, "unheard_of", 'R', Code::ProviderRejected),
        ] {
            assert_eq!(kind(status, name, ""), (expected, code, Some(status.to_string())));
        }
    }
}
