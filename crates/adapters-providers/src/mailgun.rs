//! Mailgun: mail over HTTP.
//!
//! Its documentation: <https://documentation.mailgun.com/docs/mailgun/api-reference/send/mailgun/messages>
//! and, for what it calls, <https://documentation.mailgun.com/docs/mailgun/user-manual/webhooks/webhooks>.
//! Reports come by webhook, and the events of a message can be asked for by the identifier that we
//! give it. Accounts in the EU are reached at `https://api.eu.mailgun.net`. To look at the domain and
//! to ask for events takes a key of the account; a domain's sending key can only send.

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
use reqwest::{RequestBuilder, Url};
use serde::Deserialize;

use crate::{
    client::HttpClient,
    declaration::{Declaration, DeclarationError, Deps},
    kind::{Callbacks, USUAL_PATIENCE, Vendor},
    mail::{self, Envelope, Text},
    secret::Secret,
    signature,
    sms::{below, secret_header},
};

const USUAL_URL: &str = "https://api.mailgun.net";
/// The user of whom every key is the password.
const USER: &str = "api";

pub(crate) const VENDOR: Vendor = Vendor {
    name: "mailgun",
    channels: &[Channel::Email],
    required: &["domain", "api_key"],
    optional: &[],
    options: &[],
    patience: USUAL_PATIENCE,
    callbacks: Callbacks::Token("api_key"),
    check: |declaration| Settings::read(declaration).map(drop),
    build,
};

struct Mailgun {
    http: HttpClient,
    clock: Arc<dyn Clock>,
    settings: Settings,
}

struct Settings {
    messages: Url,
    events: Url,
    domain: Url,
    api_key: Secret,
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
    Ok(Arc::new(Mailgun { http: deps.http.clone(), clock, settings }))
}

impl Settings {
    fn read(declaration: &Declaration) -> Result<Self, DeclarationError> {
        // Only to see that it can be sent.
        secret_header(declaration, "api_key", "")?;
        let domain = declaration.credential("domain")?.expose();
        let is_part = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_');
        if !domain.bytes().all(is_part) || domain.starts_with('.') {
            return Err(declaration.invalid("credentials.domain", "must be the name of a domain"));
        }
        let api_key = declaration.credential("api_key")?;
        let below_domain = below(&declaration.url(USUAL_URL, "/v3")?, domain);
        Ok(Self {
            messages: below(&below_domain, "messages"),
            events: below(&below_domain, "events"),
            domain: below(&declaration.url(USUAL_URL, "/v3/domains")?, domain),
            sender: mail::sender(declaration)?,
            token: signature::token(api_key.expose(), &declaration.name),
            api_key: api_key.clone(),
            timeout: declaration.timeout(),
        })
    }
}

impl Mailgun {
    fn authorized(&self, request: RequestBuilder) -> RequestBuilder {
        request.basic_auth(USER, Some(self.settings.api_key.expose()))
    }
}

#[async_trait]
impl MessagingProvider for Mailgun {
    async fn send(&self, message: &Message) -> Outcome {
        let Some(form) = form(message, &self.settings.sender) else {
            return Envelope::missing();
        };
        let request = self.http.post(self.settings.messages.clone()).form(&form);
        match self.http.call(self.authorized(request), self.settings.timeout).await {
            Ok(answer) => codes::outcome(&answer, self.clock.now()),
            Err(outcome) => outcome,
        }
    }

    async fn look_up(&self, message: &Message) -> LookUp {
        let id = mail::message_id(message, &self.settings.sender);
        let request = self.http.get(self.settings.events.clone()).query(&[("message-id", id)]);
        match self.http.call(self.authorized(request), self.settings.timeout).await {
            Ok(answer) if answer.status.is_success() => match answer.json() {
                Some(list) => events::found(&list, self.clock.now()),
                None => LookUp::Unavailable,
            },
            _ => LookUp::Unavailable,
        }
    }

    async fn check(&self) -> Check {
        let request = self.authorized(self.http.get(self.settings.domain.clone()));
        match self.http.look(request, self.settings.timeout).await {
            Ok(answer) => shown(answer.json::<Owned>().map(|owned| owned.domain.state).as_deref()),
            Err(check) => check,
        }
    }

    fn receive(&self, callback: &Callback) -> Result<Received, CallbackRefused> {
        if callback.method != CallbackMethod::Post {
            return Err(CallbackRefused::Unsupported);
        }
        let Settings { api_key, token, .. } = &self.settings;
        let is_signed = events::is_signed(&callback.body, api_key.expose());
        if !is_signed {
            signature::verify_token(callback, token)?;
        }
        events::received(&callback.body, self.clock.now())
    }
}

/// The request for a message. None if it is not for an address that mail can have.
fn form(message: &Message, sender: &Mailbox) -> Option<Vec<(&'static str, String)>> {
    let envelope = Envelope::of(message, sender)?;
    let text = Text::of(&message.draft.body);
    let mut form = vec![
        ("from", envelope.from.to_string()),
        ("to", envelope.to.to_string()),
        ("text", text.plain),
        ("h:Message-Id", format!("<{}>", envelope.message_id)),
        ("v:message", message.id.internal()),
    ];
    form.extend(message.draft.subject.clone().map(|subject| ("subject", subject)));
    form.extend(text.html.map(|html| ("html", html.to_owned())));
    form.extend(envelope.reply_to.map(|address| ("h:Reply-To", address.to_string())));
    Some(form)
}

#[derive(Deserialize)]
struct Owned {
    domain: OwnDomain,
}

#[derive(Deserialize)]
struct OwnDomain {
    state: String,
}

/// What the state of our domain shows.
fn shown(state: Option<&str>) -> Check {
    let check = |status, message: &str| Check { status, message: message.to_owned() };
    match state {
        Some("active") => check(CheckStatus::Up, "the domain is active"),
        Some("unverified") => check(CheckStatus::Degraded, "the domain is not verified"),
        Some("disabled") => check(CheckStatus::Down, "the domain is disabled"),
        _ => check(CheckStatus::Degraded, "the provider's answer tells no state"),
    }
}

#[cfg(test)]
mod tests;
