//! What Africa's Talking answers to an SMS:
//! <https://developers.africastalking.com/docs/sms/sending/bulk>.

use domain::{
    delivery::{Failure, FailureCode},
    provider::{FollowUp, Outcome},
};
use reqwest::StatusCode;
use serde::Deserialize;

use crate::client::{Answer, unknown};

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

/// What a `statusCode` says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Accepted,
    Rejected(FailureCode),
    NotAccepted(FailureCode),
    Unknown,
}

/// The codes of a recipient, their names, and what they say.
#[rustfmt::skip]
const STATUSES: [(u16, &str, Verdict); 14] = [
    (100, "Processed", Verdict::Accepted),
    (101, "Sent", Verdict::Accepted),
    (102, "Queued", Verdict::Accepted),
    (401, "RiskHold", Verdict::Rejected(FailureCode::BlockedContent)),
    (402, "InvalidSenderId", Verdict::NotAccepted(FailureCode::SenderNotAllowed)),
    (403, "InvalidPhoneNumber", Verdict::Rejected(FailureCode::InvalidRecipient)),
    (404, "UnsupportedNumberType", Verdict::Rejected(FailureCode::InvalidRecipient)),
    (405, "InsufficientBalance", Verdict::NotAccepted(FailureCode::ProviderBalance)),
    (406, "UserInBlacklist", Verdict::Rejected(FailureCode::RecipientOptedOut)),
    (407, "CouldNotRoute", Verdict::NotAccepted(FailureCode::ProviderUnavailable)),
    (409, "DoNotDisturbRejection", Verdict::Rejected(FailureCode::RecipientOptedOut)),
    (500, "InternalServerError", Verdict::Unknown),
    (501, "GatewayError", Verdict::NotAccepted(FailureCode::ProviderUnavailable)),
    (502, "RejectedByGateway", Verdict::NotAccepted(FailureCode::ProviderRejected)),
];

/// What an answer says of each of the `numbers` that were sent to. A refusal may come with a status
/// of its own and still name the recipients.
pub(super) fn outcomes(answer: &Answer, numbers: &[&str]) -> Vec<Outcome> {
    let of_all = |outcome| vec![outcome; numbers.len()];
    let answered = answer.status.is_success() || answer.status.is_client_error();
    match answer.json::<Envelope>() {
        Some(Envelope { data }) if answered => match data.recipients.as_slice() {
            [] if data.message.is_empty() => of_all(answer.by_status()),
            [] => of_all(refusal_of_all(&data.message)),
            // Nobody else can be meant, however the number is written.
            [only] if numbers.len() == 1 => of_all(only.outcome()),
            recipients => numbers.iter().map(|number| outcome_of(number, recipients)).collect(),
        },
        // The one path that is called always exists, so the address is wrong, not the message.
        None if matches!(answer.status, StatusCode::NOT_FOUND | StatusCode::METHOD_NOT_ALLOWED) => {
            of_all(not_accepted(FailureCode::ProviderUnavailable, answer.status.as_str()))
        }
        _ => of_all(answer.by_status()),
    }
}

fn outcome_of(number: &str, recipients: &[Recipient]) -> Outcome {
    let digits = |number: &str| number.trim().trim_start_matches('+').to_owned();
    let mut named = recipients.iter().filter(|it| digits(&it.number) == digits(number));
    let nobody = || unknown("the provider says nothing of this number");
    named.next().map_or_else(nobody, Recipient::outcome)
}

impl Recipient {
    fn outcome(&self) -> Outcome {
        let known = STATUSES.iter().find(|(code, ..)| *code == self.status_code);
        let verdict = match (known, self.status_code) {
            (Some((.., verdict)), _) => *verdict,
            (None, 400..=499) => Verdict::NotAccepted(FailureCode::ProviderRejected),
            (None, _) => Verdict::Unknown,
        };
        if verdict == Verdict::Accepted {
            let reference = self.message_id.clone().filter(|id| !id.is_empty() && id != "None");
            // Without an identifier no report can be told apart.
            let follow_up = if reference.is_some() { FollowUp::Report } else { FollowUp::Nothing };
            return Outcome::Accepted { reference, follow_up };
        }
        verdict.failed(&self.status_code.to_string())
    }
}

/// What it means that the vendor lists no recipient, and says `message` instead: mostly the name
/// of a status, otherwise prose such as "Sent to 0/1 Total Cost: 0".
fn refusal_of_all(message: &str) -> Outcome {
    let mut refusals = STATUSES.iter().filter(|(.., verdict)| *verdict != Verdict::Accepted);
    match refusals.find(|(_, name, _)| message.contains(name)) {
        Some((code, _, verdict)) => verdict.failed(&code.to_string()),
        None => not_accepted(FailureCode::ProviderRejected, "no recipients"),
    }
}

impl Verdict {
    fn failed(self, vendor_code: &str) -> Outcome {
        match self {
            Self::NotAccepted(code) => not_accepted(code, vendor_code),
            Self::Rejected(code) => Outcome::Rejected(failure(code, vendor_code)),
            Self::Accepted | Self::Unknown => {
                Outcome::Unknown(failure(FailureCode::UnknownOutcome, vendor_code))
            }
        }
    }
}

fn not_accepted(code: FailureCode, vendor_code: &str) -> Outcome {
    Outcome::NotAccepted { failure: failure(code, vendor_code), retry_after: None }
}

fn failure(code: FailureCode, vendor_code: &str) -> Failure {
    let message = match code {
        FailureCode::InvalidRecipient => "the number cannot receive SMS",
        FailureCode::RecipientOptedOut => "the recipient does not want such messages",
        FailureCode::BlockedContent => "the provider holds the text back",
        FailureCode::SenderNotAllowed => "the sender is not registered with the provider",
        FailureCode::ProviderBalance => "the account at the provider is empty",
        FailureCode::UnknownOutcome => "the provider failed while it took the message",
        FailureCode::ProviderUnavailable => "the provider cannot reach the number's network",
        _ => "the provider refused the message",
    };
    Failure::new(code, message).with_vendor_code(vendor_code)
}

#[cfg(test)]
mod tests;
