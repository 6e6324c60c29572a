//! Termii: SMS over HTTP, in Africa.
//!
//! Its documentation: <https://developers.termii.com/messaging-api> for sending, `/error` for what
//! it refuses, `/history` for asking, `/events-and-reports` and `/incoming` for its callbacks.
//! Where it calls is set in the account. It signs with "your secret key", HMAC-SHA-512 of the body,
//! which the page does not tell apart from the API key, and its users disagree: without `secret_key`
//! a signature by the API key is good, and so is the token in the address.
//!
//! A call for many recipients, `/api/sms/send/bulk`, is answered with one `message_id`, while the
//! history shows each recipient's message under an identifier of its own. No page says how the one
//! leads to the others, and there is no place for our identifiers, so that reports of such a call
//! could not be told apart: each message is a call of its own.

use std::{str::FromStr, sync::Arc};

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
    callbacks::{Fields, reported},
    declaration::{Declaration, DeclarationError, Deps},
    health,
    kind::{Callbacks, USUAL_PATIENCE, Vendor},
    numbers::{digits, inbound},
    progress::{Progress, Words},
    secret::Secret,
    signature::{equal, hex, sha512},
    verdict::{
        Phrases,
        Verdict::{NotAccepted, Rejected},
        accepted,
    },
    wire,
};

/// Every account may have a host of its own, which its dashboard shows.
const USUAL_URL: &str = "https://api.ng.termii.com";

/// The balance below which an account, in naira mostly, is good for a few texts only.
const LOW: f64 = 50.0;

pub(crate) const VENDOR: Vendor = Vendor {
    name: "termii",
    channels: &[Channel::Sms],
    required: &["api_key"],
    optional: &["secret_key"],
    options: &["channel"],
    patience: USUAL_PATIENCE,
    callbacks: Callbacks::Token("api_key"),
    check: |declaration| access(declaration).and(Settings::read(declaration)).map(drop),
    build,
};

struct Termii {
    account: Account,
    settings: Settings,
}

struct Settings {
    api_key: Secret,
    /// The key of its signatures, if it is not the other.
    secret_key: Option<Secret>,
    route: Route,
}

/// Termii's `channel`: how it hands a text to the networks.
#[derive(Clone, Copy, Serialize)]
#[serde(rename_all = "lowercase")]
enum Route {
    /// For promotion; numbers that do not want to be disturbed are left out.
    Generic,
    /// For codes and notices; has to be activated for the account.
    Dnd,
}

impl FromStr for Route {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        match text {
            "generic" => Ok(Self::Generic),
            "dnd" => Ok(Self::Dnd),
            _ => Err(()),
        }
    }
}

fn build(
    declaration: &Declaration,
    deps: &Deps,
) -> Result<Arc<dyn MessagingProvider>, DeclarationError> {
    let account = Account::new(access(declaration)?, deps);
    Ok(Arc::new(Termii { account, settings: Settings::read(declaration)? }))
}

/// The key is in the body, or among the other parameters of a question.
fn access(declaration: &Declaration) -> Result<Access, DeclarationError> {
    Access::read(declaration, USUAL_URL, Authorization::Own)
}

impl Settings {
    fn read(declaration: &Declaration) -> Result<Self, DeclarationError> {
        Ok(Self {
            api_key: declaration.credential("api_key")?.clone(),
            secret_key: declaration.credentials.get("secret_key").cloned(),
            route: declaration.option("channel")?.unwrap_or(Route::Generic),
        })
    }
}

#[async_trait]
impl MessagingProvider for Termii {
    async fn send(&self, message: &Message) -> Outcome {
        let request = self.account.post(&["api", "sms", "send"]).json(&Request {
            to: digits(message),
            from: self.account.sender(message),
            sms: &message.draft.body,
            kind: "plain",
            channel: self.settings.route,
            api_key: self.settings.api_key.expose(),
        });
        self.account.hand_over(request, outcome).await
    }

    async fn look_up(&self, message: &Message) -> LookUp {
        let Some(id) = self.account.reference(message) else { return LookUp::Unavailable };
        let query = [("api_key", self.settings.api_key.expose()), ("message_id", id)];
        let request = self.account.get(&["api", "sms", "inbox"]).query(&query);
        self.account.ask(request, |answer| found(answer, id, self.account.now())).await
    }

    async fn check(&self) -> Check {
        let query = [("api_key", self.settings.api_key.expose())];
        let request = self.account.get(&["api", "get-balance"]).query(&query);
        self.account.look(request, shown).await
    }

    fn can_be_answered(&self) -> bool {
        true
    }

    fn receive(&self, callback: &Callback) -> Result<Received, CallbackRefused> {
        self.verify(callback)?;
        received(callback, self.account.now())
    }
}

impl Termii {
    /// Without a key of its own for signatures, the token is good as well.
    fn verify(&self, callback: &Callback) -> Result<(), CallbackRefused> {
        let Settings { api_key, secret_key, .. } = &self.settings;
        let key = secret_key.as_ref().unwrap_or(api_key).expose();
        let shown = callback.header("x-termii-signature").unwrap_or_default().to_lowercase();
        let signature = hex(&sha512(key.as_bytes(), &callback.body));
        if equal(shown.as_bytes(), signature.as_bytes()) {
            Ok(())
        } else if secret_key.is_none() {
            self.account.verify(callback)
        } else {
            Err(CallbackRefused::Unauthorized)
        }
    }
}

