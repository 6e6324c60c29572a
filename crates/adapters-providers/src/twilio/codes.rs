//! Twilio's error codes: <https://www.twilio.com/docs/api/errors>.

use domain::{
    delivery::{Failure, FailureCode as Code},
    provider::{FollowUp, Outcome},
};
use reqwest::StatusCode;
use serde::Deserialize;

use crate::{
    client::Answer,
    verdict::Verdict::{self, NotAccepted, Rejected, Unknown},
};

/// The codes that tell more than that the provider refuses, and what they say.
const CODES: [(u32, Verdict); 76] = [
    (10_001, NotAccepted(Code::ProviderAuth)),
    (10_004, NotAccepted(Code::ProviderThrottled)),
    (13_223, Rejected(Code::InvalidRecipient)),
    (13_224, Rejected(Code::InvalidRecipient)),
    (13_227, NotAccepted(Code::ProviderRejected)),
    (14_107, NotAccepted(Code::ProviderThrottled)),
    (20_003, NotAccepted(Code::ProviderAuth)),
    (20_005, NotAccepted(Code::ProviderAuth)),
    (20_006, NotAccepted(Code::ProviderAuth)),
    (20_008, NotAccepted(Code::ProviderAuth)),
    (20_010, NotAccepted(Code::ProviderAuth)),
    (20_403, NotAccepted(Code::ProviderAuth)),
    (NOT_FOUND, NotAccepted(Code::ProviderUnavailable)),
    (20_429, NotAccepted(Code::ProviderThrottled)),
    (20_500, Unknown),
    (20_503, NotAccepted(Code::ProviderUnavailable)),
    (21_201, Rejected(Code::InvalidRecipient)),
    (21_202, Rejected(Code::InvalidRecipient)),
    (21_203, NotAccepted(Code::ProviderRejected)),
    (21_210, NotAccepted(Code::SenderNotAllowed)),
    (21_211, Rejected(Code::InvalidRecipient)),
    (21_212, NotAccepted(Code::SenderNotAllowed)),
    (21_213, NotAccepted(Code::SenderNotAllowed)),
    (21_214, NotAccepted(Code::ProviderUnavailable)),
    (21_215, NotAccepted(Code::ProviderRejected)),
    (21_217, Rejected(Code::InvalidRecipient)),
    (21_219, NotAccepted(Code::ProviderRejected)),
    (21_408, NotAccepted(Code::ProviderRejected)),
    (21_603, NotAccepted(Code::SenderNotAllowed)),
    (21_604, Rejected(Code::InvalidRecipient)),
    (21_606, NotAccepted(Code::SenderNotAllowed)),
    (21_607, NotAccepted(Code::SenderNotAllowed)),
    (21_608, NotAccepted(Code::ProviderRejected)),
    (21_609, NotAccepted(Code::ProviderRejected)),
    (21_610, Rejected(Code::RecipientOptedOut)),
    (21_611, NotAccepted(Code::ProviderThrottled)),
    (21_612, NotAccepted(Code::ProviderUnavailable)),
    (21_614, Rejected(Code::InvalidRecipient)),
    (21_618, Rejected(Code::BlockedContent)),
    (21_701, NotAccepted(Code::SenderNotAllowed)),
    (21_702, NotAccepted(Code::SenderNotAllowed)),
    (21_703, NotAccepted(Code::SenderNotAllowed)),
    (21_704, NotAccepted(Code::SenderNotAllowed)),
    (21_705, NotAccepted(Code::SenderNotAllowed)),
    (21_709, NotAccepted(Code::SenderNotAllowed)),
    (30_001, NotAccepted(Code::ProviderThrottled)),
    (30_002, NotAccepted(Code::ProviderAuth)),
    (30_003, Rejected(Code::Undelivered)),
    (30_005, Rejected(Code::InvalidRecipient)),
    (30_006, Rejected(Code::InvalidRecipient)),
    (30_007, Rejected(Code::BlockedContent)),
    (30_018, NotAccepted(Code::SenderNotAllowed)),
    (30_022, NotAccepted(Code::ProviderThrottled)),
    (30_023, NotAccepted(Code::ProviderThrottled)),
    (30_024, NotAccepted(Code::SenderNotAllowed)),
    (30_027, NotAccepted(Code::ProviderThrottled)),
    (30_032, NotAccepted(Code::SenderNotAllowed)),
    (30_034, NotAccepted(Code::SenderNotAllowed)),
    (30_410, Unknown),
    (63_001, NotAccepted(Code::ProviderAuth)),
    (63_002, NotAccepted(Code::SenderNotAllowed)),
    (63_003, Rejected(Code::InvalidRecipient)),
    (63_007, NotAccepted(Code::SenderNotAllowed)),
    (63_009, NotAccepted(Code::ProviderUnavailable)),
    (63_010, Unknown),
    (63_012, NotAccepted(Code::ProviderUnavailable)),
    (63_013, Rejected(Code::BlockedContent)),
    (63_016, Rejected(Code::SessionWindowClosed)),
    (63_017, NotAccepted(Code::ProviderThrottled)),
    (63_018, NotAccepted(Code::ProviderThrottled)),
    (63_020, NotAccepted(Code::ProviderAuth)),
    (63_022, NotAccepted(Code::SenderNotAllowed)),
    (63_024, Rejected(Code::InvalidRecipient)),
    (63_026, Rejected(Code::BlockedContent)),
    (63_032, Rejected(Code::Undelivered)),
    (63_038, NotAccepted(Code::ProviderThrottled)),
];

