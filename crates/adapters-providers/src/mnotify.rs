//! mNotify: SMS over HTTP, in Ghana.
//!
//! Its documentation: <https://readthedocs.mnotify.com/>. The fields of its answers are those that
//! <https://github.com/Adjanour/mnotify-ts-sdk> reads. No page was found that names the codes which
//! this version of its interface gives to refusals.
//!
//! The key travels in the query, for it takes it nowhere else. It makes no callbacks: a message is
//! asked for by its campaign, which all recipients of a call share.

use std::sync::Arc;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::{
    channel::Channel,
    delivery::FailureCode as Code,
    message::Message,
    provider::{Check, LookUp, Outcome},
};
use ports::providers::MessagingProvider;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    account::{Access, Account, Authorization},
    answer::Answer,
    bulk::{Bulk, unmentioned},
    declaration::{Declaration, DeclarationError, Deps},
    health,
    kind::{Callbacks, USUAL_PATIENCE, Vendor},
    numbers::{digits, is_recipient},
    progress::{Progress, Words},
    verdict::{
        Codes, Phrases,
        Verdict::{NotAccepted, Rejected, Unknown},
        accepted,
    },
    wire,
};

const USUAL_URL: &str = "https://api.mnotify.com";

/// The report of a campaign repeats the text for each recipient, and must stay readable.
const GROUP: usize = 50;

/// The number of texts below which the account is nearly empty.
const LOW: f64 = 10.0;

pub(crate) const VENDOR: Vendor = Vendor {
    name: "mnotify",
    channels: &[Channel::Sms],
    required: &["api_key"],
    optional: &[],
    options: &[],
    patience: USUAL_PATIENCE,
    callbacks: Callbacks::None,
    check: |declaration| access(declaration).map(drop),
    build,
};

struct Mnotify {
    account: Account,
}

fn build(
    declaration: &Declaration,
    deps: &Deps,
) -> Result<Arc<dyn MessagingProvider>, DeclarationError> {
    Ok(Arc::new(Mnotify { account: Account::new(access(declaration)?, deps) }))
}

fn access(declaration: &Declaration) -> Result<Access, DeclarationError> {
    let key = declaration.credential("api_key")?.clone();
    Access::read(declaration, USUAL_URL, Authorization::Query("key", key))
}

#[async_trait]
impl Bulk for Mnotify {
    async fn hand_over(&self, messages: &[Message]) -> Result<Vec<Outcome>, Outcome> {
        let Some(first) = messages.first() else { return Ok(Vec::new()) };
        let request = self.account.post(&["api", "sms", "quick"]).json(&Request {
            recipient: messages.iter().map(number).collect(),
            sender: self.account.sender(first),
            message: &first.draft.body,
            is_schedule: false,
            schedule_date: "",
        });
        outcomes(&self.account.call(request).await?, messages)
    }
}

#[async_trait]
impl MessagingProvider for Mnotify {
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
        let request = self.account.get(&["api", "campaign", id]);
        self.account.ask(request, |answer| found(answer, message, self.account.now())).await
    }

    async fn check(&self) -> Check {
        let request = self.account.get(&["api", "balance", "sms"]);
        self.account.look(request, shown).await
    }
}

#[derive(Serialize)]
struct Request<'a> {
    recipient: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sender: Option<&'a str>,
    message: &'a str,
    is_schedule: bool,
    schedule_date: &'a str,
}

/// What it answers to texts. With a refusal there is no summary.
#[derive(Deserialize)]
struct Said {
    status: Value,
    #[serde(default)]
    code: Value,
    #[serde(default)]
    message: Value,
    #[serde(default)]
    summary: Summary,
}

#[derive(Deserialize, Default)]
struct Summary {
    #[serde(default, rename = "_id")]
    id: Value,
    #[serde(default)]
    total_sent: u64,
    #[serde(default)]
    total_rejected: u64,
    /// Empty as well when nobody was left out.
    #[serde(default)]
    numbers_sent: Vec<Value>,
}

#[derive(Deserialize)]
struct Campaign {
    status: Value,
    #[serde(default)]
    report: Vec<Entry>,
}

#[derive(Deserialize)]
struct Entry {
    recipient: Value,
    status: String,
}

#[derive(Deserialize)]
struct Credit {
    #[serde(default)]
    status: Value,
    #[serde(default)]
    balance: Value,
    #[serde(default)]
    bonus: Value,
}

/// The code of a success.
const TAKEN: &str = "2000";

/// The codes of refusals. The first version of the interface
/// documents them; the second names them in prose mostly.
#[rustfmt::skip]
const CODES: Codes<&str> = Codes(&[
    ("1002", "sending failed", Unknown),
    ("1003", "insufficient balance", NotAccepted(Code::ProviderBalance)),
    ("1004", "invalid API key", NotAccepted(Code::ProviderAuth)),
    ("1005", "invalid phone number", Rejected(Code::InvalidRecipient)),
    ("1006", "invalid sender", NotAccepted(Code::SenderNotAllowed)),
    ("1008", "empty message", NotAccepted(Code::ProviderRejected)),
    ("1011", "numeric senders are not allowed", NotAccepted(Code::SenderNotAllowed)),
    ("1012", "the sender is not registered", NotAccepted(Code::SenderNotAllowed)),
]);

