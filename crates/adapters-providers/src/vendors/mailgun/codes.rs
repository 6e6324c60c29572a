//! Mailgun's refusals: <https://documentation.mailgun.com/docs/mailgun/quickstart-guide/responses>.
//!
//! Mailgun has no codes beyond statuses, so the text of the response decides.

use chrono::{DateTime, TimeDelta, Utc};
use domain::messaging::{delivery::FailureCode as Code, outcome::Outcome};
use serde::Deserialize;

use crate::{
    answer::Answer,
    verdict::{
        PhraseTable,
        Verdict::{NotAccepted, Rejected},
        accepted,
    },
};

#[derive(Deserialize)]
struct SendResponse {
    id: String,
}

#[derive(Deserialize)]
struct Refusal {
    message: String,
}

/// Phrases in the text of a refusal.
const PHRASES: PhraseTable = PhraseTable(&[
    ("limit exceeded", NotAccepted(Code::ProviderThrottled)),
    ("not allowed to send", NotAccepted(Code::SenderNotAllowed)),
    ("domain not found", NotAccepted(Code::SenderNotAllowed)),
    ("account disabled", NotAccepted(Code::ProviderAuth)),
    ("'from' parameter", NotAccepted(Code::SenderNotAllowed)),
    ("from parameter", NotAccepted(Code::SenderNotAllowed)),
    ("'to' parameter", Rejected(Code::InvalidRecipient)),
    ("to parameter", Rejected(Code::InvalidRecipient)),
]);

/// Returns the outcome of a response. A time to wait is counted from `now`.
pub(super) fn outcome(answer: &Answer, now: DateTime<Utc>) -> Outcome {
    let status = answer.status.as_u16();
    if answer.status.is_success() {
        let id = answer.json::<SendResponse>().map(|body| body.id).unwrap_or_default();
        return match id.trim_matches(['<', '>']) {
            "" => answer.outcome_by_status(),
            id => accepted(Some(id.to_owned())),
        };
    }
    let message = answer.json::<Refusal>().map(|refusal| refusal.message).unwrap_or_default();
    let verdict = match status {
        400 | 403 | 404 | 420 => PHRASES.find(&message),
        _ => None,
    };
    let verdict = verdict.or(match status {
        402 => Some(NotAccepted(Code::ProviderRejected)),
        // Too many recipients for a new domain.
        420 => Some(NotAccepted(Code::ProviderThrottled)),
        _ => None,
    });
    let Some(verdict) = verdict else { return answer.outcome_by_status() };
    verdict
        .outcome(answer.status.as_str(), answer.retry_after.or_else(|| retry_after(&message, now)))
}

/// Reads the time to wait from "…, try again after Mon, 25 Aug 2025 07:00:31 UTC"; a day at most.
fn retry_after(message: &str, now: DateTime<Utc>) -> Option<TimeDelta> {
    let (_, time) = message.split_once("try again after ")?;
    let time = time.trim().strip_suffix(" UTC")?;
    let time = DateTime::parse_from_rfc2822(&format!("{time} +0000")).ok()?;
    Some((time.to_utc() - now).clamp(TimeDelta::zero(), TimeDelta::days(1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_throttled_domain_gets_a_time_to_wait() {
        let body = r#"{"message":"Domain x is not allowed to send: recipient limit exceeded, try again after Mon, 25 Aug 2025 07:00:31 UTC"}"#;
        let now = DateTime::parse_from_rfc3339("2025-08-25T07:00:01Z").unwrap().to_utc();

        let outcome = outcome(&Answer::of(420, body), now);

        let Outcome::NotAccepted { retry_after, .. } = outcome else { panic!("{outcome:?}") };
        assert_eq!(retry_after, Some(TimeDelta::seconds(30)));
    }
}
