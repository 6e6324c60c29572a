//! Hubtel: SMS over HTTP, in Ghana.
//!
//! Its documentation: <https://businessdocs-developers.hubtel.com/docs/simple-messaging> for
//! sending, <https://businessdocs-developers.hubtel.com/docs/batch-simple-messaging> for sending to
//! many, <https://businessdocs-developers.hubtel.com/docs/sms-status-check> for asking, and
//! <https://hubtel.readme.io/reference/response-code> for the codes. Fields that these do not list,
//! `ClientReference` and `RegisteredDelivery`, are those of Hubtel's own client:
//! <https://github.com/hubtel/hubtel-sms-java> (`Message`).
//!
//! Where it calls with reports and incoming texts is set in the account, and it does not sign: the
//! address has a token. No page names the fields of its calls, so they are looked for by the names
//! that a message has in that client, in any case, and by a few others.

use std::{convert::identity, sync::Arc};

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::{
    callback::{About, Callback, CallbackRefused, Received},
    channel::Channel,
    delivery::FailureCode as Code,
    message::Message,
    provider::{Check, LookUp, Outcome},
};
use ports::providers::MessagingProvider;
use reqwest::StatusCode;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    account::{Access, Account, Authorization},
    answer::Answer,
    bulk::{Bulk, take, unmentioned},
    callbacks::{Fields, ours, reported},
    declaration::{Declaration, DeclarationError, Deps},
    health,
    kind::{Callbacks, USUAL_PATIENCE, Vendor},
    numbers::{digits, inbound, is_recipient},
    progress::{Progress, Words},
    verdict::{
        Codes,
        Verdict::{NotAccepted, Rejected},
        accepted,
    },
    wire,
};

const USUAL_URL: &str = "https://sms.hubtel.com";

/// Recipients of one call. Hubtel names no limit.
const GROUP: usize = 50;

/// Bytes of text in one call, for all recipients together. The answer repeats the text for each, in
/// escapes perhaps, and must stay readable.
const MOST_TEXT: usize = 16 * 1024;

/// Asked for to see whether the credentials are good, for no call that tells of the balance is
/// documented.
const NO_MESSAGE: &str = "00000000-0000-0000-0000-000000000000";

pub(crate) const VENDOR: Vendor = Vendor {
    name: "hubtel",
    channels: &[Channel::Sms],
    required: &["client_id", "client_secret"],
    optional: &[],
    options: &[],
    patience: USUAL_PATIENCE,
    callbacks: Callbacks::Token("client_secret"),
    check: |declaration| access(declaration).map(drop),
    build,
};

struct Hubtel {
    account: Account,
}

fn build(
    declaration: &Declaration,
    deps: &Deps,
) -> Result<Arc<dyn MessagingProvider>, DeclarationError> {
    Ok(Arc::new(Hubtel { account: Account::new(access(declaration)?, deps) }))
}

fn access(declaration: &Declaration) -> Result<Access, DeclarationError> {
    let client_id = declaration.credential("client_id")?.expose().to_owned();
    let client_secret = declaration.credential("client_secret")?.clone();
    Access::read(declaration, USUAL_URL, Authorization::Basic(client_id, client_secret))
}

#[async_trait]
impl Bulk for Hubtel {
    async fn hand_over(&self, messages: &[Message]) -> Result<Vec<Outcome>, Outcome> {
        let Some(first) = messages.first() else { return Ok(Vec::new()) };
        if messages.len() * first.draft.body.len() > MOST_TEXT {
            return Err(NotAccepted(Code::ProviderRejected).outcome("too long for a batch", None));
        }
        let path = ["v1", "messages", "batch", "simple", "send"];
        let request = self.account.post(&path).json(&Batch {
            from: self.account.sender(first),
            recipients: messages.iter().map(digits).collect(),
            content: &first.draft.body,
            registered_delivery: true,
        });
        outcomes(&self.account.call(request).await?, messages)
    }
}

