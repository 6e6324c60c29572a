//! Africa's Talking's responses to SMS:
//! <https://developers.africastalking.com/docs/sms/sending/bulk>.

use std::ops::RangeInclusive;

use domain::messaging::{delivery::FailureCode as Code, outcome::Outcome};
use serde::Deserialize;

use crate::{
    answer::Answer,
    batch::{not_mentioned, outcome_for_each},
    verdict::{
        CodeTable,
        Verdict::{NotAccepted, Rejected, Unknown},
        accepted_by_reference,
    },
};

#[derive(Deserialize)]
struct Envelope {
    #[serde(rename = "SMSMessageData")]
    data: Data,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Data {
    #[serde(default)]
    message: String,
    #[serde(default)]
    recipients: Vec<Recipient>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Recipient {
    status_code: u16,
    #[serde(default)]
    number: String,
    message_id: Option<String>,
}

/// Codes of accepted recipients: `Processed`, `Sent` and `Queued`.
const ACCEPTED: RangeInclusive<u16> = 100..=102;

/// Other codes of a recipient. 409 concerns the sender, not the recipient's wishes: the sender is
/// for promotion, which Nigeria does not allow from 8 in the evening to 8 in the morning
/// (<https://status.africastalking.com/incident/538/>).
#[rustfmt::skip]
const STATUSES: CodeTable<u16> = CodeTable(&[
    (401, "RiskHold", Rejected(Code::BlockedContent)),
    (402, "InvalidSenderId", NotAccepted(Code::SenderNotAllowed)),
    (403, "InvalidPhoneNumber", Rejected(Code::InvalidRecipient)),
    (404, "UnsupportedNumberType", Rejected(Code::InvalidRecipient)),
    (405, "InsufficientBalance", NotAccepted(Code::ProviderBalance)),
    (406, "UserInBlacklist", Rejected(Code::RecipientOptedOut)),
    (407, "CouldNotRoute", NotAccepted(Code::RecipientUnreachable)),
    (409, "DoNotDisturbRejection", NotAccepted(Code::SenderNotAllowed)),
    (500, "InternalServerError", Unknown),
    (501, "GatewayError", NotAccepted(Code::ProviderUnavailable)),
    (502, "RejectedByGateway", NotAccepted(Code::ProviderRejected)),
]);

/// Reads the outcome of each of the `numbers` from a response. A refusal may have a status of its
/// own and still list the recipients.
pub(super) fn outcomes(answer: &Answer, numbers: &[&str]) -> Vec<Outcome> {
    let of_all = |outcome| outcome_for_each(outcome, numbers.len());
    let answered = answer.status.is_success() || answer.status.is_client_error();
    match answer.json::<Envelope>() {
        Some(Envelope { data }) if answered => match data.recipients.as_slice() {
            [] if data.message.is_empty() => of_all(answer.outcome_by_status()),
            [] => of_all(refusal_of_all(&data.message)),
            // With a single recipient the number cannot be ambiguous, whatever its format.
            [only] if numbers.len() == 1 => of_all(only.outcome()),
            recipients => numbers.iter().map(|number| outcome_of(number, recipients)).collect(),
        },
        _ => of_all(answer.outcome_by_status()),
    }
}

fn outcome_of(number: &str, recipients: &[Recipient]) -> Outcome {
    let wanted = digits(number);
    match recipients.iter().find(|recipient| digits(&recipient.number) == wanted) {
        Some(recipient) => recipient.outcome(),
        None => not_mentioned(),
    }
}

fn digits(number: &str) -> &str {
    number.trim().trim_start_matches('+')
}

impl Recipient {
    fn outcome(&self) -> Outcome {
        if ACCEPTED.contains(&self.status_code) {
            let is_given = |id: &String| !id.is_empty() && id != "None";
            return accepted_by_reference(self.message_id.clone().filter(is_given));
        }
        let unlisted = match self.status_code {
            400..=499 => NotAccepted(Code::ProviderRejected),
            _ => Unknown,
        };
        let verdict = STATUSES.get(self.status_code).unwrap_or(unlisted);
        verdict.outcome(&self.status_code.to_string(), None)
    }
}

/// Returns the outcome if the vendor lists no recipient, and gives a `message` instead: usually the
/// name of a status, otherwise prose such as "Sent to 0/1 Total Cost: 0".
fn refusal_of_all(message: &str) -> Outcome {
    match STATUSES.0.iter().find(|(_, name, _)| message.contains(name)) {
        Some((code, _, verdict)) => verdict.outcome(&code.to_string(), None),
        None => NotAccepted(Code::ProviderRejected).outcome("no recipients", None),
    }
}

#[cfg(test)]
mod tests;
