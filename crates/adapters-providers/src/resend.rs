//! Resend: mail over HTTP.
//!
//! Its documentation: <https://resend.com/docs/api-reference/emails/send-email>,
//! <https://resend.com/docs/api-reference/errors> and, for what it calls,
//! <https://resend.com/docs/webhooks/event-types>. The requests follow its OpenAPI document,
//! <https://github.com/resend/resend-openapi>. A message goes out once, however often it is
//! handed over within 24 hours, by its idempotency key. A batch has one such key for all, so that a
//! message of it would go out again when it is handed over anew: each is a call of its own. Reports
//! come by webhook, and a message can be asked for, by keys that may do more than send.
//!
//! Webhooks are signed by a secret of their own
//! (<https://resend.com/docs/dashboard/webhooks/verify-webhooks-requests>). Where it is declared,
//! nothing but that signature is proof; where it is not, the address that is entered at Resend must
//! carry our token.

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
use reqwest::StatusCode;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{
    account::{Access, Account, Authorization},
    answer::Answer,
    callbacks::must_be_posted,
    declaration::{Declaration, DeclarationError, Deps},
    health,
    kind::{Callbacks, USUAL_PATIENCE, Vendor},
    mail::{self, Envelope, NO_SUBJECT, Text},
    standard_webhooks::Key,
};

const USUAL_URL: &str = "https://api.resend.com";
/// The credential that webhooks are signed with.
const WEBHOOK_SECRET: &str = "webhook_secret";

/// The most domains in an answer.
const MAX_DOMAINS: u8 = 100;

pub(crate) const VENDOR: Vendor = Vendor {
    name: "resend",
    channels: &[Channel::Email],
    required: &["api_key"],
    optional: &[WEBHOOK_SECRET],
    options: &[],
    patience: USUAL_PATIENCE,
    callbacks: Callbacks::Token("api_key"),
    check: |declaration| {
        webhook_key(declaration)?;
        access(declaration).and(mail::sender(declaration)).map(drop)
    },
    build,
};

struct Resend {
    account: Account,
    sender: Mailbox,
    webhook_key: Option<Key>,
}

fn build(
    declaration: &Declaration,
    deps: &Deps,
) -> Result<Arc<dyn MessagingProvider>, DeclarationError> {
    let account = Account::new(access(declaration)?, deps);
    let (sender, webhook_key) = (mail::sender(declaration)?, webhook_key(declaration)?);
    Ok(Arc::new(Resend { account, sender, webhook_key }))
}

fn access(declaration: &Declaration) -> Result<Access, DeclarationError> {
    Access::read(declaration, USUAL_URL, Authorization::bearer(declaration, "api_key")?)
}

fn webhook_key(declaration: &Declaration) -> Result<Option<Key>, DeclarationError> {
    let Some(secret) = declaration.credentials.get(WEBHOOK_SECRET) else { return Ok(None) };
    let problem = "must be whsec_ and the base64 of 24 to 64 bytes";
    let malformed = || declaration.invalid(&format!("credentials.{WEBHOOK_SECRET}"), problem);
    Key::read(secret.expose()).ok_or_else(malformed).map(Some)
}

#[async_trait]
impl MessagingProvider for Resend {
    async fn send(&self, message: &Message) -> Outcome {
        let Some(letter) = letter(message, &self.sender) else { return Envelope::missing() };
        let request = self.account.post(&["emails"]);
        let request = request.header("idempotency-key", message.id.internal()).json(&letter);
        self.account.hand_over(request, codes::outcome).await
    }

    async fn look_up(&self, message: &Message) -> LookUp {
        let Some(id) = self.account.reference(message) else { return LookUp::Unavailable };
        let request = self.account.get(&["emails", id]);
        let now = self.account.now();
        let found = |answer: &Answer| match answer.success::<Email>() {
            _ if answer.status == StatusCode::NOT_FOUND => LookUp::NotFound,
            Some(email) => events::found(&email.last_event, now),
            None => LookUp::Unavailable,
        };
        self.account.ask(request, found).await
    }

    async fn check(&self) -> Check {
        let request = self.account.get(&["domains"]).query(&[("limit", MAX_DOMAINS)]);
        let answer = match self.account.call(request).await {
            Ok(answer) => answer,
            Err(outcome) => return health::unseen(outcome),
        };
        if codes::may_only_send(&answer) {
            return health::up("the key may send mail, and nothing else");
        }
        match answer.shown() {
            Ok(answer) => shown(answer.json::<Domains>().as_ref(), self.sender.email.domain()),
            Err(check) => check,
        }
    }

    fn receive(&self, callback: &Callback) -> Result<Received, CallbackRefused> {
        must_be_posted(callback)?;
        let now = self.account.now();
        match &self.webhook_key {
            Some(key) => key.verify(callback, "svix", now)?,
            None => self.account.verify(callback)?,
        }
        events::received(&callback.body, now)
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

/// What the account's domains show, if mail comes from `sender`.
fn shown(domains: Option<&Domains>, sender: &str) -> Check {
    let Some(Domains { data }) = domains else {
        return health::degraded("the provider's answer tells no domains");
    };
    match data.iter().find(|domain| domain.name.eq_ignore_ascii_case(sender)) {
        Some(domain) if domain.status == "verified" => {
            health::up("the sender's domain is verified")
        }
        Some(domain) if domain.status == "partially_verified" => {
            health::degraded("the sender's domain is verified in part")
        }
        _ => health::degraded("the sender's domain is not verified"),
    }
}

#[cfg(test)]
mod tests;
