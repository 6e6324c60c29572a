//! Arkesel: SMS over HTTP, in Ghana.
//!
//! Its documentation: <https://developers.arkesel.com/#tag/SMS-V2>. It calls the address that
//! comes with a text, with `sms_id` and `status` in the query, and does not sign: the address has
//! a token.

use std::{sync::Arc, time::Duration};

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
use reqwest::{StatusCode, Url, header::HeaderValue};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    client::{Answer, HttpClient},
    declaration::{Declaration, DeclarationError, Deps},
    kind::{Callbacks, USUAL_PATIENCE, Vendor},
    signature::{token, verify_token},
    sms::{self, Bulk, Fields, Progress},
    verdict::Verdict::{self, NotAccepted, Rejected},
};

const USUAL_URL: &str = "https://sms.arkesel.com";

/// Recipients of one call. Arkesel names no limit.
const GROUP: usize = 100;

/// The number of texts below which the account is nearly empty.
const LOW: f64 = 10.0;

pub(crate) const VENDOR: Vendor = Vendor {
    name: "arkesel",
    channels: &[Channel::Sms],
    required: &["api_key"],
    optional: &[],
    options: &[],
    patience: USUAL_PATIENCE,
    callbacks: Callbacks::Token("api_key"),
    check: |declaration| Settings::read(declaration).map(drop),
    build,
};

struct Arkesel {
    http: HttpClient,
    clock: Arc<dyn Clock>,
    settings: Settings,
    callback: String,
}

struct Settings {
    name: String,
    texts: Url,
    balance: Url,
    api_key: HeaderValue,
    token: String,
    sender: Option<String>,
    timeout: Duration,
}

fn build(
    declaration: &Declaration,
    deps: &Deps,
) -> Result<Arc<dyn MessagingProvider>, DeclarationError> {
    let settings = Settings::read(declaration)?;
    let callback = deps.callback_url(&declaration.name, Some(&settings.token));
    let (http, clock) = (deps.http.clone(), deps.clock.clone());
    Ok(Arc::new(Arkesel { http, clock, settings, callback }))
}

impl Settings {
    fn read(declaration: &Declaration) -> Result<Self, DeclarationError> {
        let credential = declaration.credential("api_key")?;
        Ok(Self {
            name: declaration.name.clone(),
            texts: declaration.url(USUAL_URL, "/api/v2/sms")?,
            balance: declaration.url(USUAL_URL, "/api/v2/clients/balance-details")?,
            api_key: sms::secret_header(declaration, "api_key", "")?,
            token: token(credential.expose(), &declaration.name),
            sender: declaration.sender.clone(),
            timeout: declaration.timeout(),
        })
    }
}

#[async_trait]
impl Bulk for Arkesel {
    async fn hand_over(&self, messages: &[Message]) -> Result<Vec<Outcome>, Outcome> {
        let Some(first) = messages.first() else { return Ok(Vec::new()) };
        let Settings { texts, api_key, sender, timeout, .. } = &self.settings;
        let callback_url = match messages {
            [only] => format!("{}&message={}", self.callback, only.id.internal()),
            _ => self.callback.clone(),
        };
        let request =
            self.http.post(sms::below(texts, "send")).header("api-key", api_key.clone()).json(
                &Request {
                    sender: first.draft.sender.as_deref().or(sender.as_deref()),
                    message: &first.draft.body,
                    recipients: messages.iter().map(sms::digits).collect(),
                    callback_url,
                },
            );
        outcomes(&self.http.call(request, *timeout).await?, messages)
    }
}

#[async_trait]
impl MessagingProvider for Arkesel {
    async fn send(&self, message: &Message) -> Outcome {
        self.send_one(message).await
    }

    fn group_limit(&self) -> usize {
        GROUP
    }

    async fn send_group(&self, messages: &[Message]) -> Vec<Outcome> {
        self.send_many(messages).await
    }

    async fn look_up(&self, message: &Message) -> LookUp {
        let Settings { name, texts, api_key, timeout, .. } = &self.settings;
        let Some(id) = sms::reference(message, name) else { return LookUp::Unavailable };
        let request = self.http.get(sms::below(texts, id)).header("api-key", api_key.clone());
        match self.http.call(request, *timeout).await {
            Ok(answer) => found(&answer, self.clock.now()),
            Err(_) => LookUp::Unavailable,
        }
    }

    async fn check(&self) -> Check {
        let Settings { balance, api_key, timeout, .. } = &self.settings;
        let request = self.http.get(balance.clone()).header("api-key", api_key.clone());
        match self.http.look(request, *timeout).await {
            Ok(answer) => checked(&answer),
            Err(check) => check,
        }
    }

    fn receive(&self, callback: &Callback) -> Result<Received, CallbackRefused> {
        verify_token(callback, &self.settings.token)?;
        received(callback, self.clock.now())
    }
}

#[derive(Serialize)]
struct Request<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    sender: Option<&'a str>,
    message: &'a str,
    recipients: Vec<&'a str>,
    callback_url: String,
}

/// What it answers to anything. `data` of a text mixes entries of two kinds: a recipient with its
/// `id`, and the list of `invalid numbers`.
#[derive(Deserialize)]
struct Said {
    status: Value,
    #[serde(default)]
    message: Value,
    #[serde(default)]
    errors: Value,
    #[serde(default)]
    data: Value,
}

impl Said {
    fn is_success(&self) -> bool {
        self.status == "success"
    }
}

