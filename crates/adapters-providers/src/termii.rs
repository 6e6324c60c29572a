//! Termii: SMS over HTTP, in Africa.
//!
//! Its documentation: <https://developers.termii.com/messaging-api> for sending, `/error` for what
//! it refuses, `/history` for asking, `/events-and-reports` and `/incoming` for its callbacks.
//! Where it calls is set in the account. It signs with the account's secret key, which the page
//! does not tell apart from the API key: without `secret_key` a signature by the API key is good,
//! and so is the token in the address.

use std::{str::FromStr, sync::Arc, time::Duration};

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::{
    callback::{About, Callback, CallbackRefused, Received},
    channel::Channel,
    delivery::FailureCode as Code,
    message::Message,
    provider::{Check, LookUp, Outcome},
};
use ports::{clock::Clock, providers::MessagingProvider};
use reqwest::{StatusCode, Url};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    client::{Answer, HttpClient},
    declaration::{Declaration, DeclarationError, Deps},
    kind::{Callbacks, USUAL_PATIENCE, Vendor},
    secret::Secret,
    signature::{equal, hex, sha512, token, verify_token},
    sms::{self, Fields, Progress},
    verdict::Verdict::{self, NotAccepted, Rejected},
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
    check: |declaration| Settings::read(declaration).map(drop),
    build,
};

struct Termii {
    http: HttpClient,
    clock: Arc<dyn Clock>,
    settings: Settings,
}

struct Settings {
    name: String,
    send: Url,
    inbox: Url,
    balance: Url,
    api_key: Secret,
    proof: Proof,
    route: Route,
    sender: Option<String>,
    timeout: Duration,
}

/// What Termii can show to prove that a callback is its own.
struct Proof {
    /// The key of its signature.
    key: Secret,
    /// What it may show instead.
    token: Option<String>,
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
    let settings = Settings::read(declaration)?;
    Ok(Arc::new(Termii { http: deps.http.clone(), clock: deps.clock.clone(), settings }))
}

impl Settings {
    fn read(declaration: &Declaration) -> Result<Self, DeclarationError> {
        let api_key = declaration.credential("api_key")?.clone();
        let proof = match declaration.credentials.get("secret_key") {
            Some(key) => Proof { key: key.clone(), token: None },
            None => Proof {
                key: api_key.clone(),
                token: Some(token(api_key.expose(), &declaration.name)),
            },
        };
        Ok(Self {
            name: declaration.name.clone(),
            send: declaration.url(USUAL_URL, "/api/sms/send")?,
            inbox: declaration.url(USUAL_URL, "/api/sms/inbox")?,
            balance: declaration.url(USUAL_URL, "/api/get-balance")?,
            api_key,
            proof,
            route: declaration.option("channel")?.unwrap_or(Route::Generic),
            sender: declaration.sender.clone(),
            timeout: declaration.timeout(),
        })
    }
}

#[async_trait]
impl MessagingProvider for Termii {
    async fn send(&self, message: &Message) -> Outcome {
        let Settings { send, api_key, route, sender, timeout, .. } = &self.settings;
        let request = self.http.post(send.clone()).json(&Request {
            to: sms::digits(message),
            from: message.draft.sender.as_deref().or(sender.as_deref()),
            sms: &message.draft.body,
            kind: "plain",
            channel: *route,
            api_key: api_key.expose(),
        });
        match self.http.call(request, *timeout).await {
            Ok(answer) => outcome(&answer),
            Err(outcome) => outcome,
        }
    }

    async fn look_up(&self, message: &Message) -> LookUp {
        let Settings { name, inbox, api_key, timeout, .. } = &self.settings;
        let Some(id) = sms::reference(message, name) else { return LookUp::Unavailable };
        let query = [("api_key", api_key.expose()), ("message_id", id)];
        let request = self.http.get(inbox.clone()).query(&query);
        match self.http.call(request, *timeout).await {
            Ok(answer) => found(&answer, id, self.clock.now()),
            Err(_) => LookUp::Unavailable,
        }
    }

    async fn check(&self) -> Check {
        let Settings { balance, api_key, timeout, .. } = &self.settings;
        let request = self.http.get(balance.clone()).query(&[("api_key", api_key.expose())]);
        match self.http.look(request, *timeout).await {
            Ok(answer) => {
                let said = answer.json::<Value>().unwrap_or_default();
                let currency = sms::word(&said["currency"]).unwrap_or_default();
                sms::balance(sms::amount(&said["balance"]), &currency, LOW)
            }
            Err(check) => check,
        }
    }

    fn can_be_answered(&self) -> bool {
        true
    }

    fn receive(&self, callback: &Callback) -> Result<Received, CallbackRefused> {
        self.settings.proof.verify(callback)?;
        received(callback, self.clock.now())
    }
}

