//! Firebase Cloud Messaging: notifications on Android, Apple's systems and the web.
//!
//! Its documentation: <https://firebase.google.com/docs/reference/fcm/rest/v1/projects.messages>.
//! There is no sender. Nothing is heard of a notification once Google has it.

mod account;
mod tokens;

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::{
    channel::Channel,
    delivery::{Failure, FailureCode as Code},
    message::{Draft, Message},
    provider::{Check, FollowUp, LookUp, Outcome},
};
use ports::{clock::Clock, providers::MessagingProvider};
use reqwest::{
    RequestBuilder, StatusCode, Url,
    header::{AUTHORIZATION, HeaderValue},
};
use serde::{Deserialize, Serialize};
use tokio::time::Instant;

use crate::{
    answer::Answer,
    client::HttpClient,
    declaration::{Declaration, DeclarationError, Deps},
    health,
    kind::{Callbacks, USUAL_PATIENCE, Vendor},
    verdict::{
        Codes,
        Verdict::{self, NotAccepted, Rejected, Unknown},
    },
    wire::seconds_left,
};
use account::Account;
use tokens::Tokens;

const USUAL_URL: &str = "https://fcm.googleapis.com";
/// The most bytes of a notification, counting the names of its parts.
const MAX_NOTIFICATION: usize = 4096;
/// Nobody is subscribed to this topic, and what goes to it is validated only.
const CHECK_TOPIC: &str = "atumpan-check";

pub(crate) const VENDOR: Vendor = Vendor {
    name: "fcm",
    channels: &[Channel::Push],
    required: &["project_id", "service_account"],
    optional: &[],
    options: &["token_url"],
    patience: USUAL_PATIENCE,
    callbacks: Callbacks::None,
    check: |declaration| Settings::read(declaration).map(drop),
    build,
};

struct Fcm {
    http: HttpClient,
    clock: Arc<dyn Clock>,
    url: Url,
    tokens: Tokens,
    timeout: Duration,
}

struct Settings {
    url: Url,
    account: Account,
    timeout: Duration,
}

fn build(
    declaration: &Declaration,
    deps: &Deps,
) -> Result<Arc<dyn MessagingProvider>, DeclarationError> {
    let Settings { url, account, timeout } = Settings::read(declaration)?;
    let http = deps.http.clone();
    let clock = Arc::clone(&deps.clock);
    let tokens = Tokens::new(http.clone(), Arc::clone(&clock), account, timeout);
    Ok(Arc::new(Fcm { http, clock, url, tokens, timeout }))
}

impl Settings {
    fn read(declaration: &Declaration) -> Result<Self, DeclarationError> {
        let project = declaration.credential("project_id")?.expose();
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-.:".contains(&byte);
        if project.starts_with('.') || !project.bytes().all(is_plain) {
            let problem = "must have letters, digits, hyphens, dots and colons only";
            return Err(declaration.invalid("credentials.project_id", problem));
        }
        Ok(Self {
            url: declaration.url(USUAL_URL, &format!("/v1/projects/{project}/messages:send"))?,
            account: Account::read(declaration)?,
            timeout: declaration.timeout(),
        })
    }
}

#[async_trait]
impl MessagingProvider for Fcm {
    async fn send(&self, message: &Message) -> Outcome {
        if is_too_large(&message.draft) {
            let failure = "the notification is larger than the 4096 bytes that a device is sent";
            return Outcome::Rejected(Failure::new(Code::ProviderRejected, failure));
        }
        let began = Instant::now();
        let bearer = match self.tokens.bearer().await {
            Ok(bearer) => bearer,
            Err(outcome) => return outcome,
        };
        let left = self.timeout.saturating_sub(began.elapsed());
        let request = self.request(&bearer, &Body::of(message, self.clock.now()));
        match self.http.call(request, left).await {
            Ok(answer) => {
                if is_of_token(&answer) {
                    self.tokens.forget(&bearer).await;
                }
                outcome(&answer)
            }
            Err(outcome) => outcome,
        }
    }