/// Phrases in the prose of a refusal, which comes with 400, 422 or even 200. One that names the
/// sender may name a number as well.
#[rustfmt::skip]
const PHRASES: [(&str, Verdict); 9] = [
    ("sender", NotAccepted(Code::SenderNotAllowed)),
    ("insufficient", NotAccepted(Code::ProviderBalance)),
    ("spam", Rejected(Code::BlockedContent)),
    ("coverage", NotAccepted(Code::ProviderUnavailable)),
    ("gateway", NotAccepted(Code::ProviderUnavailable)),
    ("authentication", NotAccepted(Code::ProviderAuth)),
    ("api key", NotAccepted(Code::ProviderAuth)),
    ("recipient", Rejected(Code::InvalidRecipient)),
    ("phone number", Rejected(Code::InvalidRecipient)),
];

/// The words for how far a message has come.
#[rustfmt::skip]
const WORDS: [(&str, Progress); 11] = [
    ("queued", Progress::Sent),
    ("pending", Progress::Sent),
    ("submitted", Progress::Sent),
    ("sent", Progress::Sent),
    ("delivered", Progress::Delivered),
    ("not_delivered", Progress::Failed(Code::Undelivered)),
    ("undelivered", Progress::Failed(Code::Undelivered)),
    ("expired", Progress::Failed(Code::Undelivered)),
    ("failed", Progress::Failed(Code::Undelivered)),
    ("rejected", Progress::Failed(Code::Undelivered)),
    ("prohibited", Progress::Failed(Code::BlockedContent)),
];

/// What an answer says of each message, or of the call.
fn outcomes(answer: &Answer, messages: &[Message]) -> Result<Vec<Outcome>, Outcome> {
    match answer.json::<Said>() {
        Some(said) if answer.status.is_success() && said.is_success() => {
            let (mut taken, mut invalid) = entries(&said.data);
            let outcome = |message: &Message| {
                let is_for = |number: &str| sms::is_recipient(message, number);
                if let Some((_, id)) = sms::take(&mut taken, |(number, _)| is_for(number)) {
                    sms::accepted(Some(id))
                } else if sms::take(&mut invalid, |number| is_for(number)).is_some() {
                    Rejected(Code::InvalidRecipient).outcome("invalid numbers", None)
                } else {
                    sms::unmentioned()
                }
            };
            Ok(messages.iter().map(outcome).collect())
        }
        said => Err(refusal(answer, said.as_ref())),
    }
}

/// The recipients that were taken, with their identifiers, and those that were not.
fn entries(data: &Value) -> (Vec<(String, String)>, Vec<String>) {
    let entries = data.as_array().map_or(std::slice::from_ref(data), Vec::as_slice);
    let taken = entries
        .iter()
        .filter_map(|entry| Some((sms::word(&entry["recipient"])?, sms::word(&entry["id"])?)));
    let invalid = entries.iter().filter_map(|entry| entry["invalid numbers"].as_array());
    (taken.collect(), invalid.flatten().filter_map(sms::word).collect())
}

fn refusal(answer: &Answer, said: Option<&Said>) -> Outcome {
    let prose = said.map(|said| format!("{} {}", said.message, said.errors)).unwrap_or_default();
    let vendor_code = answer.status.as_str();
    match (answer.status.as_u16(), sms::judge(&prose, &PHRASES)) {
        (402, _) => NotAccepted(Code::ProviderBalance).outcome(vendor_code, answer.retry_after),
        (200..=299 | 400 | 404 | 422, Some(verdict)) => {
            verdict.outcome(vendor_code, answer.retry_after)
        }
        // The one path that is called always exists, so the address is wrong, not the message.
        (404 | 405, None) => {
            NotAccepted(Code::ProviderUnavailable).outcome(vendor_code, answer.retry_after)
        }
        _ => answer.by_status(),
    }
}

/// What the answer to a question says. `sent_at_time` is not when the status changed.
fn found(answer: &Answer, now: DateTime<Utc>) -> LookUp {
    if answer.status == StatusCode::NOT_FOUND {
        return LookUp::NotFound;
    }
    let said = answer.json::<Said>().filter(|said| answer.status.is_success() && said.is_success());
    match said.and_then(|said| sms::word(&said.data["status"])) {
        Some(word) => {
            sms::progress(&word, &WORDS).map_or(LookUp::Waiting, |it| it.look_up(now, &word))
        }
        None => LookUp::Unavailable,
    }
}

/// What the balance shows: texts that were paid for, and money to pay for more.
fn checked(answer: &Answer) -> Check {
    let data = answer.json::<Said>().map(|said| said.data).unwrap_or_default();
    let (texts, money) = (sms::amount(&data["sms_balance"]), sms::amount(&data["main_balance"]));
    match money {
        Some(money) if texts.unwrap_or_default() < LOW && money >= 1.0 => {
            sms::balance(Some(money), "of money", 1.0)
        }
        _ => sms::balance(texts, "texts", LOW),
    }
}

/// What a callback that is known to be Arkesel's says.
fn received(callback: &Callback, now: DateTime<Utc>) -> Result<Received, CallbackRefused> {
    let fields = Fields::of(callback).ok_or(CallbackRefused::Malformed)?;
    let status = fields.get(&["status"]).ok_or(CallbackRefused::Malformed)?;
    let vendors = || Some(About::Vendors(fields.get(&["sms_id"])?.to_owned()));
    // Who appends "?sms_id=…" to an address that has a query already spoils its last field.
    let message = fields.get(&["message"]).and_then(|text| text.split('?').next());
    let about = message.and_then(sms::ours).or_else(vendors);
    let event = sms::progress(status, &WORDS).map(|progress| progress.event(now, status));
    Ok(sms::reported(about.ok_or(CallbackRefused::Malformed)?, event))
}

#[cfg(test)]
mod tests;
