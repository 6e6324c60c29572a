//! Twilio's error codes: <https://www.twilio.com/docs/api/errors>.

use domain::messaging::{
    delivery::{Failure, FailureCode as Code},
    outcome::Outcome,
};
use reqwest::StatusCode;
use serde::Deserialize;

use crate::{
    answer::Answer,
    verdict::{
        CodeTable,
        Verdict::{NotAccepted, Rejected, Unknown},
        accepted,
    },
};

/// Codes that are more specific than a refusal by the provider.
#[rustfmt::skip]
const CODES: CodeTable<u32> = CodeTable(&[
    (10_001, "the account is not active", NotAccepted(Code::ProviderAuth)),
    (10_004, "too many calls at once", NotAccepted(Code::ProviderThrottled)),
    (13_223, "the number has no valid form", Rejected(Code::InvalidRecipient)),
    (13_224, "the number cannot be called", Rejected(Code::InvalidRecipient)),
    (13_227, "no calls to that region", NotAccepted(Code::ProviderRejected)),
    (14_107, "too many messages to one number", NotAccepted(Code::RecipientUnreachable)),
    (20_003, "wrong credentials", NotAccepted(Code::ProviderAuth)),
    (20_005, "the account is not active", NotAccepted(Code::ProviderAuth)),
    (20_006, "access denied", NotAccepted(Code::ProviderAuth)),
    (20_008, "test credentials", NotAccepted(Code::ProviderAuth)),
    (20_010, "the account is suspended", NotAccepted(Code::ProviderAuth)),
    (20_403, "forbidden", NotAccepted(Code::ProviderAuth)),
    (NOT_FOUND, "no such resource", NotAccepted(Code::ProviderUnavailable)),
    (20_429, "too many requests", NotAccepted(Code::ProviderThrottled)),
    (20_500, "an internal error", Unknown),
    (20_503, "out of service", NotAccepted(Code::ProviderUnavailable)),
    (21_201, "no number to call", Rejected(Code::InvalidRecipient)),
    (21_202, "a number of premium rates", Rejected(Code::InvalidRecipient)),
    (21_203, "calls to that country are not allowed", NotAccepted(Code::ProviderRejected)),
    (21_210, "the sender is not verified", NotAccepted(Code::SenderNotAllowed)),
    (21_211, "the number is invalid", Rejected(Code::InvalidRecipient)),
    (21_212, "the sender is invalid", NotAccepted(Code::SenderNotAllowed)),
    (21_213, "no sender", NotAccepted(Code::SenderNotAllowed)),
    (21_214, "the number cannot be reached", NotAccepted(Code::RecipientUnreachable)),
    (21_215, "no permission for that country", NotAccepted(Code::ProviderRejected)),
    (21_217, "the number seems invalid", Rejected(Code::InvalidRecipient)),
    (21_219, "the number is not verified, as trials need", NotAccepted(Code::ProviderRejected)),
    (21_408, "no permission for that country", NotAccepted(Code::ProviderRejected)),
    (21_603, "no sender", NotAccepted(Code::SenderNotAllowed)),
    (21_604, "no recipient", Rejected(Code::InvalidRecipient)),
    (21_606, "the sender is not ours or cannot send", NotAccepted(Code::SenderNotAllowed)),
    (21_607, "the sender is not for SMS", NotAccepted(Code::SenderNotAllowed)),
    (21_608, "the number is not verified, as trials need", NotAccepted(Code::ProviderRejected)),
    (21_609, "the callback address is invalid", NotAccepted(Code::ProviderRejected)),
    (21_610, "the recipient unsubscribed", Rejected(Code::RecipientOptedOut)),
    (21_611, "the sender's queue is full", NotAccepted(Code::ProviderThrottled)),
    (21_612, "no way from that sender to that number", NotAccepted(Code::RecipientUnreachable)),
    (21_614, "not a mobile number", Rejected(Code::InvalidRecipient)),
    (21_618, "the carrier refuses the text", Rejected(Code::BlockedContent)),
    (21_701, "no such messaging service", NotAccepted(Code::SenderNotAllowed)),
    (21_702, "the messaging service is misused", NotAccepted(Code::SenderNotAllowed)),
    (21_703, "the messaging service has no sender", NotAccepted(Code::SenderNotAllowed)),
    (21_704, "the messaging service has no sender", NotAccepted(Code::SenderNotAllowed)),
    (21_705, "the messaging service is invalid", NotAccepted(Code::SenderNotAllowed)),
    (21_709, "the name may not be a sender", NotAccepted(Code::SenderNotAllowed)),
    (30_001, "the queue is full", NotAccepted(Code::ProviderThrottled)),
    (30_002, "the account is suspended", NotAccepted(Code::ProviderAuth)),
    (30_003, "the handset cannot be reached", Rejected(Code::Undelivered)),
    (30_005, "the handset is unknown", Rejected(Code::InvalidRecipient)),
    (30_006, "a fixed line, or a carrier out of reach", Rejected(Code::InvalidRecipient)),
    (30_007, "filtered as spam", Rejected(Code::BlockedContent)),
    (30_018, "the sender has to be registered", NotAccepted(Code::SenderNotAllowed)),
    (30_022, "too many for the network", NotAccepted(Code::ProviderThrottled)),
    (30_023, "the day's limit is reached", NotAccepted(Code::ProviderThrottled)),
    (30_024, "the sender is not set up", NotAccepted(Code::SenderNotAllowed)),
    (30_027, "the day's limit of the carrier is reached", NotAccepted(Code::ProviderThrottled)),
    (30_032, "the toll-free number is not verified", NotAccepted(Code::SenderNotAllowed)),
    (30_034, "the number is not registered", NotAccepted(Code::SenderNotAllowed)),
    (30_410, "the carrier did not answer", Unknown),
    (63_001, "the channel refused the credentials", NotAccepted(Code::ProviderAuth)),
    (63_002, "the channel does not know the sender", NotAccepted(Code::SenderNotAllowed)),
    (63_003, "the channel does not know the recipient", Rejected(Code::InvalidRecipient)),
    (63_007, "no such sender on the channel", NotAccepted(Code::SenderNotAllowed)),
    (63_009, "the channel is out of order", NotAccepted(Code::ProviderUnavailable)),
    (63_010, "an internal error", Unknown),
    (63_012, "the channel is out of order", NotAccepted(Code::ProviderUnavailable)),
    (63_013, "against the channel's policy", Rejected(Code::BlockedContent)),
    (63_016, "outside the window of 24 hours", Rejected(Code::SessionWindowClosed)),
    (63_017, "too many for the channel", NotAccepted(Code::ProviderThrottled)),
    (63_018, "too many for the channel", NotAccepted(Code::ProviderThrottled)),
    (63_020, "Twilio was not accepted by Meta", NotAccepted(Code::ProviderAuth)),
    (63_022, "the sender's certificate is invalid", NotAccepted(Code::SenderNotAllowed)),
    (63_024, "the recipient is invalid", Rejected(Code::InvalidRecipient)),
    (63_026, "a prohibited text", Rejected(Code::BlockedContent)),
    (63_032, "Meta spares the recipient", Rejected(Code::Undelivered)),
    (63_038, "the account's day limit is reached", NotAccepted(Code::ProviderThrottled)),
]);

