//! `SendGrid`: mail over HTTP.
//!
//! Its documentation: <https://www.twilio.com/docs/sendgrid/api-reference/mail-send/mail-send> and
//! <https://www.twilio.com/docs/sendgrid/for-developers/tracking-events/event>. The requests follow
//! its OpenAPI documents: <https://github.com/twilio/sendgrid-oai> (`tsg_mail_v3`, `tsg_scopes_v3`).
//! Subusers in the EU are reached at `https://api.eu.sendgrid.com`.
//!
//! Reports come by its Event Webhook only. Where the key that it shows for signed events is declared,
//! nothing but that signature is proof; where it is not, the address that is entered there must carry
//! our token.

mod events;
mod signed;

use std::sync::Arc;

use async_trait::async_trait;
use domain::{
    callback::{Callback, CallbackRefused, Received},
    channel::Channel,
    delivery::FailureCode,
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
    bulk::Bulk,
    callbacks::must_be_posted,
    declaration::{Declaration, DeclarationError, Deps},
    health,
    kind::{Callbacks, USUAL_PATIENCE, Vendor},
    mail::{self, Envelope, NO_SUBJECT, Text},
    verdict::{Verdict, accepted},
};
use signed::PublicKey;

const USUAL_URL: &str = "https://api.sendgrid.com";
/// The most messages in a call. The vendor takes 1000, but if it refuses one they are all sent one
/// by one, which must not take too long.
const MAX_GROUP: usize = 100;
/// The credential that tells whose signature webhooks have.
const PUBLIC_KEY: &str = "webhook_public_key";
/// What a key must be allowed to do.
const SCOPE: &str = "mail.send";

pub(crate) const VENDOR: Vendor = Vendor {
    name: "sendgrid",
    channels: &[Channel::Email],
    required: &["api_key"],
    optional: &[PUBLIC_KEY],
    options: &[],
    patience: USUAL_PATIENCE,
    callbacks: Callbacks::Token("api_key"),
    check: |declaration| {
        public_key(declaration)?;
        access(declaration).and(mail::sender(declaration)).map(drop)
    },
    build,
};

struct SendGrid {
    account: Account,
    sender: Mailbox,
    public_key: Option<PublicKey>,
}

fn build(
    declaration: &Declaration,
    deps: &Deps,
) -> Result<Arc<dyn MessagingProvider>, DeclarationError> {
    let account = Account::new(access(declaration)?, deps);
    let (sender, public_key) = (mail::sender(declaration)?, public_key(declaration)?);
    Ok(Arc::new(SendGrid { account, sender, public_key }))
}

fn access(declaration: &Declaration) -> Result<Access, DeclarationError> {
    Access::read(declaration, USUAL_URL, Authorization::bearer(declaration, "api_key")?)
}

fn public_key(declaration: &Declaration) -> Result<Option<PublicKey>, DeclarationError> {
    let Some(key) = declaration.credentials.get(PUBLIC_KEY) else { return Ok(None) };
    let problem = "must be the base64 of a public key, as SendGrid shows it";
    let malformed = || declaration.invalid(&format!("credentials.{PUBLIC_KEY}"), problem);
    PublicKey::read(key.expose()).ok_or_else(malformed).map(Some)
}

#[async_trait]
impl MessagingProvider for SendGrid {
    async fn send(&self, message: &Message) -> Outcome {
        self.send_one(message).await
    }

    fn group_limit(&self) -> usize {
        MAX_GROUP
    }

    async fn send_group(&self, messages: &[Message]) -> Vec<Outcome> {
        self.send_many(messages).await
    }

    async fn look_up(&self, _: &Message) -> LookUp {
        LookUp::Unavailable
    }

    async fn check(&self) -> Check {
        let request = self.account.get(&["v3", "scopes"]);
        self.account.look(request, |answer| shown(answer.json::<Scopes>().as_ref())).await
    }

    fn receive(&self, callback: &Callback) -> Result<Received, CallbackRefused> {
        must_be_posted(callback)?;
        let now = self.account.now();
        match &self.public_key {
            Some(key) => key.verify(callback, now)?,
            None => self.account.verify(callback)?,
        }
        events::received(&callback.body, now)
    }
}

