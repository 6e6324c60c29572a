//! Infobip: SMS over HTTP.
//!
//! Its documentation: <https://www.infobip.com/docs/api/channels/sms> for the calls and callbacks,
//! <https://www.infobip.com/docs/essentials/response-status-and-error-codes> for the codes. Every
//! account has a host of its own. Messages go by our own identifiers, in its reports as well. It
//! does not sign: the address that it is told to call has a token.

mod wire;

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::{
    callback::{About, Callback, CallbackRefused, Received, VendorReport},
    channel::Channel,
    delivery::FailureCode as Code,
    message::Message,
    provider::{Check, LookUp, Outcome},
};
use ports::{clock::Clock, providers::MessagingProvider};
use reqwest::{Url, header::HeaderValue};
use serde_json::Value;

use self::wire::{Balance, Destination, Entry, Envelope, Error, Request, Results, Said, Status};
use crate::{
    client::{Answer, HttpClient},
    declaration::{Declaration, DeclarationError, Deps},
    kind::{Callbacks, USUAL_PATIENCE, Vendor},
    signature::{token, verify_token},
    sms::{self, Bulk, Progress},
    verdict::Verdict::{self, NotAccepted, Rejected, Unknown},
};

/// Recipients of one call: as many as come in one of its reports.
const GROUP: usize = 100;

/// The balance, in the account's currency, below which it is good for a few texts only.
const LOW: f64 = 1.0;

pub(crate) const VENDOR: Vendor = Vendor {
    name: "infobip",
    channels: &[Channel::Sms],
    required: &["api_key"],
    optional: &[],
    options: &[],
    patience: USUAL_PATIENCE,
    callbacks: Callbacks::Token("api_key"),
    check: |declaration| Settings::read(declaration).map(drop),
    build,
};

struct Infobip {
    http: HttpClient,
    clock: Arc<dyn Clock>,
    settings: Settings,
    callback: String,
}

struct Settings {
    name: String,
    messages: Url,
    logs: Url,
    balance: Url,
    authorization: HeaderValue,
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
    Ok(Arc::new(Infobip { http, clock, settings, callback }))
}

impl Settings {
    fn read(declaration: &Declaration) -> Result<Self, DeclarationError> {
        let Some(base_url) = &declaration.base_url else {
            return Err(declaration.invalid("base_url", "is missing: every account has its own"));
        };
        let credential = declaration.credential("api_key")?;
        Ok(Self {
            name: declaration.name.clone(),
            messages: declaration.url(base_url, "/sms/3/messages")?,
            logs: declaration.url(base_url, "/sms/3/logs")?,
            balance: declaration.url(base_url, "/account/1/balance")?,
            authorization: sms::secret_header(declaration, "api_key", "App ")?,
            token: token(credential.expose(), &declaration.name),
            sender: declaration.sender.clone(),
            timeout: declaration.timeout(),
        })
    }
}

#[async_trait]
impl Bulk for Infobip {
    async fn hand_over(&self, messages: &[Message]) -> Result<Vec<Outcome>, Outcome> {
        let Some(first) = messages.first() else { return Ok(Vec::new()) };
        let Settings { messages: url, authorization, sender, timeout, .. } = &self.settings;
        let destination =
            |it: &Message| Destination { to: sms::digits(it).to_owned(), id: it.id.internal() };
        let sender = first.draft.sender.as_deref().or(sender.as_deref());
        let destinations = messages.iter().map(destination).collect();
        let envelope = Envelope::new(sender, destinations, &first.draft.body, &self.callback);
        let request = self
            .http
            .post(url.clone())
            .header("authorization", authorization.clone())
            .header("accept", "application/json")
            .json(&Request { messages: [envelope] });
        outcomes(&self.http.call(request, *timeout).await?, messages)
    }
}

