//! Resend: email over HTTP.
//!
//! Documentation: <https://resend.com/docs/api-reference/emails/send-email>,
//! <https://resend.com/docs/api-reference/errors> and, for webhooks,
//! <https://resend.com/docs/webhooks/event-types>. The requests follow its OpenAPI document,
//! <https://github.com/resend/resend-openapi>. The idempotency key ensures that a message is sent
//! once, even if it is submitted again within 24 hours. A batch has one such key for all its
//! messages, and a message submitted again on its own would be sent twice: each message is a call
//! of its own. Reports arrive by webhook, and a message can be looked up, with a key that may do
//! more than send.
//!
//! Webhooks are signed by a secret of their own
//! (<https://resend.com/docs/dashboard/webhooks/verify-webhooks-requests>). If it is declared, only
//! that signature authenticates a webhook; otherwise the address that is entered at Resend must
//! contain the token.

mod codes;
mod events;

use chrono::{DateTime, Utc};
use domain::{
    messaging::{
        callback::{Callback, CallbackRefused, Received},
        message::Message,
        outcome::{LookUp, Outcome},
    },
    providers::provider::Check,
    shared::channel::Channel,
};
use lettre::message::Mailbox;
use ports::audience::unsubscribes::UnsubscribeLinks;
use reqwest::StatusCode;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{
    callbacks::must_be_posted,
    health,
    http_vendor::{
        Access, Account, Answer, Authorization, BaseUrl, Batch, Callbacks, Declaration,
        DeclarationError, HttpVendor, Lookup, Request, Vendor,
    },
    mail::{self, Envelope, LIST_UNSUBSCRIBE, LIST_UNSUBSCRIBE_POST, NO_SUBJECT, ONE_CLICK, Text},
    standard_webhooks::Key,
};

const USUAL_URL: &str = "https://api.resend.com";
/// Credential that webhooks are signed with.
const WEBHOOK_SECRET: &str = "webhook_secret";

/// Maximum number of domains in a response.
const MAX_DOMAINS: u8 = 100;

pub(super) const VENDOR: Vendor = Vendor {
    name: "resend",
    channels: &[Channel::Email],
    base_url: BaseUrl::Usual(USUAL_URL),
    required_credentials: &["api_key"],
    optional_credentials: &[WEBHOOK_SECRET],
    callbacks: Callbacks::Token,
    ..Vendor::DEFAULTS
};

pub(super) struct Resend {
    sender: Mailbox,
    webhook_key: Option<Key>,
}

impl HttpVendor for Resend {
    fn read(declaration: &Declaration) -> Result<(Self, Access), DeclarationError> {
        let webhook_key = match declaration.credentials.get(WEBHOOK_SECRET) {
            Some(_) => Some(Key::declared(declaration, WEBHOOK_SECRET)?),
            None => None,
        };
        let api_key = Authorization::bearer(declaration, "api_key")?;
        let access = Access::read(declaration, USUAL_URL, api_key)?;
        Ok((Self { sender: mail::sender(declaration)?, webhook_key }, access))
    }

    fn send_request(&self, account: &Account, batch: Batch<'_>) -> Result<Request, Outcome> {
        let message = batch.first();
        let Some(letter) = letter(message, &self.sender, account.links()) else {
            return Err(Envelope::missing());
        };
        let request = account.post(&["emails"]);
        Ok(request.header("idempotency-key", message.id.internal()).json(&letter))
    }

    fn send_result(&self, answer: &Answer, _: Batch<'_>) -> Result<Vec<Outcome>, Outcome> {
        Ok(vec![codes::outcome(answer)])
    }

    fn lookup_request(&self, account: &Account, lookup: Lookup<'_>) -> Option<Request> {
        Some(account.get(&["emails", lookup.reference?]))
    }

    fn lookup_result(&self, answer: &Answer, lookup: Lookup<'_>) -> LookUp {
        if answer.status == StatusCode::NOT_FOUND {
            return LookUp::NotFound;
        }
        match answer.json_of_success() {
            Some(Email { last_event }) => events::lookup_result(&last_event, lookup.now),
            None => LookUp::Unavailable,
        }
    }

    fn check_request(&self, account: &Account) -> Request {
        account.get(&["domains"]).query(&[("limit", MAX_DOMAINS)])
    }

    fn check_result(&self, answer: &Answer) -> Check {
        check_domains(answer.json::<Domains>().as_ref(), self.sender.email.domain())
    }

    fn check_refusal(&self, answer: &Answer) -> Check {
        if codes::may_only_send(answer) {
            return health::up("the key may send mail, and nothing else");
        }
        answer.check_by_status()
    }

    fn verify(&self, account: &Account, callback: &Callback) -> Result<(), CallbackRefused> {
        must_be_posted(callback)?;
        match &self.webhook_key {
            Some(key) => key.verify(callback, "svix", account.now()),
            None => account.verify_token(callback),
        }
    }

    fn read_callback(
        &self,
        callback: &Callback,
        now: DateTime<Utc>,
    ) -> Result<Received, CallbackRefused> {
        events::read_callback(&callback.body, now)
    }
}

/// Builds the request for a message; `None` if its recipient is not a valid email address.
fn letter(message: &Message, sender: &Mailbox, links: &dyn UnsubscribeLinks) -> Option<Value> {
    let envelope = Envelope::of(message, sender)?;
    let text = Text::of(&message.draft.body, message.draft.format);
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
    if let Some(link) = mail::unsubscribe_link(message, links) {
        letter["headers"] = json!({
            LIST_UNSUBSCRIBE: format!("<{link}>"),
            LIST_UNSUBSCRIBE_POST: ONE_CLICK,
        });
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

/// Returns the result of a check for emails from the domain `sender`.
fn check_domains(domains: Option<&Domains>, sender: &str) -> Check {
    let Some(Domains { data }) = domains else {
        return health::degraded("the provider's answer contains no domains");
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
