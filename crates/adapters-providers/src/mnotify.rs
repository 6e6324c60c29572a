//! mNotify: SMS over HTTP, in Ghana.
//!
//! Its documentation: <https://readthedocs.mnotify.com/>. The key travels in the query, for it
//! takes it nowhere else. It makes no callbacks: a message is asked for by its campaign, which all
//! recipients of a call share.

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::{
    channel::Channel,
    delivery::FailureCode as Code,
    message::Message,
    provider::{Check, CheckStatus, LookUp, Outcome},
};
use ports::{clock::Clock, providers::MessagingProvider};
use reqwest::Url;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    client::{Answer, HttpClient},
    declaration::{Declaration, DeclarationError, Deps},
    kind::{Callbacks, USUAL_PATIENCE, Vendor},
    secret::Secret,
    sms::{self, Bulk, Progress},
    verdict::Verdict::{self, NotAccepted, Rejected, Unknown},
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
    check: |declaration| Settings::read(declaration).map(drop),
    build,
};

struct Mnotify {
    http: HttpClient,
    clock: Arc<dyn Clock>,
    settings: Settings,
}

struct Settings {
    name: String,
    quick: Url,
    campaign: Url,
    balance: Url,
    api_key: Secret,
    sender: Option<String>,
    timeout: Duration,
}

fn build(
    declaration: &Declaration,
    deps: &Deps,
) -> Result<Arc<dyn MessagingProvider>, DeclarationError> {
    let settings = Settings::read(declaration)?;
    Ok(Arc::new(Mnotify { http: deps.http.clone(), clock: deps.clock.clone(), settings }))
}

impl Settings {
    fn read(declaration: &Declaration) -> Result<Self, DeclarationError> {
        Ok(Self {
            name: declaration.name.clone(),
            quick: declaration.url(USUAL_URL, "/api/sms/quick")?,
            campaign: declaration.url(USUAL_URL, "/api/campaign")?,
            balance: declaration.url(USUAL_URL, "/api/balance/sms")?,
            api_key: declaration.credential("api_key")?.clone(),
            sender: declaration.sender.clone(),
            timeout: declaration.timeout(),
        })
    }

    fn key(&self) -> [(&str, &str); 1] {
        [("key", self.api_key.expose())]
    }
}

#[async_trait]
impl Bulk for Mnotify {
    async fn hand_over(&self, messages: &[Message]) -> Result<Vec<Outcome>, Outcome> {
        let Some(first) = messages.first() else { return Ok(Vec::new()) };
        let Settings { quick, sender, timeout, .. } = &self.settings;
        let request = self.http.post(quick.clone()).query(&self.settings.key()).json(&Request {
            recipient: messages.iter().map(number).collect(),
            sender: first.draft.sender.as_deref().or(sender.as_deref()),
            message: &first.draft.body,
            is_schedule: false,
            schedule_date: "",
        });
        outcomes(&self.http.call(request, *timeout).await?, messages)
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
        let Settings { name, campaign, timeout, .. } = &self.settings;
        let Some(id) = sms::reference(message, name) else { return LookUp::Unavailable };
        let request = self.http.get(sms::below(campaign, id)).query(&self.settings.key());
        match self.http.call(request, *timeout).await {
            Ok(answer) => found(&answer, message, self.clock.now()),
            Err(_) => LookUp::Unavailable,
        }
    }

