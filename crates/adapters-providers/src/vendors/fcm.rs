//! Firebase Cloud Messaging: notifications on Android, Apple's systems and the web.
//!
//! Documentation: <https://firebase.google.com/docs/reference/fcm/rest/v1/projects.messages>. There
//! is no sender, and there are no reports on notifications.

mod service_account;

use chrono::{DateTime, Utc};
use domain::{
    messaging::{
        delivery::{Failure, FailureCode as Code},
        message::Draft,
        outcome::{FollowUp, Outcome},
    },
    providers::provider::Check,
    shared::channel::Channel,
};
use reqwest::{StatusCode, Url};
use serde::{Deserialize, Serialize};

use crate::{
    access_tokens::TokenGrant,
    health,
    http_vendor::{
        Access, Account, Answer, Authorization, BaseUrl, Batch, Declaration, DeclarationError,
        HttpVendor, Request, Vendor,
    },
    verdict::{
        CodeTable,
        Verdict::{self, NotAccepted, Rejected, Unknown},
    },
};
use service_account::ServiceAccount;

const USUAL_URL: &str = "https://fcm.googleapis.com";
/// Maximum size of a notification in bytes, including the names of its fields.
const MAX_NOTIFICATION: usize = 4096;
/// Topic without subscribers; messages to it are only validated.
const CHECK_TOPIC: &str = "atumpan-check";

pub(super) const VENDOR: Vendor = Vendor {
    name: "fcm",
    channels: &[Channel::Push],
    base_url: BaseUrl::Usual(USUAL_URL),
    required_credentials: &["project_id", "service_account"],
    options: &["token_url"],
    ..Vendor::DEFAULTS
};

pub(super) struct Fcm {
    project: String,
}

impl HttpVendor for Fcm {
    fn read(declaration: &Declaration) -> Result<(Self, Access), DeclarationError> {
        let project = declaration.credential("project_id")?.expose();
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-.:".contains(&byte);
        if project.starts_with('.') || !project.bytes().all(is_plain) {
            let problem = "must have letters, digits, hyphens, dots and colons only";
            return Err(declaration.invalid_credential("project_id", problem));
        }
        let access = Access::read(declaration, USUAL_URL, Authorization::InRequest)?;
        let access = access.with_tokens(ServiceAccount::read(declaration)?);
        Ok((Self { project: project.to_owned() }, access))
    }

    fn send_request(&self, account: &Account, batch: Batch<'_>) -> Result<Request, Outcome> {
        if is_too_large(&batch.first().draft) {
            let failure = "the notification is larger than the 4096 bytes that a device is sent";
            return Err(Outcome::Rejected(Failure::new(Code::ProviderRejected, failure)));
        }
        Ok(self.request(account, &Body::of(batch)))
    }

    fn send_result(&self, answer: &Answer, _: Batch<'_>) -> Result<Vec<Outcome>, Outcome> {
        Ok(vec![outcome(answer)])
    }

    fn check_request(&self, account: &Account) -> Request {
        self.request(account, &Body::CHECK)
    }

    fn check_result(&self, answer: &Answer) -> Check {
        match answer.json::<SendResponse>() {
            Some(_) => health::up("the service account may send for the project"),
            None => health::down("the provider's answer is not the documented one"),
        }
    }
}

impl Fcm {
    fn request(&self, account: &Account, body: &Body<'_>) -> Request {
        account.post(&["v1", "projects", &self.project, "messages:send"]).json(body)
    }
}

impl TokenGrant for ServiceAccount {
    fn url(&self) -> &Url {
        &self.token_url
    }

    fn assertion(&self, now: DateTime<Utc>) -> Option<String> {
        self.sign_assertion(now)
    }

    /// Google's credentials for Apple may be refused with the same status.
    fn is_token_refused(&self, answer: &Answer) -> bool {
        if answer.status != StatusCode::UNAUTHORIZED {
            return false;
        }
        let refusal = answer.json::<Refusal>();
        match refusal.as_ref().and_then(|refusal| refusal.error.verdict()) {
            Some((code, _)) => code != "THIRD_PARTY_AUTH_ERROR",
            None => true,
        }
    }
}

/// True if the texts and their names alone exceed the limit of a device.
fn is_too_large(draft: &Draft) -> bool {
    let title = draft.subject.as_ref().map_or(0, |subject| "title".len() + subject.len());
    title + "body".len() + draft.body.len() > MAX_NOTIFICATION
}

#[derive(Serialize)]
struct Body<'a> {
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    validate_only: bool,
    message: Push<'a>,
}

#[derive(Serialize)]
struct Push<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    token: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    topic: Option<&'a str>,
    notification: Notification<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    android: Option<Android>,
    #[serde(skip_serializing_if = "Option::is_none")]
    apns: Option<Apns>,
}

#[derive(Serialize)]
struct Notification<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<&'a str>,
    body: &'a str,
}

#[derive(Serialize)]
struct Android {
    ttl: String,
    notification: Tag,
}

#[derive(Serialize)]
struct Tag {
    tag: String,
}

#[derive(Serialize)]
struct Apns {
    headers: ApnsHeaders,
}