#[async_trait]
impl Bulk for SendGrid {
    async fn hand_over(&self, messages: &[Message]) -> Result<Vec<Outcome>, Outcome> {
        let Some(letter) = letter(messages, &self.sender) else { return Err(Envelope::missing()) };
        let request = self.account.post(&["v3", "mail", "send"]).json(&letter);
        let answer = self.account.call(request).await?;
        match outcome(&answer) {
            // They are told apart by our own identifiers.
            taken @ Outcome::Accepted { .. } => Ok(vec![taken; messages.len()]),
            refused => Err(refused),
        }
    }
}

/// The request for messages of the same text and sender. None if one of them is not for an address
/// that mail can have.
fn letter(messages: &[Message], sender: &Mailbox) -> Option<Value> {
    let envelopes: Option<Vec<_>> =
        messages.iter().map(|message| Envelope::of(message, sender)).collect();
    let envelopes = envelopes?;
    let (message, envelope) = messages.first().zip(envelopes.first())?;
    let personalization = |(message, envelope): (&Message, &Envelope)| {
        json!({
            "to": [{"email": envelope.to.to_string()}],
            "subject": message.draft.subject.as_deref().unwrap_or(NO_SUBJECT),
            "headers": {"Message-ID": format!("<{}>", envelope.message_id)},
            "custom_args": {"message": message.id.internal()},
        })
    };
    let personalizations: Vec<_> = messages.iter().zip(&envelopes).map(personalization).collect();
    let text = Text::of(&message.draft.body);
    let mut content = vec![json!({"type": "text/plain", "value": text.plain})];
    content.extend(text.html.map(|html| json!({"type": "text/html", "value": html})));
    let mut from = json!({"email": envelope.from.email.to_string()});
    if let Some(name) = &envelope.from.name {
        from["name"] = json!(name);
    }
    let mut letter = json!({
        "personalizations": personalizations,
        "from": from,
        "content": content,
    });
    if let Some(address) = &envelope.reply_to {
        letter["reply_to"] = json!({"email": address.to_string()});
    }
    Some(letter)
}

#[derive(Deserialize)]
struct Errors {
    errors: Vec<Problem>,
}

#[derive(Deserialize)]
struct Problem {
    #[serde(default)]
    message: String,
    field: Option<String>,
}

/// <https://support.sendgrid.com/hc/en-us/articles/18322114821403> and, for the senders,
/// <https://www.twilio.com/docs/api/errors/60222>.
fn outcome(answer: &Answer) -> Outcome {
    if answer.status.is_success() {
        let reference = answer.header("x-message-id").filter(|id| !id.is_empty());
        return match reference {
            Some(reference) if answer.status == StatusCode::ACCEPTED => {
                accepted(Some(reference.to_owned()))
            }
            _ => answer.by_status(),
        };
    }
    let problem = answer.json::<Errors>().and_then(|errors| errors.errors.into_iter().next());
    let Some(verdict) = verdict(answer.status.as_u16(), problem.as_ref()) else {
        return answer.by_status();
    };
    let field = problem.and_then(|problem| problem.field).unwrap_or_default();
    let code = format!("{} {field}", answer.status.as_u16());
    answer.judged(verdict, code.trim_end())
}

/// What a refusal says beyond its status.
fn verdict(status: u16, problem: Option<&Problem>) -> Option<Verdict> {
    let message = problem.map(|problem| problem.message.as_str()).unwrap_or_default();
    let field = problem.and_then(|problem| problem.field.as_deref()).unwrap_or_default();
    let is_sender = field.starts_with("from") || message.contains("Sender Identity");
    match status {
        401 if message.contains("Maximum credits exceeded") => {
            Some(Verdict::NotAccepted(FailureCode::ProviderBalance))
        }
        400 | 403 if is_sender => Some(Verdict::NotAccepted(FailureCode::SenderNotAllowed)),
        400 if field.starts_with("personalizations") && field.contains("to") => {
            Some(Verdict::Rejected(FailureCode::InvalidRecipient))
        }
        // Whatever is at that address, it does not send.
        406 => Some(Verdict::NotAccepted(FailureCode::ProviderUnavailable)),
        _ => None,
    }
}

#[derive(Deserialize)]
struct Scopes {
    scopes: Vec<String>,
}

fn shown(scopes: Option<&Scopes>) -> Check {
    match scopes {
        Some(Scopes { scopes }) if scopes.iter().any(|scope| scope == SCOPE) => {
            health::up("the key may send mail")
        }
        Some(_) => health::down("the key may not send mail"),
        None => health::degraded("the provider's answer tells no rights"),
    }
}

#[cfg(test)]
mod tests;
