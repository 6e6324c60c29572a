//! Infobip: SMS over HTTP.
//!
//! Its documentation: <https://www.infobip.com/docs/api/channels/sms> for the calls and callbacks,
//! <https://www.infobip.com/docs/essentials/response-status-and-error-codes> for the codes. The
//! requests follow the models that Infobip makes of its OpenAPI document:
//! <https://github.com/infobip/infobip-api-python-client/tree/master/infobip_api_client/models>
//! (`SmsMessage`, `SmsDestination`, `SmsWebhooks`).
//!
//! Every account has a host of its own. Messages go by our own identifiers, in its reports as well.
//! It does not sign: the address that it is told to call has a token.

mod wire;

use std::sync::Arc;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::{
    callback::{About, Callback, CallbackRefused, Received, VendorReport},
    channel::Channel,
    delivery::FailureCode as Code,
    message::Message,
    provider::{Check, LookUp, Outcome},
};
use ports::providers::MessagingProvider;
use serde_json::Value;

use self::wire::{
    Balance, Destination, Entry, Envelope, Error, Request, Results, Said, Status, Validity,
};
use crate::{
    account::{Access, Account, Authorization},
    answer::Answer,
    bulk::{Bulk, take, unmentioned},
    callbacks::ours,
    declaration::{Declaration, DeclarationError, Deps},
    health,
    kind::{Callbacks, USUAL_PATIENCE, Vendor},
    numbers::{digits, inbound},
    progress::Progress,
    verdict::{
        Codes,
        Verdict::{NotAccepted, Rejected, Unknown},
        accepted,
    },
    wire::{amount, seconds_left, time, word},
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
    check: |declaration| access(declaration).map(drop),
    build,
};

struct Infobip {
    account: Account,
}

fn build(
    declaration: &Declaration,
    deps: &Deps,
) -> Result<Arc<dyn MessagingProvider>, DeclarationError> {
    Ok(Arc::new(Infobip { account: Account::new(access(declaration)?, deps) }))
}

fn access(declaration: &Declaration) -> Result<Access, DeclarationError> {
    let Some(base_url) = &declaration.base_url else {
        return Err(declaration.invalid("base_url", "is missing: every account has its own"));
    };
    Access::read(declaration, base_url, Authorization::scheme(declaration, "api_key", "App ")?)
}

#[async_trait]
impl Bulk for Infobip {
    async fn hand_over(&self, messages: &[Message]) -> Result<Vec<Outcome>, Outcome> {
        let Some(first) = messages.first() else { return Ok(Vec::new()) };
        let destination =
            |it: &Message| Destination { to: digits(it).to_owned(), id: it.id.internal() };
        let destinations = messages.iter().map(destination).collect();
        let (sender, callback) = (self.account.sender(first), self.account.callback_url());
        let validity = Validity::of(seconds_left(messages, self.account.now()));
        let text = &first.draft.body;
        let envelope = Envelope::new(sender, destinations, text, validity, callback);
        let request = self.account.post(&["sms", "3", "messages"]);
        let request = request.json(&Request { messages: [envelope] });
        outcomes(&self.account.call(request).await?, messages)
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
        let request = self.account.get(&["sms", "3", "logs"]);
        let request = request.query(&[("messageId", message.id.internal())]);
        let is_taken = self.account.reference(message).is_some();
        self.account.ask(request, |answer| found(answer, is_taken, self.account.now())).await
    }

    async fn check(&self) -> Check {
        let request = self.account.get(&["account", "1", "balance"]);
        self.account.look(request, shown).await
    }

    fn can_be_answered(&self) -> bool {
        true
    }

    fn receive(&self, callback: &Callback) -> Result<Received, CallbackRefused> {
        self.account.verify(callback)?;
        received(callback, self.account.now())
    }
}