    async fn check(&self) -> Check {
        let Settings { balance, timeout, .. } = &self.settings;
        let request = self.http.get(balance.clone()).query(&self.settings.key());
        match self.http.look(request, *timeout).await {
            Ok(answer) => checked(&answer),
            Err(check) => check,
        }
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
struct Account {
    #[serde(default)]
    status: Value,
    #[serde(default)]
    balance: Value,
    #[serde(default)]
    bonus: Value,
}

/// The code of a success.
const TAKEN: &str = "2000";

/// The codes of refusals, what they mean, and what that says. The first version of the interface
/// documents them; the second names them in prose mostly.
#[rustfmt::skip]
const CODES: [(&str, &str, Verdict); 8] = [
    ("1002", "sending failed", Unknown),
    ("1003", "insufficient balance", NotAccepted(Code::ProviderBalance)),
    ("1004", "invalid API key", NotAccepted(Code::ProviderAuth)),
    ("1005", "invalid phone number", Rejected(Code::InvalidRecipient)),
    ("1006", "invalid sender", NotAccepted(Code::SenderNotAllowed)),
    ("1008", "empty message", NotAccepted(Code::ProviderRejected)),
    ("1011", "numeric senders are not allowed", NotAccepted(Code::SenderNotAllowed)),
    ("1012", "the sender is not registered", NotAccepted(Code::SenderNotAllowed)),
];

/// Phrases in the prose of a refusal. One that names the sender may name a number as well.
#[rustfmt::skip]
const PHRASES: [(&str, Verdict); 9] = [
    ("sender", NotAccepted(Code::SenderNotAllowed)),
    ("insufficient", NotAccepted(Code::ProviderBalance)),
    ("not enough", NotAccepted(Code::ProviderBalance)),
    ("api key", NotAccepted(Code::ProviderAuth)),
    ("unauthori", NotAccepted(Code::ProviderAuth)),
    ("invalid recipient", Rejected(Code::InvalidRecipient)),
    ("invalid phone", Rejected(Code::InvalidRecipient)),
    ("invalid number", Rejected(Code::InvalidRecipient)),
    ("message is", NotAccepted(Code::ProviderRejected)),
];

/// The words for how far a message has come.
#[rustfmt::skip]
const WORDS: [(&str, Progress); 13] = [
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
];

/// The recipient as mNotify writes numbers: those of Ghana as they are dialled there.
fn number(message: &Message) -> String {
    let digits = sms::digits(message);
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
    let code = sms::word(&said.code);
    said.status == "success" && code.is_none_or(|code| code == TAKEN)
}

impl Summary {
    fn outcome(&self, message: &Message) -> Outcome {
        let accepted = || sms::accepted(sms::word(&self.id));
        let is_named = |number: &Value| {
            sms::word(number).is_some_and(|number| sms::is_recipient(message, &number))
        };
        let rejected = Rejected(Code::InvalidRecipient).outcome("rejected", None);
        match (self.total_sent, self.total_rejected) {
            (1.., 0) => accepted(),
            (0, 1..) => rejected,
            (1.., 1..) if self.numbers_sent.iter().any(is_named) => accepted(),
            (1.., 1..) if !self.numbers_sent.is_empty() => rejected,
            _ => sms::unmentioned(),
        }
    }
}

fn refusal(answer: &Answer, said: Option<&Said>) -> Outcome {
    let code = said.and_then(|said| sms::word(&said.code));
    let known = CODES.iter().find(|(known, ..)| Some(*known) == code.as_deref());
    let prose = said.and_then(|said| sms::word(&said.message)).unwrap_or_default();
    let phrase = || sms::judge(&prose, &PHRASES);
    let verdict = known.map(|(.., verdict)| *verdict).or_else(phrase);
    let vendor_code = code.as_deref().unwrap_or(answer.status.as_str());
    match (answer.status.as_u16(), verdict) {
        (200..=299 | 400 | 404 | 422, Some(verdict)) => {
            verdict.outcome(vendor_code, answer.retry_after)
        }
        (402, _) => NotAccepted(Code::ProviderBalance).outcome("402", answer.retry_after),
        // The one path that is called always exists, so the address is wrong, not the message.
        (404 | 405, None) => {
            NotAccepted(Code::ProviderUnavailable).outcome(vendor_code, answer.retry_after)
        }
        _ => answer.by_status(),
    }
}

/// What the report of a campaign says of a message.
fn found(answer: &Answer, message: &Message, now: DateTime<Utc>) -> LookUp {
    let Some(campaign) = answer.json::<Campaign>().filter(|_| answer.status.is_success()) else {
        return LookUp::Unavailable;
    };
    if campaign.status != "success" {
        return LookUp::Unavailable;
    }
    let is_for = |entry: &&Entry| {
        sms::word(&entry.recipient).is_some_and(|number| sms::is_recipient(message, &number))
    };
    let Some(Entry { status, .. }) = campaign.report.iter().find(is_for) else {
        return LookUp::Waiting;
    };
    sms::progress(status, &WORDS).map_or(LookUp::Waiting, |it| it.look_up(now, status))
}

/// What the balance shows: a wrong key comes with a success, too.
fn checked(answer: &Answer) -> Check {
    match answer.json::<Account>() {
        Some(Account { status, balance, bonus }) if status == "success" => {
            let bonus = sms::amount(&bonus).unwrap_or_default();
            sms::balance(sms::amount(&balance).map(|balance| balance + bonus), "texts", LOW)
        }
        _ => {
            let message = "the provider does not tell the balance".to_owned();
            Check { status: CheckStatus::Down, message }
        }
    }
}

#[cfg(test)]
mod tests;
