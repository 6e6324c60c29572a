//! WhatsApp Cloud API: texts over Meta's Graph API.
//!
//! Its documentation: <https://developers.facebook.com/documentation/business-messaging/whatsapp/>.
//! The sender is the number that `phone_number_id` names; no message can ask for another. A text
//! reaches only those who wrote within the last 24 hours. Reports come by webhook only; a message
//! cannot be asked for.

mod codes;
mod webhook;

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use chrono::TimeDelta;
use domain::{
    callback::{Callback, CallbackRefused, Received},
    channel::Channel,
    delivery::FailureCode,
    message::Message,
    provider::{Check, CheckStatus, FollowUp, LookUp, Outcome},
};
use ports::{clock::Clock, providers::MessagingProvider};
use reqwest::{
    StatusCode, Url,
    header::{AUTHORIZATION, HeaderValue},
};
use serde::{Deserialize, Serialize};

use crate::{
    client::{Answer, HttpClient},
    declaration::{Declaration, DeclarationError, Deps},
    kind::{Callbacks, USUAL_PATIENCE, Vendor},
    verdict::Verdict,
};

const USUAL_URL: &str = "https://graph.facebook.com";
/// Each version is served for about two years.
const USUAL_VERSION: &str = "v25.0";

/// How long after a user's last message free texts are taken. The vendor calls it the customer
/// service window: <https://developers.facebook.com/docs/whatsapp/cloud-api/guides/send-messages>.
const SESSION: TimeDelta = TimeDelta::hours(24);

pub(crate) const VENDOR: Vendor = Vendor {
    name: "whatsapp-cloud",
    channels: &[Channel::WhatsApp],
    required: &["phone_number_id", "access_token", "app_secret", "verify_token"],
    optional: &[],
    options: &["api_version"],
    patience: USUAL_PATIENCE,
    callbacks: Callbacks::Signed,
    check: |declaration| Settings::read(declaration).map(drop),
    build,
};

struct WhatsAppCloud {
    http: HttpClient,
    clock: Arc<dyn Clock>,
    settings: Settings,
}

struct Settings {
    /// Where messages are sent.
    messages: Url,
    /// Where the number shows how it does.
    number: Url,
    authorization: HeaderValue,
    proof: webhook::Proof,
    timeout: Duration,
}

fn build(
    declaration: &Declaration,
    deps: &Deps,
) -> Result<Arc<dyn MessagingProvider>, DeclarationError> {
    let settings = Settings::read(declaration)?;
    let (http, clock) = (deps.http.clone(), Arc::clone(&deps.clock));
    Ok(Arc::new(WhatsAppCloud { http, clock, settings }))
}

impl Settings {
    fn read(declaration: &Declaration) -> Result<Self, DeclarationError> {
        let token = declaration.credential("access_token")?.expose();
        let unprintable =
            |_| declaration.invalid("credentials.access_token", "must be printable ASCII");
        let authorization = HeaderValue::from_str(&format!("Bearer {token}"));
        let mut authorization = authorization.map_err(unprintable)?;
        authorization.set_sensitive(true);
        let number = number_path(declaration)?;
        let mut account = declaration.url(USUAL_URL, &number)?;
        account.set_query(Some("fields=verified_name,quality_rating"));
        Ok(Self {
            messages: declaration.url(USUAL_URL, &format!("{number}/messages"))?,
            number: account,
            authorization,
            proof: webhook::Proof {
                app_secret: declaration.credential("app_secret")?.clone(),
                verify_token: declaration.credential("verify_token")?.clone(),
            },
            timeout: declaration.timeout(),
        })
    }
}

/// The path of the number that sends.
fn number_path(declaration: &Declaration) -> Result<String, DeclarationError> {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|it| it.is_ascii_digit());
    let id = declaration.credential("phone_number_id")?.expose();
    if !is_number(id) {
        let problem = "must be the identifier of a number, not the number: digits only";
        return Err(declaration.invalid("credentials.phone_number_id", problem));
    }
    let version = declaration.option::<String>("api_version")?;
    let version = version.as_deref().unwrap_or(USUAL_VERSION);
    let parts = version.strip_prefix('v').and_then(|version| version.split_once('.'));
    if !parts.is_some_and(|(major, minor)| is_number(major) && is_number(minor)) {
        return Err(declaration.invalid("options.api_version", "must be of the form v25.0"));
    }
    Ok(format!("/{version}/{id}"))
}

#[async_trait]
impl MessagingProvider for WhatsAppCloud {
    async fn send(&self, message: &Message) -> Outcome {
        let Settings { messages, authorization, timeout, .. } = &self.settings;
        let request = self
            .http
            .post(messages.clone())
            .header(AUTHORIZATION, authorization.clone())
            .json(&Body::of(message));
        match self.http.call(request, *timeout).await {
            Ok(answer) => outcome(&answer),
            Err(outcome) => outcome,
        }
    }

    async fn look_up(&self, _: &Message) -> LookUp {
        LookUp::Unavailable
    }