/// The statuses of the group `REJECTED`. A duplicate is of a call whose answer was lost.
#[rustfmt::skip]
const REJECTED: Codes<i64> = Codes(&[
    (6, "REJECTED_NETWORK", NotAccepted(Code::RecipientUnreachable)),
    (8, "REJECTED_PREFIX_MISSING", Rejected(Code::InvalidRecipient)),
    (10, "REJECTED_DND", Rejected(Code::RecipientOptedOut)),
    (11, "REJECTED_SOURCE", NotAccepted(Code::SenderNotAllowed)),
    (12, "REJECTED_NOT_ENOUGH_CREDITS", NotAccepted(Code::ProviderBalance)),
    (13, "REJECTED_SENDER", NotAccepted(Code::SenderNotAllowed)),
    (14, "REJECTED_DESTINATION_BLOCKLISTED", Rejected(Code::RecipientOptedOut)),
    (17, "REJECTED_PREPAID_PACKAGE_EXPIRED", NotAccepted(Code::ProviderBalance)),
    (18, "REJECTED_DESTINATION_NOT_REGISTERED", NotAccepted(Code::ProviderRejected)),
    (19, "REJECTED_ROUTE_NOT_AVAILABLE", NotAccepted(Code::RecipientUnreachable)),
    (20, "REJECTED_FLOODING_FILTER", NotAccepted(Code::RecipientUnreachable)),
    (21, "REJECTED_SYSTEM_ERROR", NotAccepted(Code::ProviderUnavailable)),
    (23, "REJECTED_DUPLICATE_MESSAGE_ID", Unknown),
    (24, "REJECTED_INVALID_UDH", NotAccepted(Code::ProviderRejected)),
    (25, "REJECTED_MESSAGE_TOO_LONG", NotAccepted(Code::ProviderRejected)),
    (51, "MISSING_TO", Rejected(Code::InvalidRecipient)),
    (52, "REJECTED_DESTINATION", Rejected(Code::InvalidRecipient)),
    (100, "UNDELIVERABLE_REJECTED_PLATFORM", NotAccepted(Code::ProviderRejected)),
]);

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
                take(&mut entries, is_for).map_or_else(unmentioned, Entry::outcome)
            };
            Ok(messages.iter().map(outcome).collect())
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
            "ACCEPTED" | "PENDING" | "DELIVERED" => accepted(self.message_id),
            "REJECTED" | "UNDELIVERABLE" | "EXPIRED" => {
                let usual = NotAccepted(Code::ProviderRejected);
                REJECTED.get(*id).unwrap_or(usual).outcome(name, None)
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
                let code =
                    code.or_else(|| REJECTED.get(*id).map(|verdict| verdict.of_taken(name).code));
                Progress::Failed(code.unwrap_or(Code::Undelivered))
            }
            _ => return None,
        };
        let error = self.error.as_ref().map(|error| error.name.as_str());
        Some((progress, error.filter(|name| !matches!(*name, "" | "NO_ERROR")).unwrap_or(name)))
    }

    fn at(&self) -> Option<DateTime<Utc>> {
        [&self.done_at, &self.sent_at].into_iter().flatten().find_map(|text| time(text))
    }
}

impl Error {
    fn code(&self) -> Option<Code> {
        ERRORS.iter().find(|(known, _)| *known == self.name).map(|(_, code)| *code)
    }
}

/// What the balance shows.
fn shown(answer: &Answer) -> Check {
    let Balance { balance, currency } = answer.json().unwrap_or_default();
    health::balance(amount(&balance), &currency, LOW)
}

/// What the logs say of a message, which they keep for 48 hours.
fn found(answer: &Answer, is_taken: bool, now: DateTime<Utc>) -> LookUp {
    let Some(Results { results }) = answer.success() else {
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
        } else if let (Some(from), Some(text)) = (word(&result["from"]), result["text"].as_str()) {
            let at = result["receivedAt"].as_str().and_then(time).unwrap_or(now);
            received.inbound.extend(inbound(&from, text, at));
        }
    }
    Ok(received)
}

fn report(result: Value, now: DateTime<Utc>) -> Option<VendorReport> {
    let entry = serde_json::from_value::<Entry>(result).ok()?;
    let id = entry.message_id.clone()?;
    let (progress, word) = entry.progress()?;
    let event = progress.event(entry.at().unwrap_or(now), word);
    Some(VendorReport { about: ours(&id).unwrap_or(About::Vendors(id)), event })
}

#[cfg(test)]
mod tests;
