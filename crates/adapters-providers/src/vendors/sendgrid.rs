//! `SendGrid`: email over HTTP.
//!
//! Documentation: <https://www.twilio.com/docs/sendgrid/api-reference/mail-send/mail-send> and
//! <https://www.twilio.com/docs/sendgrid/for-developers/tracking-events/event>. The requests follow
//! its OpenAPI documents: <https://github.com/twilio/sendgrid-oai> (`tsg_mail_v3`,
//! `tsg_scopes_v3`). The address of subusers in the EU is `https://api.eu.sendgrid.com`.
//!
//! Reports arrive by its Event Webhook only. If the verification key of signed events is declared,
//! only that signature authenticates a webhook; otherwise the address that is entered at `SendGrid`
//! must contain the token.

mod events;
mod signed;

use chrono::{DateTime, Utc};
use domain::{
    messaging::{
        callback::{Callback, CallbackRefused, Received},
        delivery::FailureCode,
        outcome::Outcome,
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
        DeclarationError, HttpVendor, Request, Vendor,
    },
    mail::{self, Envelope, LIST_UNSUBSCRIBE, LIST_UNSUBSCRIBE_POST, NO_SUBJECT, ONE_CLICK, Text},
    verdict::{Verdict, accepted},
};
use signed::PublicKey;

const USUAL_URL: &str = "https://api.sendgrid.com";
/// Credential that webhooks are verified with.
const PUBLIC_KEY: &str = "webhook_public_key";
/// Scope that a key requires.
const SCOPE: &str = "mail.send";

pub(super) const VENDOR: Vendor = Vendor {
    name: "sendgrid",
    channels: &[Channel::Email],
    base_url: BaseUrl::Usual(USUAL_URL),
    required_credentials: &["api_key"],
    optional_credentials: &[PUBLIC_KEY],
    callbacks: Callbacks::Token,
    // The vendor accepts 1000, but after a refusal all messages are sent one by one, which must not
    // take too long.
    group_limit: 100,
    ..Vendor::DEFAULTS
};

pub(super) struct SendGrid {
    sender: Mailbox,
    public_key: Option<PublicKey>,
}

impl HttpVendor for SendGrid {
    fn read(declaration: &Declaration) -> Result<(Self, Access), DeclarationError> {
        let public_key = public_key(declaration)?;
        let api_key = Authorization::bearer(declaration, "api_key")?;
        let access = Access::read(declaration, USUAL_URL, api_key)?;
        Ok((Self { sender: mail::sender(declaration)?, public_key }, access))
    }

    fn send_request(&self, account: &Account, batch: Batch<'_>) -> Result<Request, Outcome> {
        Ok(account.post(&["v3", "mail", "send"]).json(&letter(
            batch,
            &self.sender,
            account.links(),
        )?))
    }

    /// Events identify messages by the identifiers of this service.
    fn send_result(&self, answer: &Answer, batch: Batch<'_>) -> Result<Vec<Outcome>, Outcome> {
        match outcome(answer) {
            accepted @ Outcome::Accepted { .. } => Ok(vec![accepted; batch.len()]),
            refused => Err(refused),
        }
    }

    fn check_request(&self, account: &Account) -> Request {
        account.get(&["v3", "scopes"])
    }

    fn check_result(&self, answer: &Answer) -> Check {
        check_scopes(answer.json::<Scopes>().as_ref())
    }

    fn verify(&self, account: &Account, callback: &Callback) -> Result<(), CallbackRefused> {
        must_be_posted(callback)?;
        match &self.public_key {
            Some(key) => key.verify(callback, account.now()),
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

fn public_key(declaration: &Declaration) -> Result<Option<PublicKey>, DeclarationError> {
    let Some(declared) = declaration.credentials.get(PUBLIC_KEY) else { return Ok(None) };
    let problem = "must be the base64 of a public key, as SendGrid shows it";
    match PublicKey::read(declared.expose()) {
        Some(key) => Ok(Some(key)),
        None => Err(declaration.invalid_credential(PUBLIC_KEY, problem)),
    }
}

/// Builds the body for messages with the same text and sender. The error is their outcome if a
/// recipient is not a valid email address.
fn letter(
    batch: Batch<'_>,
    sender: &Mailbox,
    links: &dyn UnsubscribeLinks,
) -> Result<Value, Outcome> {
    let envelopes = Envelope::of_each(batch.messages, sender)?;
    let Some(envelope) = envelopes.first() else { return Err(Envelope::missing()) };
    let mut personalizations = Vec::with_capacity(batch.len());
    for (message, envelope) in batch.messages.iter().zip(&envelopes) {
        let mut headers = json!({"Message-ID": format!("<{}>", envelope.message_id)});
        if let Some(link) = mail::unsubscribe_link(message, links) {
            headers[LIST_UNSUBSCRIBE] = json!(format!("<{link}>"));
            headers[LIST_UNSUBSCRIBE_POST] = json!(ONE_CLICK);
        }
        personalizations.push(json!({
            "to": [{"email": envelope.to.to_string()}],
            "subject": message.draft.subject.as_deref().unwrap_or(NO_SUBJECT),
            "headers": headers,
            "custom_args": {"message": message.id.internal()},
        }));
    }
    let text = Text::of(&batch.first().draft.body, batch.first().draft.format);
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
    Ok(letter)
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

/// Documented at <https://support.sendgrid.com/hc/en-us/articles/18322114821403> and, for the
/// senders, <https://www.twilio.com/docs/api/errors/60222>.
fn outcome(answer: &Answer) -> Outcome {
    if answer.status.is_success() {
        let reference = answer.header("x-message-id").filter(|id| !id.is_empty());
        return match reference {
            Some(reference) if answer.status == StatusCode::ACCEPTED => {
                accepted(Some(reference.to_owned()))
            }
            _ => answer.outcome_by_status(),
        };
    }
    let problem = answer.json::<Errors>().and_then(|errors| errors.errors.into_iter().next());
    let Some(verdict) = verdict(answer.status.as_u16(), problem.as_ref()) else {
        return answer.outcome_by_status();
    };
    let field = problem.and_then(|problem| problem.field).unwrap_or_default();
    let code = format!("{} {field}", answer.status.as_u16());
    answer.outcome(verdict, code.trim_end())
}

/// Returns the meaning of a refusal beyond its status.
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
        // The service at that address does not send.
        406 => Some(Verdict::NotAccepted(FailureCode::ProviderUnavailable)),
        _ => None,
    }
}

#[derive(Deserialize)]
struct Scopes {
    scopes: Vec<String>,
}

fn check_scopes(scopes: Option<&Scopes>) -> Check {
    match scopes {
        Some(Scopes { scopes }) if scopes.iter().any(|scope| scope == SCOPE) => {
            health::up("the key may send mail")
        }
        Some(_) => health::down("the key may not send mail"),
        None => health::degraded("the provider's answer contains no rights"),
    }
}

#[cfg(test)]
mod tests;