/// Code of a missing resource.
const NOT_FOUND: u32 = 20_404;

#[derive(Deserialize)]
struct Created {
    sid: String,
}

#[derive(Deserialize)]
struct Refusal {
    code: u32,
}

/// Returns the outcome of a request for a message or a call.
pub(super) fn outcome(answer: &Answer) -> Outcome {
    if answer.status.is_success() {
        return match answer.json::<Created>() {
            Some(Created { sid }) if !sid.is_empty() => accepted(Some(sid)),
            _ => answer.outcome_by_status(),
        };
    }
    match answer.json::<Refusal>() {
        // A server error does not tell if the message was accepted.
        Some(Refusal { code }) if answer.status.is_client_error() => refusal(answer, code),
        _ => answer.outcome_by_status(),
    }
}

fn refusal(answer: &Answer, code: u32) -> Outcome {
    let is_conclusive = matches!(answer.status.as_u16(), 401 | 403 | 429);
    match CODES.get(code) {
        Some(verdict) => answer.outcome(verdict, &code.to_string()),
        None if is_conclusive => answer.outcome_by_status(),
        None => answer.outcome(NotAccepted(Code::ProviderRejected), &code.to_string()),
    }
}

/// True if a response says that the resource does not exist.
pub(super) fn is_not_found(answer: &Answer) -> bool {
    answer.status == StatusCode::NOT_FOUND
        && answer.json::<Refusal>().is_some_and(|refusal| refusal.code == NOT_FOUND)
}

/// Returns the reason why an accepted message was given up.
pub(super) fn failure(code: Option<u32>) -> Failure {
    let Some(code) = code else {
        return Failure::new(Code::Undelivered, "the provider could not deliver the message");
    };
    CODES
        .get(code)
        .unwrap_or(Rejected(Code::Undelivered))
        .failure_after_acceptance(&code.to_string())
}

#[cfg(test)]
mod tests;
