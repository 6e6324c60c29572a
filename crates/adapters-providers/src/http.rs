//! Any service that takes messages of any channel as JSON over HTTP: for a gateway of one's own, or
//! a vendor that has no adapter here.
//!
//! A message is posted to the declared address as
//! `{"id","channel","to","from","subject","body","category","countryCode","createdAt","expiresAt"}`, signed as
//! the Standard Webhooks specification says
//! (<https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md>),
//! with the message's identifier as `webhook-id`. Any status 2xx takes it; `{"id"}` in the answer is
//! the service's own identifier. Any other answer may say more than its status by
//! `{"error":{"code","message"}}`, where the code is a `FailureCode` of ours. A status 404 or 405
//! without one says that the address is wrong, not the message.
//!
//! Reports come to the provider's callback address, signed by the same secret:
//! `{"message" or "id", "status": "SENT" or "DELIVERED" or "FAILED", "errorCode", "at"}`.

mod answers;
mod reports;

use std::sync::Arc;

use async_trait::async_trait;
use chrono::SecondsFormat;
use domain::{
    callback::{Callback, CallbackRefused, Received},
    channel::Channel,
    message::Message,
    provider::{Check, LookUp, Outcome},
};
use ports::providers::MessagingProvider;
use reqwest::{RequestBuilder, header::CONTENT_TYPE};
use serde::Serialize;

use crate::{
    account::{Access, Account, Authorization},
    answer::Answer,
    callbacks::must_be_posted,
    declaration::{Declaration, DeclarationError, Deps},
    health,
    kind::{Callbacks, USUAL_PATIENCE, Vendor},
    standard_webhooks::Key,
};

pub(crate) const VENDOR: Vendor = Vendor {
    name: "http",
    channels: &Channel::ALL,
    required: &["secret"],
    optional: &[],
    options: &[],
    patience: USUAL_PATIENCE,
    callbacks: Callbacks::Signed,
    check: |declaration| access(declaration).and(key(declaration)).map(drop),
    build,
};

struct Http {
    account: Account,
    key: Key,
}

fn build(
    declaration: &Declaration,
    deps: &Deps,
) -> Result<Arc<dyn MessagingProvider>, DeclarationError> {
    let account = Account::new(access(declaration)?, deps);
    Ok(Arc::new(Http { account, key: key(declaration)? }))
}

fn access(declaration: &Declaration) -> Result<Access, DeclarationError> {
    let base_url = declaration.base_url.as_deref();
    let base_url = base_url.ok_or_else(|| declaration.invalid("base_url", "is missing"))?;
    Access::read(declaration, base_url, Authorization::Own)
}

fn key(declaration: &Declaration) -> Result<Key, DeclarationError> {
    Key::read(declaration.credential("secret")?.expose()).ok_or_else(|| {
        let problem = "must be whsec_ and the base64 of 24 to 64 bytes";
        declaration.invalid("credentials.secret", problem)
    })
}

impl Http {
    /// A request with a body, and the signature over it.
    fn signed(&self, request: RequestBuilder, id: &str, body: String) -> RequestBuilder {
        let timestamp = self.account.now().timestamp();
        let signature = self.key.sign(id, timestamp, body.as_bytes());
        request
            .header("webhook-id", id)
            .header("webhook-timestamp", timestamp)
            .header("webhook-signature", signature)
            .header(CONTENT_TYPE, "application/json")
            .body(body)
    }
}

#[async_trait]
impl MessagingProvider for Http {
    async fn send(&self, message: &Message) -> Outcome {
        let id = message.id.internal();
        let body = body(message, &id, self.account.sender(message));
        let request = self.signed(self.account.post(&[]), &id, body);
        self.account.hand_over(request, answers::outcome).await
    }

    async fn look_up(&self, _: &Message) -> LookUp {
        LookUp::Unavailable
    }

    async fn check(&self) -> Check {
        match self.account.call(self.account.get(&[])).await {
            Ok(answer) => shown(answer),
            Err(outcome) => health::unseen(outcome),
        }
    }

    fn receive(&self, callback: &Callback) -> Result<Received, CallbackRefused> {
        must_be_posted(callback)?;
        let now = self.account.now();
        self.key.verify(callback, "webhook", now)?;
        reports::received(&callback.body, now)
    }
}

/// A service need not answer anything but posts, so any answer shows that it is there.
fn shown(answer: Answer) -> Check {
    let refused = match answer.status.as_u16() {
        401 | 403 | 429 | 500.. => answer.shown().err(),
        _ => None,
    };
    refused.unwrap_or_else(|| health::up("the service answers"))
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Letter<'a> {
    id: &'a str,
    channel: &'static str,
    to: &'a str,
    from: Option<&'a str>,
    subject: Option<&'a str>,
    body: &'a str,
    category: &'static str,
    country_code: &'a str,
    created_at: String,
    /// Until when it is worth delivering.
    expires_at: String,
}

fn body(message: &Message, id: &str, sender: Option<&str>) -> String {
    let draft = &message.draft;
    let letter = Letter {
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
    };
    // Texts and nothing else can always be written as JSON.
    serde_json::to_string(&letter).unwrap_or_default()
}

#[cfg(test)]
mod tests;