impl Proof {
    fn verify(&self, callback: &Callback) -> Result<(), CallbackRefused> {
        let shown = callback.header("x-termii-signature").unwrap_or_default().to_lowercase();
        let signature = hex(&sha512(self.key.expose().as_bytes(), &callback.body));
        match &self.token {
            _ if equal(shown.as_bytes(), signature.as_bytes()) => Ok(()),
            Some(token) => verify_token(callback, token),
            None => Err(CallbackRefused::Unauthorized),
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
const PHRASES: [(&str, Verdict); 14] = [
    ("senderid", NotAccepted(Code::SenderNotAllowed)),
    ("sender id", NotAccepted(Code::SenderNotAllowed)),
    ("insufficient", NotAccepted(Code::ProviderBalance)),
    ("country inactive", NotAccepted(Code::ProviderUnavailable)),
    ("not set up on this route", NotAccepted(Code::ProviderUnavailable)),
    ("temporarily unavailable", NotAccepted(Code::ProviderUnavailable)),
    ("not active on your account", NotAccepted(Code::ProviderRejected)),
    ("account is not active", NotAccepted(Code::ProviderAuth)),
    ("daily limit", NotAccepted(Code::ProviderThrottled)),
    ("unauthorized", NotAccepted(Code::ProviderAuth)),
    ("api key", NotAccepted(Code::ProviderAuth)),
    ("dnd active", Rejected(Code::RecipientOptedOut)),
    ("phone number", Rejected(Code::InvalidRecipient)),
    ("invalid destination", Rejected(Code::InvalidRecipient)),
];

/// The words for how far a message has come.
#[rustfmt::skip]
const WORDS: [(&str, Progress); 11] = [
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
];

/// What an answer says.
fn outcome(answer: &Answer) -> Outcome {
    let said = answer.json::<Said>();
    let code = said.as_ref().and_then(|said| sms::word(&said.code));
    let id = said
        .as_ref()
        .and_then(|said| sms::word(&said.message_id_str).or_else(|| sms::word(&said.message_id)));
    let is_taken = code.as_deref().map_or(id.is_some(), |code| code.eq_ignore_ascii_case("ok"));
    let prose = said.map(|said| said.message.to_string()).unwrap_or_default();
    let vendor_code = answer.status.as_str();
    match (answer.status.as_u16(), sms::judge(&prose, &PHRASES)) {
        (200..=299, _) if is_taken => sms::accepted(id),
        (200..=299 | 400 | 404 | 422, Some(verdict)) => {
            verdict.outcome(vendor_code, answer.retry_after)
        }
        (402, _) => NotAccepted(Code::ProviderBalance).outcome(vendor_code, answer.retry_after),
        // The one path that is called always exists, so the address is wrong, not the message.
        (404 | 405, None) => {
            NotAccepted(Code::ProviderUnavailable).outcome(vendor_code, answer.retry_after)
        }
        _ => answer.by_status(),
    }
}

/// What the history says of a message: a list, or a page with one. It tells when the message was
/// made, not when its status changed.
fn found(answer: &Answer, id: &str, now: DateTime<Utc>) -> LookUp {
    if answer.status == StatusCode::NOT_FOUND {
        return LookUp::NotFound;
    }
    let Some(said) = answer.json::<Value>().filter(|_| answer.status.is_success()) else {
        return LookUp::Unavailable;
    };
    let lists = [&said, &said["data"], &said["content"], &said["data"]["content"]];
    let Some(list) = lists.into_iter().find_map(Value::as_array) else {
        return LookUp::Unavailable;
    };
    let is_it = |entry: &&Value| sms::word(&entry["message_id"]).as_deref() == Some(id);
    match list.iter().find(is_it).and_then(|entry| sms::word(&entry["status"])) {
        Some(status) => {
            let word = first_part(&status);
            sms::progress(word, &WORDS).map_or(LookUp::Waiting, |it| it.look_up(now, word))
        }
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
    let fields = Fields::of(callback).ok_or(CallbackRefused::Malformed)?;
    let kind = fields.get(&["type"]).unwrap_or_default();
    if kind == "inbound" {
        let (from, text) = (fields.get(&["sender"]), fields.get(&["message"]));
        let (Some(from), Some(text)) = (from, text) else { return Err(CallbackRefused::Malformed) };
        let at = fields.get(&["received_at"]).and_then(sms::time).unwrap_or(now);
        let inbound = sms::inbound(from, text, at).into_iter().collect();
        return Ok(Received { inbound, ..Received::default() });
    }
    if kind == "device_status" {
        return Ok(Received::default());
    }
    let id = fields.get(&["message_id_str", "message_id"]).ok_or(CallbackRefused::Malformed)?;
    let status = fields.get(&["status"]).map(first_part).ok_or(CallbackRefused::Malformed)?;
    let event = sms::progress(status, &WORDS).map(|progress| progress.event(now, status));
    Ok(sms::reported(About::Vendors(id.to_owned()), event))
}

#[cfg(test)]
mod tests;
