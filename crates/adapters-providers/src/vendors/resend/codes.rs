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