/// Phrases in the prose of a refusal. One that names the sender may name a number as well.
#[rustfmt::skip]
const PHRASES: Phrases = Phrases(&[
    ("sender", NotAccepted(Code::SenderNotAllowed)),
    ("insufficient", NotAccepted(Code::ProviderBalance)),
    ("not enough", NotAccepted(Code::ProviderBalance)),
    ("api key", NotAccepted(Code::ProviderAuth)),
    ("unauthori", NotAccepted(Code::ProviderAuth)),
    ("invalid recipient", Rejected(Code::InvalidRecipient)),
    ("invalid phone", Rejected(Code::InvalidRecipient)),
    ("invalid number", Rejected(Code::InvalidRecipient)),
    ("message is", NotAccepted(Code::ProviderRejected)),
]);

/// The words for how far a message has come.
#[rustfmt::skip]
const WORDS: Words = Words(&[
    ("queued", Progress::Sent),
    ("pending", Progress::Sent),
    ("submitted", Progress::Sent),
    ("sent", Progress::Sent),
    ("delivered", Progress::Delivered),
    ("delivrd", Progress::Delivered),
    ("undelivered", Progress::Failed(Code::Undelivered)),
    ("undeliv", Progress::Failed(Code::Undelivered)),
    ("not_delivered", Progress::Failed(Code::Undelivered)),
    ("rejected", Progress::Failed(Code::Undelivered)),
    ("rejectd", Progress::Failed(Code::Undelivered)),
    ("expired", Progress::Failed(Code::Undelivered)),
    ("failed", Progress::Failed(Code::Undelivered)),
]);

/// The recipient as mNotify writes numbers: those of Ghana as they are dialled there.
fn number(message: &Message) -> String {
    let digits = digits(message);
    digits.strip_prefix("233").map_or_else(|| digits.to_owned(), |national| format!("0{national}"))
}

/// What an answer says of each message, or of the call.
fn outcomes(answer: &Answer, messages: &[Message]) -> Result<Vec<Outcome>, Outcome> {
    let said = answer.json::<Said>();
    match said {
        Some(said) if answer.status.is_success() && is_success(&said) => {
            Ok(messages.iter().map(|message| said.summary.outcome(message)).collect())
        }
        said => Err(refusal(answer, said.as_ref())),
    }
}

fn is_success(said: &Said) -> bool {
    let code = wire::word(&said.code);
    said.status == "success" && code.is_none_or(|code| code == TAKEN)
}

impl Summary {
    fn outcome(&self, message: &Message) -> Outcome {
        let taken = || accepted(wire::word(&self.id));
        let is_named = |number: &Value| {
            wire::word(number).is_some_and(|number| is_recipient(message, &number))
        };
        let rejected = Rejected(Code::InvalidRecipient).outcome("rejected", None);
        match (self.total_sent, self.total_rejected) {
            (1.., 0) => taken(),
            (0, 1..) => rejected,
            (1.., 1..) if self.numbers_sent.iter().any(is_named) => taken(),
            (1.., 1..) if !self.numbers_sent.is_empty() => rejected,
            _ => unmentioned(),
        }
    }
}

fn refusal(answer: &Answer, said: Option<&Said>) -> Outcome {
    let code = said.and_then(|said| wire::word(&said.code));
    let prose = said.and_then(|said| wire::word(&said.message)).unwrap_or_default();
    let known = code.as_deref().and_then(|code| CODES.get(code));
    let vendor_code = code.as_deref().unwrap_or(answer.status.as_str());
    answer.refused(known.or_else(|| PHRASES.judge(&prose)), vendor_code)
}

/// What the report of a campaign says of a message.
fn found(answer: &Answer, message: &Message, now: DateTime<Utc>) -> LookUp {
    let Some(campaign) = answer.success::<Campaign>() else {
        return LookUp::Unavailable;
    };
    if campaign.status != "success" {
        return LookUp::Unavailable;
    }
    let is_for = |entry: &&Entry| {
        wire::word(&entry.recipient).is_some_and(|number| is_recipient(message, &number))
    };
    let Some(Entry { status, .. }) = campaign.report.iter().find(is_for) else {
        return LookUp::Waiting;
    };
    WORDS.look_up(status, now)
}

/// What the balance shows: a wrong key comes with a success, too.
fn shown(answer: &Answer) -> Check {
    match answer.json::<Credit>() {
        Some(Credit { status, balance, bonus }) if status == "success" => {
            let bonus = wire::amount(&bonus).unwrap_or_default();
            health::balance(wire::amount(&balance).map(|balance| balance + bonus), "texts", LOW)
        }
        _ => health::down("the provider does not tell the balance"),
    }
}

#[cfg(test)]
mod tests;