#[async_trait]
impl MessagingProvider for Infobip {
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
        let Settings { name, logs, authorization, timeout, .. } = &self.settings;
        let request = self
            .http
            .get(logs.clone())
            .query(&[("messageId", message.id.internal())])
            .header("authorization", authorization.clone())
            .header("accept", "application/json");
        let is_taken = sms::reference(message, name).is_some();
        match self.http.call(request, *timeout).await {
            Ok(answer) => found(&answer, is_taken, self.clock.now()),
            Err(_) => LookUp::Unavailable,
        }
    }

    async fn check(&self) -> Check {
        let Settings { balance, authorization, timeout, .. } = &self.settings;
        let request = self
            .http
            .get(balance.clone())
            .header("authorization", authorization.clone())
            .header("accept", "application/json");
        match self.http.look(request, *timeout).await {
            Ok(answer) => {
                let Balance { balance, currency } = answer.json().unwrap_or_default();
                sms::balance(sms::amount(&balance), &currency, LOW)
            }
            Err(check) => check,
        }
    }

    fn can_be_answered(&self) -> bool {
        true
    }

    fn receive(&self, callback: &Callback) -> Result<Received, CallbackRefused> {
        verify_token(callback, &self.settings.token)?;
        received(callback, self.clock.now())
    }
}

/// The statuses of the group `REJECTED`, their names, and what they say. A duplicate is of a call
/// whose answer was lost.
#[rustfmt::skip]
const REJECTED: [(i64, &str, Verdict); 18] = [
    (6, "REJECTED_NETWORK", NotAccepted(Code::ProviderUnavailable)),
    (8, "REJECTED_PREFIX_MISSING", Rejected(Code::InvalidRecipient)),
    (10, "REJECTED_DND", Rejected(Code::RecipientOptedOut)),
    (11, "REJECTED_SOURCE", NotAccepted(Code::SenderNotAllowed)),
    (12, "REJECTED_NOT_ENOUGH_CREDITS", NotAccepted(Code::ProviderBalance)),
    (13, "REJECTED_SENDER", NotAccepted(Code::SenderNotAllowed)),
    (14, "REJECTED_DESTINATION_BLOCKLISTED", Rejected(Code::RecipientOptedOut)),
    (17, "REJECTED_PREPAID_PACKAGE_EXPIRED", NotAccepted(Code::ProviderBalance)),
    (18, "REJECTED_DESTINATION_NOT_REGISTERED", NotAccepted(Code::ProviderRejected)),
    (19, "REJECTED_ROUTE_NOT_AVAILABLE", NotAccepted(Code::ProviderUnavailable)),
    (20, "REJECTED_FLOODING_FILTER", NotAccepted(Code::ProviderThrottled)),
    (21, "REJECTED_SYSTEM_ERROR", NotAccepted(Code::ProviderUnavailable)),
    (23, "REJECTED_DUPLICATE_MESSAGE_ID", Unknown),
    (24, "REJECTED_INVALID_UDH", NotAccepted(Code::ProviderRejected)),
    (25, "REJECTED_MESSAGE_TOO_LONG", NotAccepted(Code::ProviderRejected)),
    (51, "MISSING_TO", Rejected(Code::InvalidRecipient)),
    (52, "REJECTED_DESTINATION", Rejected(Code::InvalidRecipient)),
    (100, "UNDELIVERABLE_REJECTED_PLATFORM", NotAccepted(Code::ProviderRejected)),
];

/// The networks' errors that say more than that a message did not arrive.
#[rustfmt::skip]
const ERRORS: [(&str, Code); 3] = [
    ("EC_UNKNOWN_SUBSCRIBER", Code::InvalidRecipient),
    ("EC_DEST_ADDRESS_BLACKLISTED", Code::RecipientOptedOut),
    ("EC_SENDERADDRESS_BLACKLISTED", Code::SenderNotAllowed),
];

/// `DELIVERED_TO_OPERATOR`, which is not the end.
const WITH_THE_OPERATOR: i64 = 2;
/// `EXPIRED_DLR_UNKNOWN`: nobody knows whether it arrived.
const NEVER_REPORTED: i64 = 29;

/// What an answer says of each message, or of the call.
fn outcomes(answer: &Answer, messages: &[Message]) -> Result<Vec<Outcome>, Outcome> {
    match answer.json::<Said>() {
        Some(Said { messages: mut entries }) if answer.status.is_success() => {
            let is_alone = messages.len() == 1 && entries.len() == 1;
            let outcome = |message: &Message| {
                let id = message.id.internal();
                let is_for = |entry: &Entry| is_alone || entry.is(&id);
                sms::take(&mut entries, is_for).map_or_else(sms::unmentioned, Entry::outcome)
            };
            Ok(messages.iter().map(outcome).collect())
        }
        _ if matches!(answer.status.as_u16(), 404 | 405) => {
            // The one path that is called always exists, so the address is wrong.
            let verdict = NotAccepted(Code::ProviderUnavailable);
            Err(verdict.outcome(answer.status.as_str(), answer.retry_after))
        }
        _ => Err(answer.by_status()),
    }
}

