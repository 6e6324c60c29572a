//! Arkesel: SMS over HTTP, in Ghana.
//!
//! Its documentation: <https://developers.arkesel.com/#tag/SMS-V2>, and its own client:
//! <https://github.com/ArkeselDev/arkesel-java-library>. It calls the address that comes with a
//! text, with `sms_id` and `status` in the query, and does not sign: the address has a token.

use std::sync::Arc;

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
    numbers::{digits, is_recipient},
    progress::{Progress, Words},
    verdict::{
        Phrases,
        Verdict::{NotAccepted, Rejected},
        accepted,
    },
    wire,
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
    check: |declaration| access(declaration).map(drop),
    build,
};

struct Arkesel {
    account: Account,
}

fn build(
    declaration: &Declaration,
    deps: &Deps,
) -> Result<Arc<dyn MessagingProvider>, DeclarationError> {
    Ok(Arc::new(Arkesel { account: Account::new(access(declaration)?, deps) }))
}

fn access(declaration: &Declaration) -> Result<Access, DeclarationError> {
    let api_key = Authorization::header(declaration, "api_key", "api-key")?;
    Access::read(declaration, USUAL_URL, api_key)
}

#[async_trait]
impl Bulk for Arkesel {
    async fn hand_over(&self, messages: &[Message]) -> Result<Vec<Outcome>, Outcome> {
        let Some(first) = messages.first() else { return Ok(Vec::new()) };
        let callback_url = match messages {
            [only] => format!("{}&message={}", self.account.callback_url(), only.id.internal()),
            _ => self.account.callback_url().to_owned(),
        };
        let request = self.account.post(&["api", "v2", "sms", "send"]).json(&Request {
            sender: self.account.sender(first),
            message: &first.draft.body,
            recipients: messages.iter().map(digits).collect(),
            callback_url,
        });
        outcomes(&self.account.call(request).await?, messages)
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
        let Some(id) = self.account.reference(message) else { return LookUp::Unavailable };
        let request = self.account.get(&["api", "v2", "sms", id]);
        self.account.ask(request, |answer| found(answer, self.account.now())).await
    }

    async fn check(&self) -> Check {
        let request = self.account.get(&["api", "v2", "clients", "balance-details"]);
        self.account.look(request, shown).await
    }

    fn receive(&self, callback: &Callback) -> Result<Received, CallbackRefused> {
        self.account.verify(callback)?;
        received(callback, self.account.now())
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
const PHRASES: Phrases = Phrases(&[
    ("sender", NotAccepted(Code::SenderNotAllowed)),
    ("insufficient", NotAccepted(Code::ProviderBalance)),
    ("spam", Rejected(Code::BlockedContent)),
    ("coverage", NotAccepted(Code::RecipientUnreachable)),
    ("gateway", NotAccepted(Code::ProviderUnavailable)),
    ("authentication", NotAccepted(Code::ProviderAuth)),
    ("api key", NotAccepted(Code::ProviderAuth)),
    ("recipient", Rejected(Code::InvalidRecipient)),
    ("phone number", Rejected(Code::InvalidRecipient)),
]);

/// The words for how far a message has come.
#[rustfmt::skip]
const WORDS: Words = Words(&[
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
]);

/// What an answer says of each message, or of the call.
fn outcomes(answer: &Answer, messages: &[Message]) -> Result<Vec<Outcome>, Outcome> {
    match answer.json::<Said>() {
        Some(said) if answer.status.is_success() && said.is_success() => {
            let (mut taken, mut invalid) = entries(&said.data);
            let outcome = |message: &Message| {
                let is_for = |number: &str| is_recipient(message, number);
                if let Some((_, id)) = take(&mut taken, |(number, _)| is_for(number)) {
                    accepted(Some(id))
                } else if take(&mut invalid, |number| is_for(number)).is_some() {
                    Rejected(Code::InvalidRecipient).outcome("invalid numbers", None)
                } else {
                    unmentioned()
                }
            };
            Ok(messages.iter().map(outcome).collect())
        }
        said => {
            let prose = said.map(|said| format!("{} {}", said.message, said.errors));
            let verdict = prose.and_then(|prose| PHRASES.judge(&prose));
            Err(answer.refused(verdict, answer.status.as_str()))
        }
    }
}

/// The recipients that were taken, with their identifiers, and those that were not.
fn entries(data: &Value) -> (Vec<(String, String)>, Vec<String>) {
    let entries = data.as_array().map_or(std::slice::from_ref(data), Vec::as_slice);
    let taken = entries
        .iter()
        .filter_map(|entry| Some((wire::word(&entry["recipient"])?, wire::word(&entry["id"])?)));
    let invalid = entries.iter().filter_map(|entry| entry["invalid numbers"].as_array());
    (taken.collect(), invalid.flatten().filter_map(wire::word).collect())
}

/// What the answer to a question says. `sent_at_time` is not when the status changed.
fn found(answer: &Answer, now: DateTime<Utc>) -> LookUp {
    if answer.status == StatusCode::NOT_FOUND {
        return LookUp::NotFound;
    }
    let said = answer.success::<Said>().filter(Said::is_success);
    let word = said.and_then(|said| wire::word(&said.data["status"]));
    word.map_or(LookUp::Unavailable, |word| WORDS.look_up(&word, now))
}

/// What the balance shows: texts that were paid for, and money to pay for more.
fn shown(answer: &Answer) -> Check {
    let data = answer.json::<Said>().map(|said| said.data).unwrap_or_default();
    let (texts, money) = (wire::amount(&data["sms_balance"]), wire::amount(&data["main_balance"]));
    match money {
        Some(money) if texts.unwrap_or_default() < LOW && money >= 1.0 => {
            health::balance(Some(money), "of money", 1.0)
        }
        _ => health::balance(texts, "texts", LOW),
    }
}

/// What a callback that is known to be Arkesel's says.
fn received(callback: &Callback, now: DateTime<Utc>) -> Result<Received, CallbackRefused> {
    let fields = Fields::of(callback)?;
    let status = fields.required(&["status"])?;
    let vendors = || Some(About::Vendors(fields.get(&["sms_id"])?.to_owned()));
    // Who appends "?sms_id=…" to an address that has a query already spoils its last field.
    let message = fields.get(&["message"]).and_then(|text| text.split('?').next());
    let about = message.and_then(ours).or_else(vendors).ok_or(CallbackRefused::Malformed)?;
    Ok(reported(about, WORDS.event(status, now)))
}

#[cfg(test)]
mod tests;