    async fn check(&self) -> Check {
        let Settings { number, authorization, timeout, .. } = &self.settings;
        let request = self.http.get(number.clone()).header(AUTHORIZATION, authorization.clone());
        match self.http.call(request, *timeout).await {
            Ok(answer) => checked(&answer),
            Err(outcome) => down_after(&outcome),
        }
    }

    fn can_be_answered(&self) -> bool {
        true
    }

    fn session_window(&self) -> Option<TimeDelta> {
        Some(SESSION)
    }

    fn receive(&self, callback: &Callback) -> Result<Received, CallbackRefused> {
        webhook::receive(&self.settings.proof, callback, self.clock.now())
    }
}

#[derive(Serialize)]
struct Body<'a> {
    messaging_product: &'static str,
    recipient_type: &'static str,
    to: &'a str,
    #[serde(rename = "type")]
    kind: &'static str,
    text: Text<'a>,
    /// Comes back in every report on the message.
    biz_opaque_callback_data: String,
}

#[derive(Serialize)]
struct Text<'a> {
    preview_url: bool,
    body: &'a str,
}

impl<'a> Body<'a> {
    fn of(message: &'a Message) -> Self {
        Self {
            messaging_product: "whatsapp",
            recipient_type: "individual",
            to: message.draft.recipient.as_str(),
            kind: "text",
            text: Text { preview_url: false, body: &message.draft.body },
            biz_opaque_callback_data: message.id.internal(),
        }
    }
}

#[derive(Deserialize)]
struct Taken {
    messages: Vec<TakenMessage>,
}

#[derive(Deserialize)]
struct TakenMessage {
    id: String,
}

#[derive(Deserialize)]
struct Refusal {
    error: RefusalError,
}

#[derive(Deserialize)]
struct RefusalError {
    code: u32,
    error_subcode: Option<u32>,
}

/// What an answer says.
fn outcome(answer: &Answer) -> Outcome {
    if answer.status.is_success() {
        let taken = answer.json::<Taken>().and_then(|taken| taken.messages.into_iter().next());
        return match taken.filter(|message| !message.id.is_empty()) {
            Some(message) => {
                Outcome::Accepted { reference: Some(message.id), follow_up: FollowUp::Report }
            }
            None => answer.by_status(),
        };
    }
    match answer.json::<Refusal>() {
        Some(Refusal { error }) => error.outcome(answer),
        // The one path that is called always exists, so the address is wrong, not the message.
        None if matches!(answer.status, StatusCode::NOT_FOUND | StatusCode::METHOD_NOT_ALLOWED) => {
            Verdict::NotAccepted(FailureCode::ProviderUnavailable)
                .outcome(answer.status.as_str(), answer.retry_after)
        }
        None => answer.by_status(),
    }
}

impl RefusalError {
    fn verdict(&self) -> Option<Verdict> {
        codes::verdict(self.code, self.error_subcode)
    }

    fn outcome(&self, answer: &Answer) -> Outcome {
        match self.verdict() {
            Some(verdict) => verdict.outcome(&self.code.to_string(), answer.retry_after),
            None => named(answer.by_status(), self.code),
        }
    }
}

/// The same outcome under the vendor's own code.
fn named(outcome: Outcome, code: u32) -> Outcome {
    let code = code.to_string();
    match outcome {
        Outcome::Rejected(failure) => Outcome::Rejected(failure.with_vendor_code(code)),
        Outcome::Unknown(failure) => Outcome::Unknown(failure.with_vendor_code(code)),
        Outcome::NotAccepted { failure, retry_after } => {
            Outcome::NotAccepted { failure: failure.with_vendor_code(code), retry_after }
        }
        Outcome::Accepted { .. } => outcome,
    }
}

#[derive(Deserialize)]
struct Number {
    verified_name: Option<String>,
    quality_rating: Option<String>,
}

/// What the number shows of itself. A low quality makes Meta restrict it.
fn checked(answer: &Answer) -> Check {
    if !answer.status.is_success() {
        return down_after(&outcome(answer));
    }
    let Some(number) = answer.json::<Number>() else {
        let message = "the provider's answer is not the documented one".to_owned();
        return Check { status: CheckStatus::Down, message };
    };
    let name = number.verified_name.unwrap_or_else(|| "the number".to_owned());
    let quality = number.quality_rating.unwrap_or_else(|| "UNKNOWN".to_owned());
    let status = if quality == "RED" { CheckStatus::Degraded } else { CheckStatus::Up };
    Check { status, message: format!("{name} has the quality {quality}") }
}

/// What it shows that the account was not shown.
fn down_after(outcome: &Outcome) -> Check {
    let (code, message) = match outcome {
        Outcome::Rejected(failure)
        | Outcome::Unknown(failure)
        | Outcome::NotAccepted { failure, .. } => (Some(failure.code), failure.message.as_str()),
        Outcome::Accepted { .. } => (None, "the provider's answer is not the documented one"),
    };
    let status = match code {
        Some(FailureCode::ProviderThrottled) => CheckStatus::Degraded,
        _ => CheckStatus::Down,
    };
    Check { status, message: message.to_owned() }
}

#[cfg(test)]
mod tests;