impl Entry {
    fn is(&self, id: &str) -> bool {
        self.message_id.as_deref() == Some(id)
    }

    /// What the answer to a text says of it.
    fn outcome(self) -> Outcome {
        let Status { id, group_name, name } = &self.status;
        match group_name.as_str() {
            "ACCEPTED" | "PENDING" | "DELIVERED" => sms::accepted(self.message_id),
            "REJECTED" | "UNDELIVERABLE" | "EXPIRED" => {
                let usual = NotAccepted(Code::ProviderRejected);
                verdict(*id).unwrap_or(usual).outcome(name, None)
            }
            _ => Unknown.outcome(name, None),
        }
    }

    /// How far a message has come, and Infobip's word for it.
    fn progress(&self) -> Option<(Progress, &str)> {
        let Status { id, group_name, name } = &self.status;
        let code = self.error.as_ref().and_then(Error::code);
        let progress = match group_name.as_str() {
            "ACCEPTED" | "PENDING" => Progress::Sent,
            "DELIVERED" if *id == WITH_THE_OPERATOR => Progress::Sent,
            "DELIVERED" => Progress::Delivered,
            "EXPIRED" if *id == NEVER_REPORTED => Progress::Sent,
            "EXPIRED" | "UNDELIVERABLE" => Progress::Failed(code.unwrap_or(Code::Undelivered)),
            "REJECTED" => {
                let code = code.or_else(|| verdict(*id).map(|verdict| verdict.of_taken(name).code));
                Progress::Failed(code.unwrap_or(Code::Undelivered))
            }
            _ => return None,
        };
        let error = self.error.as_ref().map(|error| error.name.as_str());
        Some((progress, error.filter(|name| !matches!(*name, "" | "NO_ERROR")).unwrap_or(name)))
    }

    fn at(&self) -> Option<DateTime<Utc>> {
        [&self.done_at, &self.sent_at].into_iter().flatten().find_map(|text| sms::time(text))
    }
}

impl Error {
    fn code(&self) -> Option<Code> {
        ERRORS.iter().find(|(known, _)| *known == self.name).map(|(_, code)| *code)
    }
}

fn verdict(id: i64) -> Option<Verdict> {
    REJECTED.iter().find(|(known, ..)| *known == id).map(|(.., verdict)| *verdict)
}

/// What the logs say of a message, which they keep for 48 hours.
fn found(answer: &Answer, is_taken: bool, now: DateTime<Utc>) -> LookUp {
    let Some(Results { results }) = answer.json().filter(|_| answer.status.is_success()) else {
        return LookUp::Unavailable;
    };
    let entry = results.into_iter().next().map(serde_json::from_value::<Entry>);
    match entry {
        Some(Ok(entry)) => entry.progress().map_or(LookUp::Waiting, |(progress, word)| {
            progress.look_up(entry.at().unwrap_or(now), word)
        }),
        Some(Err(_)) => LookUp::Unavailable,
        None if is_taken => LookUp::Waiting,
        None => LookUp::NotFound,
    }
}

/// What a callback that is known to be Infobip's says: reports, or texts that came in.
fn received(callback: &Callback, now: DateTime<Utc>) -> Result<Received, CallbackRefused> {
    let body = serde_json::from_slice::<Results>(&callback.body);
    let Results { results } = body.map_err(|_| CallbackRefused::Malformed)?;
    let mut received = Received::default();
    for result in results {
        if result["status"].is_object() {
            received.reports.extend(report(result, now));
        } else if let (Some(from), Some(text)) =
            (sms::word(&result["from"]), result["text"].as_str())
        {
            let at = result["receivedAt"].as_str().and_then(sms::time).unwrap_or(now);
            received.inbound.extend(sms::inbound(&from, text, at));
        }
    }
    Ok(received)
}

fn report(result: Value, now: DateTime<Utc>) -> Option<VendorReport> {
    let entry = serde_json::from_value::<Entry>(result).ok()?;
    let id = entry.message_id.clone()?;
    let (progress, word) = entry.progress()?;
    let event = progress.event(entry.at().unwrap_or(now), word);
    Some(VendorReport { about: sms::ours(&id).unwrap_or(About::Vendors(id)), event })
}

#[cfg(test)]
mod tests;
