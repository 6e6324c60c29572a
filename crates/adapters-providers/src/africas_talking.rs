//! Africa's Talking: SMS over HTTP.
//!
//! Its documentation: <https://developers.africastalking.com/docs/sms/sending/bulk>. Delivery
//! reports come by callback only; a message cannot be asked for.

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use domain::{
    channel::Channel,
    delivery::{Failure, FailureCode},
    message::Message,
    provider::{FollowUp, LookUp, Outcome},
};
use ports::providers::MessagingProvider;
use reqwest::{
    StatusCode, Url,
    header::{ACCEPT, HeaderValue},
};
use serde::{Deserialize, Serialize};

use crate::{
    client::{Answer, HttpClient},
    declaration::{Declaration, DeclarationError, Deps},
    kind::{USUAL_PATIENCE, Vendor},
};

const USUAL_URL: &str = "https://api.africastalking.com";

pub(crate) const VENDOR: Vendor = Vendor {
    name: "africas-talking",
    channels: &[Channel::Sms],
    required: &["username", "api_key"],
    optional: &[],
    options: &[],
    patience: USUAL_PATIENCE,
    check: |declaration| Settings::read(declaration).map(drop),
    build,
};

struct AfricasTalking {
    http: HttpClient,
    settings: Settings,
}

struct Settings {
    url: Url,
    username: String,
    api_key: HeaderValue,
    sender: Option<String>,
    timeout: Duration,
}

fn build(
    declaration: &Declaration,
    deps: &Deps,
) -> Result<Arc<dyn MessagingProvider>, DeclarationError> {
    let settings = Settings::read(declaration)?;
    Ok(Arc::new(AfricasTalking { http: deps.http.clone(), settings }))
}

impl Settings {
    fn read(declaration: &Declaration) -> Result<Self, DeclarationError> {
        let api_key = HeaderValue::from_str(declaration.credential("api_key")?.expose());
        let unprintable = |_| declaration.invalid("credentials.api_key", "must be printable ASCII");
        let mut api_key = api_key.map_err(unprintable)?;
        api_key.set_sensitive(true);
        Ok(Self {
            url: declaration.url(USUAL_URL, "/version1/messaging")?,
            username: declaration.credential("username")?.expose().to_owned(),
            api_key,
            sender: declaration.sender.clone(),
            timeout: declaration.timeout(),
        })
    }
}

#[async_trait]
impl MessagingProvider for AfricasTalking {
    async fn send(&self, message: &Message) -> Outcome {
        let Settings { url, username, api_key, sender, timeout } = &self.settings;
        let request = self
            .http
            .post(url.clone())
            .header("apikey", api_key.clone())
            .header(ACCEPT, "application/json")
            .form(&Form {
                username,
                to: message.draft.recipient.as_str(),
                message: &message.draft.body,
                from: message.draft.sender.as_deref().or(sender.as_deref()),
                bulk_sms_mode: 1,
            });
        match self.http.call(request, *timeout).await {
            Ok(answer) => outcome(&answer),
            Err(outcome) => outcome,
        }
    }

    async fn look_up(&self, _: &Message) -> LookUp {
        LookUp::Unavailable
    }
}

#[derive(Serialize)]
struct Form<'a> {
    username: &'a str,
    to: &'a str,
    message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<&'a str>,
    #[serde(rename = "bulkSMSMode")]
    bulk_sms_mode: u8,
}

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

/// What an answer says. A refusal may come with a status of its own and still name the recipient.
fn outcome(answer: &Answer) -> Outcome {
    let answered = answer.status.is_success() || answer.status.is_client_error();
    match answer.json::<Envelope>() {
        Some(Envelope { data }) if answered => match data.recipients.into_iter().next() {
            Some(recipient) => recipient.outcome(),
            None if data.message.is_empty() => answer.by_status(),
            None => refusal_of_all(&data.message),
        },
        // The one path that is called always exists, so the address is wrong, not the message.
        None if matches!(answer.status, StatusCode::NOT_FOUND | StatusCode::METHOD_NOT_ALLOWED) => {
            not_accepted(FailureCode::ProviderUnavailable, answer.status.as_str())
        }
        _ => answer.by_status(),
    }
}

impl Recipient {
    fn outcome(self) -> Outcome {
        let known = STATUSES.iter().find(|(code, ..)| *code == self.status_code);
        let verdict = match (known, self.status_code) {
            (Some((.., verdict)), _) => *verdict,
            (None, 400..=499) => Verdict::NotAccepted(FailureCode::ProviderRejected),
            (None, _) => Verdict::Unknown,
        };
        if verdict == Verdict::Accepted {
            let reference = self.message_id.filter(|id| !id.is_empty() && id != "None");
            return Outcome::Accepted { reference, follow_up: FollowUp::Nothing };
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
