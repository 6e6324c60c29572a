//! Mailgun: mail over HTTP.
//!
//! Its documentation: <https://documentation.mailgun.com/docs/mailgun/api-reference/send/mailgun/messages>
//! and, for what it calls, <https://documentation.mailgun.com/docs/mailgun/user-manual/webhooks/webhooks>.
//! Reports come by webhook, and the events of a message can be asked for by the identifier of
//! its mail. Accounts in the EU are reached at `https://api.eu.mailgun.net`. To look at the domain and
//! to ask for events takes a key of the account; a domain's sending key can only send.
//!
//! Many recipients of one text are one batch, in which each sees their own address only:
//! <https://documentation.mailgun.com/docs/mailgun/user-manual/sending-messages/batch-sending>. Its
//! mails share an identifier that Mailgun makes. Our own of each message is a variable of its
//! recipient, so that events name it.
//!
//! Where the account's key for webhooks is declared, nothing but its signature is proof. In older
//! accounts that is the API key. Where it is neither, the address that is entered at Mailgun must
//! carry our token.

mod codes;
mod events;
mod form;
mod signed;

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
    bulk::Bulk,
    callbacks::must_be_posted,
    declaration::{Declaration, DeclarationError, Deps},
    health,
    kind::{Callbacks, USUAL_PATIENCE, Vendor},
    mail,
};
use signed::Signatures;

const USUAL_URL: &str = "https://api.mailgun.net";
/// The credential that webhooks are signed with, if not with the API key.
const SIGNING_KEY: &str = "webhook_signing_key";
/// The user of whom every key is the password.
const USER: &str = "api";
/// The most messages in a call. The vendor takes 1000, but if it refuses one they are all sent one
/// by one, which must not take too long.
const MAX_GROUP: usize = 100;

pub(crate) const VENDOR: Vendor = Vendor {
    name: "mailgun",
    channels: &[Channel::Email],
    required: &["domain", "api_key"],
    optional: &[SIGNING_KEY],
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
    sender: Mailbox,
    signatures: Signatures,
    /// Whether a signature is the only proof.
    is_signed: bool,
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
        let signing_key = declaration.credentials.get(SIGNING_KEY);
        let key = signing_key.map_or_else(|| declaration.credential("api_key"), Ok)?;
        Ok(Self {
            domain: domain.to_owned(),
            sender: mail::sender(declaration)?,
            signatures: Signatures::by(key.clone()),
            is_signed: signing_key.is_some(),
        })
    }
}

#[async_trait]
impl MessagingProvider for Mailgun {
    async fn send(&self, message: &Message) -> Outcome {
        self.send_one(message).await
    }

    fn group_limit(&self) -> usize {
        MAX_GROUP
    }

    async fn send_group(&self, messages: &[Message]) -> Vec<Outcome> {
        self.send_many(messages).await
    }

    async fn look_up(&self, message: &Message) -> LookUp {
        let Settings { domain, sender, .. } = &self.settings;
        let own = mail::message_id(message, sender);
        let id = self.account.reference(message).unwrap_or(&own);
        // The mails of a batch share their identifier.
        let Some(recipient) = mail::recipient(message) else { return LookUp::Unavailable };
        let query = [("message-id", id), ("recipient", recipient.as_ref())];
        let request = self.account.get(&["v3", domain, "events"]).query(&query);
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
        let Settings { signatures, is_signed, .. } = &self.settings;
        let now = self.account.now();
        if !signatures.is_signed(&callback.body, now) {
            if *is_signed {
                return Err(CallbackRefused::Unauthorized);
            }
            self.account.verify(callback)?;
        }
        events::received(&callback.body, now)
    }
}

#[async_trait]
impl Bulk for Mailgun {
    async fn hand_over(&self, messages: &[Message]) -> Result<Vec<Outcome>, Outcome> {
        let Settings { domain, sender, .. } = &self.settings;
        let now = self.account.now();
        let form = form::form(messages, sender, now)?;
        let request = self.account.post(&["v3", domain, "messages"]).form(&form);
        match codes::outcome(&self.account.call(request).await?, now) {
            taken @ Outcome::Accepted { .. } => Ok(vec![taken; messages.len()]),
            refused => Err(refused),
        }
    }
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
