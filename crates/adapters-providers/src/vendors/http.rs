//! Any service that accepts messages of any channel as JSON over HTTP: for a gateway of the
//! operator's own, or a vendor without an adapter here.
//!
//! A message is posted to the declared address as
//! `{"id","channel","to","from","subject","body","category","countryCode","createdAt","expiresAt"}`,
//! signed according to the Standard Webhooks specification
//! (<https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md>),
//! with the message's identifier as `webhook-id`. An email that advertises has `unsubscribeUrl` in
//! addition. Any status 2xx accepts it; `{"id"}` in the response is the service's own identifier.
//! Any other response may add details to its status by `{"error":{"code","message"}}`, whose code
//! is a `FailureCode` of this service. A status 404 or 405 without one means that the address is
//! wrong, not the message.
//!
//! Reports arrive at the provider's callback address, signed with the same secret:
//! `{"message" or "id", "status": "SENT" or "DELIVERED" or "FAILED", "errorCode", "at"}`.

mod answers;
mod reports;

use chrono::{DateTime, SecondsFormat, Utc};
use domain::{
    messaging::{
        callback::{Callback, CallbackRefused, Received},
        message::Message,
        outcome::Outcome,
    },
    providers::provider::Check,
    shared::channel::Channel,
};
use ports::audience::unsubscribes::UnsubscribeLinks;
use reqwest::header::CONTENT_TYPE;
use serde::Serialize;

use crate::{
    callbacks::must_be_posted,
    health,
    http_vendor::{
        Access, Account, Answer, Authorization, BaseUrl, Batch, Callbacks, Declaration,
        DeclarationError, HttpVendor, Request, Vendor,
    },
    mail::unsubscribe_link,
    standard_webhooks::Key,
};

pub(super) const VENDOR: Vendor = Vendor {
    name: "http",
    channels: &Channel::ALL,
    base_url: BaseUrl::Declared,
    required_credentials: &["secret"],
    callbacks: Callbacks::Signed,
    ..Vendor::DEFAULTS
};

pub(super) struct Http {
    key: Key,
}

impl HttpVendor for Http {
    fn read(declaration: &Declaration) -> Result<(Self, Access), DeclarationError> {
        let Some(base_url) = &declaration.base_url else {
            return Err(declaration.invalid("base_url", "is missing"));
        };
        let access = Access::read(declaration, base_url, Authorization::InRequest)?;
        Ok((Self { key: Key::declared(declaration, "secret")? }, access))
    }

    fn send_request(&self, account: &Account, batch: Batch<'_>) -> Result<Request, Outcome> {
        let message = batch.first();
        let id = message.id.internal();
        let body = body(message, &id, account.sender(message), account.links());
        let timestamp = batch.now.timestamp();
        let signature = self.key.sign(&id, timestamp, body.as_bytes());
        Ok(account
            .post(&[])
            .header("webhook-id", id)
            .header("webhook-timestamp", timestamp)
            .header("webhook-signature", signature)
            .header(CONTENT_TYPE, "application/json")
            .body(body))
    }

    fn send_result(&self, answer: &Answer, _: Batch<'_>) -> Result<Vec<Outcome>, Outcome> {
        Ok(vec![answers::outcome(answer)])
    }

    fn check_request(&self, account: &Account) -> Request {
        account.get(&[])
    }

    fn check_result(&self, _: &Answer) -> Check {
        health::up("the service answers")
    }

    /// A service may respond to POST only, so most responses show that it is reachable.
    fn check_refusal(&self, answer: &Answer) -> Check {
        match answer.status.as_u16() {
            401 | 403 | 429 | 500.. => answer.check_by_status(),
            _ => health::up("the service answers"),
        }
    }

    fn verify(&self, account: &Account, callback: &Callback) -> Result<(), CallbackRefused> {
        must_be_posted(callback)?;
        self.key.verify(callback, "webhook", account.now())
    }

    fn read_callback(
        &self,
        callback: &Callback,
        now: DateTime<Utc>,
    ) -> Result<Received, CallbackRefused> {
        reports::read_callback(&callback.body, now)
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct MessageBody<'a> {
    id: &'a str,
    channel: &'static str,
    to: &'a str,
    from: Option<&'a str>,
    subject: Option<&'a str>,
    body: &'a str,
    category: &'static str,
    country_code: &'a str,
    created_at: String,
    /// Time until which delivery is useful.
    expires_at: String,
    /// Unsubscribe link of an email that advertises, for its headers (RFC 8058).
    #[serde(skip_serializing_if = "Option::is_none")]
    unsubscribe_url: Option<String>,
}

fn body(message: &Message, id: &str, sender: Option<&str>, links: &dyn UnsubscribeLinks) -> String {
    let draft = &message.draft;
    let fields = MessageBody {
        id,
        channel: draft.channel.as_str(),
        to: draft.recipient.as_str(),
        from: sender,
        subject: draft.subject.as_deref(),
        body: &draft.body,
        category: draft.category.as_str(),
        country_code: draft.country.as_str(),
        created_at: message.created_at.to_rfc3339_opts(SecondsFormat::Millis, true),
        expires_at: message.expires_at.to_rfc3339_opts(SecondsFormat::Millis, true),
        unsubscribe_url: unsubscribe_link(message, links),
    };
    // A structure of texts can always be written as JSON.
    serde_json::to_string(&fields).unwrap_or_default()
}

#[cfg(test)]
mod tests;