#[derive(Serialize)]
struct Request<'a> {
    to: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<&'a str>,
    sms: &'a str,
    #[serde(rename = "type")]
    kind: &'a str,
    channel: Route,
    api_key: &'a str,
}

/// What it answers to a text.
#[derive(Deserialize)]
struct Said {
    #[serde(default)]
    code: Value,
    /// As a number it may be too long for JSON, hence the other one.
    #[serde(default)]
    message_id: Value,
    #[serde(default)]
    message_id_str: Value,
    /// Prose, or a list of objects with it.
    #[serde(default)]
    message: Value,
}

/// Phrases in the prose of a refusal, mostly of `/error`. One that names the sender may name a
/// number as well.
#[rustfmt::skip]
const PHRASES: Phrases = Phrases(&[
    ("senderid", NotAccepted(Code::SenderNotAllowed)),
    ("sender id", NotAccepted(Code::SenderNotAllowed)),
    ("insufficient", NotAccepted(Code::ProviderBalance)),
    ("country inactive", NotAccepted(Code::RecipientUnreachable)),
    ("not set up on this route", NotAccepted(Code::RecipientUnreachable)),
    ("temporarily unavailable", NotAccepted(Code::ProviderUnavailable)),
    ("not active on your account", NotAccepted(Code::ProviderRejected)),
    ("account is not active", NotAccepted(Code::ProviderAuth)),
    ("daily limit", NotAccepted(Code::ProviderThrottled)),
    ("unauthorized", NotAccepted(Code::ProviderAuth)),
    ("api key", NotAccepted(Code::ProviderAuth)),
    ("dnd active", Rejected(Code::RecipientOptedOut)),
    ("phone number", Rejected(Code::InvalidRecipient)),
    ("invalid destination", Rejected(Code::InvalidRecipient)),
]);

/// The words for how far a message has come.
#[rustfmt::skip]
const WORDS: Words = Words(&[
    ("pending", Progress::Sent),
    ("sent", Progress::Sent),
    ("message_sent", Progress::Sent),
    ("delivered", Progress::Delivered),
    ("failed", Progress::Failed(Code::Undelivered)),
    ("message_failed", Progress::Failed(Code::Undelivered)),
    ("undelivered", Progress::Failed(Code::Undelivered)),
    ("rejected", Progress::Failed(Code::Undelivered)),
    ("expired", Progress::Failed(Code::Undelivered)),
    ("dnd_active", Progress::Failed(Code::RecipientOptedOut)),
    ("dnd_active_on_phone_number", Progress::Failed(Code::RecipientOptedOut)),
]);

/// What an answer says.
fn outcome(answer: &Answer) -> Outcome {
    let said = answer.json::<Said>();
    let code = said.as_ref().and_then(|said| wire::word(&said.code));
    let id = said
        .as_ref()
        .and_then(|said| wire::word(&said.message_id_str).or_else(|| wire::word(&said.message_id)));
    let is_taken = code.as_deref().map_or(id.is_some(), |code| code.eq_ignore_ascii_case("ok"));
    if answer.status.is_success() && is_taken {
        return accepted(id);
    }
    let prose = said.map(|said| said.message.to_string()).unwrap_or_default();
    answer.refused(PHRASES.judge(&prose), answer.status.as_str())
}

/// What the balance shows.
fn shown(answer: &Answer) -> Check {
    let said = answer.json::<Value>().unwrap_or_default();
    let currency = wire::word(&said["currency"]).unwrap_or_default();
    health::balance(wire::amount(&said["balance"]), &currency, LOW)
}

/// What the history says of a message: a list, or a page with one. It tells when the message was
/// made, not when its status changed.
fn found(answer: &Answer, id: &str, now: DateTime<Utc>) -> LookUp {
    if answer.status == StatusCode::NOT_FOUND {
        return LookUp::NotFound;
    }
    let Some(said) = answer.success::<Value>() else {
        return LookUp::Unavailable;
    };
    let lists = [&said, &said["data"], &said["content"], &said["data"]["content"]];
    let Some(list) = lists.into_iter().find_map(Value::as_array) else {
        return LookUp::Unavailable;
    };
    let is_it = |entry: &&Value| wire::word(&entry["message_id"]).as_deref() == Some(id);
    match list.iter().find(is_it).and_then(|entry| wire::word(&entry["status"])) {
        Some(status) => WORDS.look_up(first_part(&status), now),
        // The history lags behind.
        None => LookUp::Waiting,
    }
}

/// The word of "DELIVERED | Message delivered to handset".
fn first_part(status: &str) -> &str {
    status.split('|').next().unwrap_or_default().trim()
}

/// What a callback that is known to be Termii's says.
fn received(callback: &Callback, now: DateTime<Utc>) -> Result<Received, CallbackRefused> {
    let fields = Fields::of(callback)?;
    match fields.get(&["type"]).unwrap_or_default() {
        "inbound" => {
            let (from, text) = (fields.required(&["sender"])?, fields.required(&["message"])?);
            let at = fields.get(&["received_at"]).and_then(wire::time).unwrap_or(now);
            let inbound = inbound(from, text, at).into_iter().collect();
            Ok(Received { inbound, ..Received::default() })
        }
        "device_status" => Ok(Received::default()),
        _ => {
            let id = fields.required(&["message_id_str", "message_id"])?;
            let status = first_part(fields.required(&["status"])?);
            Ok(reported(About::Vendors(id.to_owned()), WORDS.event(status, now)))
        }
    }
}

#[cfg(test)]
mod tests;