#[derive(Serialize)]
struct ApnsHeaders {
    #[serde(rename = "apns-collapse-id")]
    collapse_id: String,
    /// Seconds since 1970.
    #[serde(rename = "apns-expiration")]
    expiration: String,
}

impl<'a> Body<'a> {
    /// Request of a check.
    const CHECK: Self = Self {
        validate_only: true,
        message: Push {
            token: None,
            topic: Some(CHECK_TOPIC),
            notification: Notification { title: None, body: "check" },
            android: None,
            apns: None,
        },
    };

    /// The message's identifier makes a device replace the first of two identical messages.
    fn of(batch: Batch<'a>) -> Self {
        let (draft, id) = (&batch.first().draft, batch.first().id.internal());
        let left = batch.seconds_left();
        let ttl = format!("{left}s");
        let expiration = batch.now.timestamp().saturating_add(left).to_string();
        Self {
            validate_only: false,
            message: Push {
                token: Some(draft.recipient.as_str()),
                topic: None,
                notification: Notification { title: draft.subject.as_deref(), body: &draft.body },
                android: Some(Android { ttl, notification: Tag { tag: id.clone() } }),
                apns: Some(Apns { headers: ApnsHeaders { collapse_id: id, expiration } }),
            },
        }
    }
}

#[derive(Deserialize)]
struct SendResponse {
    name: String,
}

#[derive(Deserialize)]
struct Refusal {
    error: RefusalError,
}

#[derive(Deserialize)]
struct RefusalError {
    status: Option<String>,
    #[serde(default)]
    message: String,
    #[serde(default)]
    details: Vec<Detail>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Detail {
    error_code: Option<String>,
    #[serde(default)]
    field_violations: Vec<FieldViolation>,
}

#[derive(Deserialize)]
struct FieldViolation {
    #[serde(default)]
    field: String,
}

/// Code for an invalid field, the recipient's token included.
const INVALID_ARGUMENT: &str = "INVALID_ARGUMENT";

/// Codes of FCM, followed by Google's for all services
/// (<https://firebase.google.com/docs/reference/fcm/rest/v1/ErrorCode>,
/// <https://cloud.google.com/apis/design/errors>).
#[rustfmt::skip]
const CODES: CodeTable<&str> = CodeTable(&[
    ("UNREGISTERED", "the application was removed", Rejected(Code::DeviceUnregistered)),
    (INVALID_ARGUMENT, "a field makes no sense", Rejected(Code::ProviderRejected)),
    ("SENDER_ID_MISMATCH", "a token of another project", NotAccepted(Code::SenderNotAllowed)),
    ("QUOTA_EXCEEDED", "too many messages, mostly to this device", NotAccepted(Code::RecipientUnreachable)),
    ("UNAVAILABLE", "overloaded", NotAccepted(Code::ProviderUnavailable)),
    ("INTERNAL", "an unknown error", Unknown),
    ("THIRD_PARTY_AUTH_ERROR", "Apple's or the web's keys", NotAccepted(Code::RecipientUnreachable)),

    ("UNAUTHENTICATED", "the token is no longer good", NotAccepted(Code::ProviderAuth)),
    ("PERMISSION_DENIED", "the account may not send", NotAccepted(Code::ProviderAuth)),
    ("RESOURCE_EXHAUSTED", "too many messages", NotAccepted(Code::ProviderThrottled)),
    ("NOT_FOUND", "there is no such project", NotAccepted(Code::ProviderRejected)),
    ("DEADLINE_EXCEEDED", "it took too long", Unknown),
    ("UNKNOWN", "an unknown error", Unknown),
]);

fn outcome(answer: &Answer) -> Outcome {
    if answer.status.is_success() {
        return match answer.json::<SendResponse>() {
            Some(SendResponse { name }) if !name.is_empty() => {
                Outcome::Accepted { reference: Some(name), follow_up: FollowUp::Nothing }
            }
            _ => answer.outcome_by_status(),
        };
    }
    let refusal = answer.json::<Refusal>();
    match refusal.as_ref().and_then(|refusal| refusal.error.verdict()) {
        Some((code, verdict)) => answer.outcome(verdict, code),
        None => answer.outcome_by_status(),
    }
}

impl RefusalError {
    /// Returns the code, FCM's own before Google's, and its meaning.
    fn verdict(&self) -> Option<(&str, Verdict)> {
        let codes = self.details.iter().filter_map(|detail| detail.error_code.as_deref());
        let mut codes = codes.chain(self.status.as_deref());
        let (code, verdict) = codes.find_map(|code| Some((code, CODES.get(code)?)))?;
        if code == INVALID_ARGUMENT && self.blames_token() {
            return Some((code, Rejected(Code::InvalidRecipient)));
        }
        Some((code, verdict))
    }

    /// True if the token is invalid, which only the name of the field or the text of the error
    /// says.
    fn blames_token(&self) -> bool {
        let mut fields = self.details.iter().flat_map(|detail| &detail.field_violations);
        fields.any(|violation| violation.field == "message.token")
            || self.message.to_lowercase().contains("registration token")
    }
}

#[cfg(test)]
mod tests;