#[async_trait]
impl MessagingProvider for Hubtel {
    async fn send(&self, message: &Message) -> Outcome {
        let request = self.account.post(&["v1", "messages", "send"]).json(&Request {
            from: self.account.sender(message),
            to: digits(message),
            content: &message.draft.body,
            client_reference: message.id.internal(),
            registered_delivery: true,
        });
        self.account.hand_over(request, outcome).await
    }

    fn group_limit(&self) -> usize {
        GROUP
    }

    async fn send_group(&self, messages: &[Message]) -> Vec<Outcome> {
        match messages {
            // What is sent on its own comes back with our identifier.
            [only] => vec![self.send(only).await],
            _ => self.send_many(messages).await,
        }
    }

    async fn look_up(&self, message: &Message) -> LookUp {
        let Some(id) = self.account.reference(message) else { return LookUp::Unavailable };
        let request = self.account.get(&["v1", "messages", id]);
        self.account.ask(request, |answer| found(answer, self.account.now())).await
    }

    async fn check(&self) -> Check {
        let request = self.account.get(&["v1", "messages", NO_MESSAGE]);
        match self.account.call(request).await {
            Ok(answer) => shown(answer),
            Err(outcome) => health::unseen(outcome),
        }
    }

    fn can_be_answered(&self) -> bool {
        true
    }

    fn receive(&self, callback: &Callback) -> Result<Received, CallbackRefused> {
        self.account.verify(callback)?;
        received(callback, self.account.now())
    }
}

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct Request<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<&'a str>,
    to: &'a str,
    content: &'a str,
    client_reference: String,
    registered_delivery: bool,
}

/// The same text for many. There is no place for our identifiers.
#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct Batch<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<&'a str>,
    recipients: Vec<&'a str>,
    content: &'a str,
    registered_delivery: bool,
}

/// What it answers to a text. Older versions of its interface write the names in Pascal case.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Said {
    #[serde(alias = "Status")]
    status: Value,
    #[serde(default, alias = "MessageId")]
    message_id: Value,
    /// The messages of a batch, each with its `recipient`.
    #[serde(default)]
    data: Value,
}

/// What it answers when it is asked for a message.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct State {
    #[serde(alias = "Status")]
    status: String,
    #[serde(default, alias = "UpdateTime")]
    update_time: Option<String>,
}

/// The codes in `status` other than 0. They come with 201 or with 400.
#[rustfmt::skip]
const STATUSES: Codes<&str> = Codes(&[
    ("1", "invalid destination address", Rejected(Code::InvalidRecipient)),
    ("2", "invalid source address", NotAccepted(Code::SenderNotAllowed)),
    ("3", "the body is too long", NotAccepted(Code::ProviderRejected)),
    ("4", "not routable", NotAccepted(Code::RecipientUnreachable)),
    ("5", "the delivery time is not valid", NotAccepted(Code::ProviderRejected)),
    ("6", "the content was rejected", Rejected(Code::BlockedContent)),
    ("7", "parameters are not allowed", NotAccepted(Code::ProviderRejected)),
    ("8", "parameters are not valid", NotAccepted(Code::ProviderRejected)),
    ("12", "payment is required", NotAccepted(Code::ProviderBalance)),
    ("100", "invalid request", NotAccepted(Code::ProviderRejected)),
]);

/// The words for how far a message has come.
#[rustfmt::skip]
const WORDS: Words = Words(&[
    ("scheduled", Progress::Sent),
    ("pending", Progress::Sent),
    ("queued", Progress::Sent),
    ("submitted", Progress::Sent),
    ("accepted", Progress::Sent),
    ("sent", Progress::Sent),
    ("delivered", Progress::Delivered),
    ("blacklisted", Progress::Failed(Code::RecipientOptedOut)),
    ("undelivered", Progress::Failed(Code::Undelivered)),
    ("undeliverable", Progress::Failed(Code::Undelivered)),
    ("unroutable", Progress::Failed(Code::Undelivered)),
    ("rejected", Progress::Failed(Code::Undelivered)),
    ("expired", Progress::Failed(Code::Undelivered)),
    ("failed", Progress::Failed(Code::Undelivered)),
    ("deleted", Progress::Failed(Code::Undelivered)),
    ("error", Progress::Failed(Code::Undelivered)),
    ("nack", Progress::Failed(Code::Undelivered)),
]);