/// The code for what does not exist.
const NOT_FOUND: u32 = 20_404;

#[derive(Deserialize)]
struct Created {
    sid: String,
}

#[derive(Deserialize)]
struct Refusal {
    code: u32,
}

/// What the answer to a request for a message or a call says.
pub(super) fn outcome(answer: &Answer) -> Outcome {
    if answer.status.is_success() {
        let created = answer.json::<Created>().filter(|created| !created.sid.is_empty());
        return created.map_or_else(
            || answer.by_status(),
            |Created { sid }| Outcome::Accepted {
                reference: Some(sid),
                follow_up: FollowUp::Report,
            },
        );
    }
    // A server that failed does not know how far it came.
    if !answer.status.is_client_error() {
        return answer.by_status();
    }
    match answer.json::<Refusal>() {
        Some(Refusal { code }) => refusal(answer, code),
        // All that is asked for exists, so the address is wrong, not the message.
        None if matches!(answer.status, StatusCode::NOT_FOUND | StatusCode::METHOD_NOT_ALLOWED) => {
            refusal(answer, NOT_FOUND)
        }
        None => answer.by_status(),
    }
}

fn refusal(answer: &Answer, code: u32) -> Outcome {
    let says_enough = matches!(answer.status.as_u16(), 401 | 403 | 429);
    match known(code) {
        None if says_enough => answer.by_status(),
        verdict => {
            let verdict = verdict.unwrap_or(NotAccepted(Code::ProviderRejected));
            verdict.outcome(&code.to_string(), answer.retry_after)
        }
    }
}

/// Whether an answer says that there is no such thing.
pub(super) fn is_not_found(answer: &Answer) -> bool {
    answer.json::<Refusal>().is_some_and(|refusal| refusal.code == NOT_FOUND)
}

/// Why a message that was taken was given up.
pub(super) fn given_up(code: Option<u32>) -> Failure {
    let Some(code) = code else {
        return Failure::new(Code::Undelivered, "the provider could not deliver the message");
    };
    known(code).unwrap_or(Rejected(Code::Undelivered)).of_taken(&code.to_string())
}

fn known(code: u32) -> Option<Verdict> {
    CODES.iter().find(|(known, _)| *known == code).map(|(_, verdict)| *verdict)
}

#[cfg(test)]
mod tests;