    async fn look_up(&self, _: &Message) -> LookUp {
        LookUp::Unavailable
    }

    async fn check(&self) -> Check {
        let bearer = match self.tokens.renew().await {
            Ok(bearer) => bearer,
            Err(outcome) => return health::unseen(outcome),
        };
        let request = self.request(&bearer, &Body::CHECK);
        let answer = self.http.call(request, self.timeout).await.map_err(health::unseen);
        match answer.and_then(Answer::shown) {
            Ok(answer) if answer.json::<Taken>().is_some() => {
                health::up("the service account may send for the project")
            }
            Ok(_) => health::down("the provider's answer is not the documented one"),
            Err(check) => check,
        }
    }
}

impl Fcm {
    fn request(&self, bearer: &HeaderValue, body: &Body<'_>) -> RequestBuilder {
        self.http.post(self.url.clone()).header(AUTHORIZATION, bearer.clone()).json(body)
    }
}

/// Whether the texts and their names alone are more than a device can be sent.
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
    /// What is asked to find out whether something could be sent.
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

    /// A device that is sent the same message twice replaces the first, by the message's identifier.
    fn of(message: &'a Message, now: DateTime<Utc>) -> Self {
        let (draft, id) = (&message.draft, message.id.internal());
        let left = seconds_left(std::slice::from_ref(message), now);
        let ttl = format!("{left}s");
        let expiration = now.timestamp().saturating_add(left).to_string();
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
struct Taken {
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

/// What is wrong with a message if its token is not.
const INVALID_ARGUMENT: &str = "INVALID_ARGUMENT";

/// The codes of FCM, and below them Google's for all services
/// (<https://firebase.google.com/docs/reference/fcm/rest/v1/ErrorCode>,
/// <https://cloud.google.com/apis/design/errors>).
#[rustfmt::skip]
const CODES: Codes<&str> = Codes(&[
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

/// What an answer says.
fn outcome(answer: &Answer) -> Outcome {
    if answer.status.is_success() {
        return match answer.json::<Taken>().filter(|taken| !taken.name.is_empty()) {
            Some(Taken { name }) => {
                Outcome::Accepted { reference: Some(name), follow_up: FollowUp::Nothing }
            }
            None => answer.by_status(),
        };
    }
    let refusal = answer.json::<Refusal>();
    match refusal.as_ref().and_then(|refusal| refusal.error.verdict()) {
        Some((code, verdict)) => answer.judged(verdict, code),
        None => answer.by_status(),
    }
}

/// Whether an answer refuses the token, and not the credentials that Google has for Apple.
fn is_of_token(answer: &Answer) -> bool {
    let refusal = answer.json::<Refusal>();
    let verdict = refusal.as_ref().and_then(|refusal| refusal.error.verdict());
    let is_of_another = verdict.is_some_and(|(code, _)| code == "THIRD_PARTY_AUTH_ERROR");
    answer.status == StatusCode::UNAUTHORIZED && !is_of_another
}

impl RefusalError {
    /// The code, FCM's own before Google's, and what it says.
    fn verdict(&self) -> Option<(&str, Verdict)> {
        let codes = self.details.iter().filter_map(|detail| detail.error_code.as_deref());
        let mut codes = codes.chain(self.status.as_deref());
        let (code, verdict) = codes.find_map(|code| Some((code, CODES.get(code)?)))?;
        if code == INVALID_ARGUMENT && self.blames_token() {
            return Some((code, Rejected(Code::InvalidRecipient)));
        }
        Some((code, verdict))
    }

    /// Whether the token is at fault, which is told by the name of the field or in words only.
    fn blames_token(&self) -> bool {
        let mut fields = self.details.iter().flat_map(|detail| &detail.field_violations);
        fields.any(|violation| violation.field == "message.token")
            || self.message.to_lowercase().contains("registration token")
    }
}

#[cfg(test)]
mod tests;