/// What an answer says.
fn outcome(answer: &Answer) -> Outcome {
    let said = answer.json::<Said>();
    let code = said.as_ref().and_then(|said| wire::word(&said.status)).unwrap_or_default();
    if answer.status.is_success() && code == "0" {
        return accepted(said.and_then(|said| wire::word(&said.message_id)));
    }
    refused(answer, &code)
}

/// What a refusal says. That a recipient has not approved of messages is documented as 403, and so is
/// the answer to a caller whose address is not on the account's list. A message cannot tell them apart,
/// so it counts as the former; the latter shows when the account is looked at.
fn refused(answer: &Answer, code: &str) -> Outcome {
    match answer.status {
        StatusCode::FORBIDDEN => answer.judged(NotAccepted(Code::RecipientUnreachable), "403"),
        _ => answer.refused(STATUSES.get(code), code),
    }
}

/// What an answer says of each message of a batch, or of the call.
fn outcomes(answer: &Answer, messages: &[Message]) -> Result<Vec<Outcome>, Outcome> {
    let said = answer.json::<Said>();
    let code = said.as_ref().and_then(|said| wire::word(&said.status)).unwrap_or_default();
    let entries = said.as_ref().and_then(|said| said.data.as_array());
    let Some(entries) = entries.filter(|_| answer.status.is_success() && code == "0") else {
        return Err(refused(answer, &code));
    };
    let named =
        |entry: &Value| Some((wire::word(&entry["recipient"])?, wire::word(&entry["messageId"])?));
    let mut entries: Vec<_> = entries.iter().filter_map(named).collect();
    let outcome = |message: &Message| {
        let taken = take(&mut entries, |(number, _)| is_recipient(message, number));
        taken.map_or_else(unmentioned, |(_, id)| accepted(Some(id)))
    };
    Ok(messages.iter().map(outcome).collect())
}

/// What the answer to a question says.
fn found(answer: &Answer, now: DateTime<Utc>) -> LookUp {
    if answer.status == StatusCode::NOT_FOUND {
        return LookUp::NotFound;
    }
    let Some(State { status, update_time }) = answer.success() else { return LookUp::Unavailable };
    let at = update_time.and_then(|text| wire::time(&text)).unwrap_or(now);
    WORDS.look_up(&status, at)
}

/// What the answer to a question about no message shows: only the right credentials may ask.
fn shown(answer: Answer) -> Check {
    match answer.status.as_u16() {
        400 | 404 => health::up("the credentials are accepted"),
        _ => answer.shown().map_or_else(identity, |_| health::up("the credentials are accepted")),
    }
}

/// What a callback that is known to be Hubtel's says: how a message fares, or what somebody wrote.
fn received(callback: &Callback, now: DateTime<Utc>) -> Result<Received, CallbackRefused> {
    let fields = Fields::of(callback)?;
    let at = ["updatetime", "date", "time"].map(|name| fields.get(&[name]).and_then(wire::time));
    let at = at.into_iter().flatten().next().unwrap_or(now);
    if let Some(status) = fields.get(&["status"]) {
        let theirs = || Some(About::Vendors(fields.get(&["messageid"])?.to_owned()));
        let about = fields.get(&["clientreference"]).and_then(ours).or_else(theirs);
        let about = about.ok_or(CallbackRefused::Malformed)?;
        return Ok(reported(about, WORDS.event(status, at)));
    }
    let from = fields.required(&["from", "msisdn"])?;
    let text = fields.required(&["message", "content", "text"])?;
    let inbound = inbound(from, text, at).into_iter().collect();
    Ok(Received { inbound, ..Received::default() })
}

#[cfg(test)]
mod tests;
