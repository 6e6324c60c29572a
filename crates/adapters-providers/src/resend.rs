//! Resend: mail over HTTP.
//!
//! Its documentation: <https://resend.com/docs/api-reference/emails/send-email>,
//! <https://resend.com/docs/api-reference/errors> and, for what it calls,
//! <https://resend.com/docs/webhooks/event-types>. A message goes out once, however often it is
//! handed over within 24 hours, by its idempotency key. Reports come by webhook, whose signing
//! secret we are not told, so the address that is entered there must carry our token; and a message
//! can be asked for, by keys that may do more than send.

mod codes;
mod events;

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use domain::{
    callback::{Callback, CallbackMethod, CallbackRefused, Received},
    channel::Channel,
    message::Message,
    provider::{Check, CheckStatus, LookUp, Outcome},
};
use lettre::message::Mailbox;
use ports::{clock::Clock, providers::MessagingProvider};
use reqwest::{
    RequestBuilder, StatusCode, Url,
    header::{AUTHORIZATION, HeaderValue},
};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{
    client::{Answer, HttpClient, unseen},
    declaration::{Declaration, DeclarationError, Deps},
    kind::{Callbacks, USUAL_PATIENCE, Vendor},
    mail::{self, Envelope, NO_SUBJECT, Text},
    signature,
    sms::{below, reference, secret_header},
};

const USUAL_URL: &str = "https://api.resend.com";

pub(crate) const VENDOR: Vendor = Vendor {
    name: "resend",
    channels: &[Channel::Email],
    required: &["api_key"],
    optional: &[],
    options: &[],
    patience: USUAL_PATIENCE,
    callbacks: Callbacks::Token("api_key"),
    check: |declaration| Settings::read(declaration).map(drop),
    build,
};

struct Resend {
    http: HttpClient,
    clock: Arc<dyn Clock>,
    settings: Settings,
}

struct Settings {
    provider: String,
    emails: Url,
    domains: Url,
    authorization: HeaderValue,
    sender: Mailbox,
    token: String,
    timeout: Duration,
}

fn build(
    declaration: &Declaration,
    deps: &Deps,
) -> Result<Arc<dyn MessagingProvider>, DeclarationError> {
    let settings = Settings::read(declaration)?;
    let clock = Arc::clone(&deps.clock);
    Ok(Arc::new(Resend { http: deps.http.clone(), clock, settings }))
}

impl Settings {
    fn read(declaration: &Declaration) -> Result<Self, DeclarationError> {
        let api_key = declaration.credential("api_key")?.expose();
        Ok(Self {
            provider: declaration.name.clone(),
            emails: declaration.url(USUAL_URL, "/emails")?,
            domains: declaration.url(USUAL_URL, "/domains")?,
            authorization: secret_header(declaration, "api_key", "Bearer ")?,
            sender: mail::sender(declaration)?,
            token: signature::token(api_key, &declaration.name),
            timeout: declaration.timeout(),
        })
    }
}

impl Resend {
    async fn call(&self, request: RequestBuilder) -> Result<Answer, Outcome> {
        let Settings { authorization, timeout, .. } = &self.settings;
        self.http.call(request.header(AUTHORIZATION, authorization.clone()), *timeout).await
    }
}

#[async_trait]
impl MessagingProvider for Resend {
    async fn send(&self, message: &Message) -> Outcome {
        let Some(letter) = letter(message, &self.settings.sender) else {
            return Envelope::missing();
        };
        let request = self.http.post(self.settings.emails.clone());
        let request = request.header("idempotency-key", message.id.internal()).json(&letter);
        match self.call(request).await {
            Ok(answer) => codes::outcome(&answer),
            Err(outcome) => outcome,
        }
    }

    async fn look_up(&self, message: &Message) -> LookUp {
        let Some(reference) = reference(message, &self.settings.provider) else {
            return LookUp::Unavailable;
        };
        match self.call(self.http.get(below(&self.settings.emails, reference))).await {
            Ok(answer) if answer.status == StatusCode::NOT_FOUND => LookUp::NotFound,
            Ok(answer) if answer.status.is_success() => match answer.json::<Email>() {
                Some(email) => events::found(&email.last_event, self.clock.now()),
                None => LookUp::Unavailable,
            },
            _ => LookUp::Unavailable,
        }
    }

    async fn check(&self) -> Check {
        let answer = match self.call(self.http.get(self.settings.domains.clone())).await {
            Ok(answer) => answer,
            Err(outcome) => return unseen(outcome),
        };
        if codes::may_only_send(&answer) {
            return check(CheckStatus::Up, "the key may send mail, and nothing else");
        }
        match answer.shown() {
            Ok(answer) => {
                shown(answer.json::<Domains>().as_ref(), self.settings.sender.email.domain())
            }
            Err(check) => check,
        }
    }

    fn receive(&self, callback: &Callback) -> Result<Received, CallbackRefused> {
        if callback.method != CallbackMethod::Post {
            return Err(CallbackRefused::Unsupported);
        }
        signature::verify_token(callback, &self.settings.token)?;
        events::received(&callback.body, self.clock.now())
    }
}

/// The request for a message. None if it is not for an address that mail can have.
fn letter(message: &Message, sender: &Mailbox) -> Option<Value> {
    let envelope = Envelope::of(message, sender)?;
    let text = Text::of(&message.draft.body);
    let mut letter = json!({
        "from": envelope.from.to_string(),
        "to": [envelope.to.to_string()],
        "subject": message.draft.subject.as_deref().unwrap_or(NO_SUBJECT),
        "text": text.plain,
        "tags": [{"name": events::TAG, "value": message.id.internal()}],
    });
    if let Some(html) = text.html {
        letter["html"] = json!(html);
    }
    if let Some(address) = envelope.reply_to {
        letter["reply_to"] = json!(address.to_string());
    }
    Some(letter)
}

#[derive(Deserialize)]
struct Email {
    last_event: String,
}

#[derive(Deserialize)]
struct Domains {
    data: Vec<Domain>,
}

#[derive(Deserialize)]
struct Domain {
    name: String,
    #[serde(default)]
    status: String,
}

fn check(status: CheckStatus, message: &str) -> Check {
    Check { status, message: message.to_owned() }
}

/// What the account's domains show, if mail comes from `sender`.
fn shown(domains: Option<&Domains>, sender: &str) -> Check {
    let Some(Domains { data }) = domains else {
        return check(CheckStatus::Degraded, "the provider's answer tells no domains");
    };
    match data.iter().find(|domain| domain.name.eq_ignore_ascii_case(sender)) {
        Some(domain) if domain.status == "verified" => {
            check(CheckStatus::Up, "the sender's domain is verified")
        }
        _ => check(CheckStatus::Degraded, "the sender's domain is not verified"),
    }
}

#[cfg(test)]
mod tests;
