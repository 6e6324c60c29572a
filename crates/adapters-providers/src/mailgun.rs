//! Mailgun: mail over HTTP.
//!
//! Its documentation: <https://documentation.mailgun.com/docs/mailgun/api-reference/send/mailgun/messages>
//! and, for what it calls, <https://documentation.mailgun.com/docs/mailgun/user-manual/webhooks/webhooks>.
//! Reports come by webhook, and the events of a message can be asked for by the identifier that we
//! give it. Accounts in the EU are reached at `https://api.eu.mailgun.net`. To look at the domain and
//! to ask for events takes a key of the account; a domain's sending key can only send.

mod codes;
mod events;

use std::sync::Arc;

use async_trait::async_trait;
use domain::{
    callback::{Callback, CallbackRefused, Received},
    channel::Channel,
    message::Message,
    provider::{Check, LookUp, Outcome},
};
use lettre::message::Mailbox;
use ports::providers::MessagingProvider;
use serde::Deserialize;

use crate::{
    account::{Access, Account, Authorization},
    answer::Answer,
    callbacks::must_be_posted,
    declaration::{Declaration, DeclarationError, Deps},
    health,
    kind::{Callbacks, USUAL_PATIENCE, Vendor},
    mail::{self, Envelope, Text},
    secret::Secret,
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
    check: |declaration| access(declaration).and(Settings::read(declaration)).map(drop),
    build,
};

struct Mailgun {
    account: Account,
    settings: Settings,
}

struct Settings {
    domain: String,
    api_key: Secret,
    sender: Mailbox,
}

fn build(
    declaration: &Declaration,
    deps: &Deps,
) -> Result<Arc<dyn MessagingProvider>, DeclarationError> {
    let account = Account::new(access(declaration)?, deps);
    Ok(Arc::new(Mailgun { account, settings: Settings::read(declaration)? }))
}

fn access(declaration: &Declaration) -> Result<Access, DeclarationError> {
    let api_key = declaration.credential("api_key")?.clone();
    Access::read(declaration, USUAL_URL, Authorization::Basic(USER.to_owned(), api_key))
}

impl Settings {
    fn read(declaration: &Declaration) -> Result<Self, DeclarationError> {
        let domain = declaration.credential("domain")?.expose();
        let is_part = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_');
        if !domain.bytes().all(is_part) || domain.starts_with('.') {
            return Err(declaration.invalid("credentials.domain", "must be the name of a domain"));
        }
        Ok(Self {
            domain: domain.to_owned(),
            api_key: declaration.credential("api_key")?.clone(),
            sender: mail::sender(declaration)?,
        })
    }
}

#[async_trait]
impl MessagingProvider for Mailgun {
    async fn send(&self, message: &Message) -> Outcome {
        let Settings { domain, sender, .. } = &self.settings;
        let Some(form) = form(message, sender) else { return Envelope::missing() };
        let request = self.account.post(&["v3", domain, "messages"]).form(&form);
        let now = self.account.now();
        self.account.hand_over(request, |answer| codes::outcome(answer, now)).await
    }

    async fn look_up(&self, message: &Message) -> LookUp {
        let Settings { domain, sender, .. } = &self.settings;
        let id = mail::message_id(message, sender);
        let request = self.account.get(&["v3", domain, "events"]).query(&[("message-id", id)]);
        let now = self.account.now();
        let found = |answer: &Answer| {
            answer.success().map_or(LookUp::Unavailable, |list| events::found(&list, now))
        };
        self.account.ask(request, found).await
    }

    async fn check(&self) -> Check {
        let request = self.account.get(&["v3", "domains", &self.settings.domain]);
        self.account.look(request, shown).await
    }

    fn receive(&self, callback: &Callback) -> Result<Received, CallbackRefused> {
        must_be_posted(callback)?;
        if !events::is_signed(&callback.body, self.settings.api_key.expose()) {
            self.account.verify(callback)?;
        }
        events::received(&callback.body, self.account.now())
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
fn shown(answer: &Answer) -> Check {
    match answer.json::<Owned>().map(|owned| owned.domain.state).as_deref() {
        Some("active") => health::up("the domain is active"),
        Some("unverified") => health::degraded("the domain is not verified"),
        Some("disabled") => health::down("the domain is disabled"),
        _ => health::degraded("the provider's answer tells no state"),
    }
}

#[cfg(test)]
mod tests;
