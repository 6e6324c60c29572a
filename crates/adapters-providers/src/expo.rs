//! Expo: notifications for applications made with Expo, up to 100 in a call.
//!
//! Its documentation: <https://docs.expo.dev/push-notifications/sending-notifications/>. There is
//! no sender. An access token is needed only where the account demands one ("enhanced security for
//! push notifications"). Expo answers with tickets, and keeps a receipt for a day that tells
//! whether Google or Apple took the notification: that is the last that can be known.

use std::{collections::HashMap, sync::Arc};

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::{
    channel::Channel,
    delivery::{DeliveryEvent, Failure, FailureCode as Code},
    message::Message,
    provider::{Check, LookUp, Outcome},
};
use ports::providers::MessagingProvider;
use reqwest::RequestBuilder;
use serde::{Deserialize, Serialize};

use crate::{
    account::{Access, Account, Authorization},
    answer::Answer,
    declaration::{Declaration, DeclarationError, Deps},
    health,
    kind::{Callbacks, Vendor},
    verdict::{
        self, Codes,
        Verdict::{self, NotAccepted, Rejected},
        accepted_as,
    },
    wire::seconds_left,
};

const USUAL_URL: &str = "https://exp.host";
/// The most messages in a call.
const MAX_GROUP: usize = 100;
/// Seconds after which Expo advises to ask for receipts.
const PATIENCE: u32 = 900;
/// A ticket that nobody has.
const NO_TICKET: &str = "00000000-0000-0000-0000-000000000000";

pub(crate) const VENDOR: Vendor = Vendor {
    name: "expo",
    channels: &[Channel::Push],
    required: &[],
    optional: &["access_token"],
    options: &[],
    patience: PATIENCE,
    callbacks: Callbacks::None,
    check: |declaration| access(declaration).map(drop),
    build,
};

struct Expo {
    account: Account,
}

fn build(
    declaration: &Declaration,
    deps: &Deps,
) -> Result<Arc<dyn MessagingProvider>, DeclarationError> {
    Ok(Arc::new(Expo { account: Account::new(access(declaration)?, deps) }))
}

fn access(declaration: &Declaration) -> Result<Access, DeclarationError> {
    let authorization = if declaration.credentials.contains_key("access_token") {
        Authorization::bearer(declaration, "access_token")?
    } else {
        Authorization::Own
    };
    Access::read(declaration, USUAL_URL, authorization)
}

#[async_trait]
impl MessagingProvider for Expo {
    async fn send(&self, message: &Message) -> Outcome {
        if !is_token(message.draft.recipient.as_str()) {
            return no_token();
        }
        self.account.hand_over(self.push(&[message]), outcome).await
    }

    fn group_limit(&self) -> usize {
        MAX_GROUP
    }

    async fn send_group(&self, messages: &[Message]) -> Vec<Outcome> {
        let mut outcomes = vec![no_token(); messages.len()];
        let is_reachable = |index: &usize| is_token(messages[*index].draft.recipient.as_str());
        let reachable: Vec<_> = (0..messages.len()).filter(is_reachable).collect();
        for places in reachable.chunks(MAX_GROUP) {
            let group: Vec<_> = places.iter().map(|index| &messages[*index]).collect();
            for (index, outcome) in places.iter().zip(self.push_all(&group).await) {
                outcomes[*index] = outcome;
            }
        }
        outcomes
    }

    async fn look_up(&self, message: &Message) -> LookUp {
        let Some(ticket) = self.account.reference(message) else { return LookUp::Unavailable };
        let now = self.account.now();
        self.account.ask(self.question(ticket), |answer| found(answer, ticket, now)).await
    }

    async fn check(&self) -> Check {
        self.account.look(self.question(NO_TICKET), shown).await
    }
}

impl Expo {
    fn question(&self, ticket: &str) -> RequestBuilder {
        let path = ["--", "api", "v2", "push", "getReceipts"];
        self.account.post(&path).json(&Asked { ids: [ticket] })
    }

    fn push(&self, messages: &[&Message]) -> RequestBuilder {
        let now = self.account.now();
        let body: Vec<_> = messages.iter().map(|message| Push::of(message, now)).collect();
        self.account.post(&["--", "api", "v2", "push", "send"]).json(&body)
    }

    /// Hands messages over in one call.
    async fn push_all(&self, messages: &[&Message]) -> Vec<Outcome> {
        match self.account.call(self.push(messages)).await {
            Ok(answer) => outcomes(&answer, messages.len()),
            Err(outcome) => vec![outcome; messages.len()],
        }
    }
}

/// What the answer to a question says.
fn found(answer: &Answer, ticket: &str, at: DateTime<Utc>) -> LookUp {
    let Some(mut receipts) = answer.success::<Receipts>() else { return LookUp::Unavailable };
    let Some(receipt) = receipts.data.remove(ticket) else { return LookUp::Waiting };
    match receipt.status.as_str() {
        "ok" => LookUp::Found(DeliveryEvent::Confirmed { at }),
        "error" => LookUp::Found(DeliveryEvent::Rejected { at, failure: receipt.failure() }),
        _ => LookUp::Waiting,
    }
}

/// What the answer to a question about no ticket shows. Expo has no call that tells of the account.
fn shown(answer: &Answer) -> Check {
    match answer.json::<Receipts>() {
        Some(_) => health::up("the provider answers"),
        None => health::down("the provider's answer is not the documented one"),
    }
}

/// Whether a text is of a form of Expo's tokens.
fn is_token(text: &str) -> bool {
    is_bracketed(text) || is_like_uuid(text)
}

fn is_bracketed(text: &str) -> bool {
    let inner = text.strip_prefix("ExponentPushToken[").or(text.strip_prefix("ExpoPushToken["));
    inner.and_then(|inner| inner.strip_suffix(']')).is_some_and(|inner| !inner.is_empty())
}

/// Whether a text has the form of a UUID, with any letters for digits.
fn is_like_uuid(text: &str) -> bool {
    let is_plain = |part: &str| part.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let parts: Vec<_> = text.split('-').collect();
    parts.iter().map(|part| part.len()).eq([8, 4, 4, 4, 12]) && parts.into_iter().all(is_plain)
}

fn no_token() -> Outcome {
    let message = "the recipient is not an Expo push token";
    Outcome::Rejected(Failure::new(Code::InvalidRecipient, message))
}

#[derive(Serialize)]
struct Push<'a> {
    to: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<&'a str>,
    body: &'a str,
    /// For how many seconds it may be tried.
    ttl: i64,
}

impl<'a> Push<'a> {
    fn of(message: &'a Message, now: DateTime<Utc>) -> Self {
        let draft = &message.draft;
        let title = draft.subject.as_deref();
        let ttl = seconds_left(std::slice::from_ref(message), now);
        Self { to: draft.recipient.as_str(), title, body: &draft.body, ttl }
    }
}

#[derive(Serialize)]
struct Asked<'a> {
    ids: [&'a str; 1],
}

#[derive(Deserialize)]
struct Tickets {
    data: Vec<Ticket>,
}

#[derive(Deserialize)]
struct Receipts {
    data: HashMap<String, Ticket>,
}

/// A ticket, or a receipt, which looks the same.
#[derive(Deserialize)]
struct Ticket {
    status: String,
    id: Option<String>,
    details: Option<Details>,
}

#[derive(Deserialize)]
struct Details {
    error: Option<String>,
}

#[derive(Deserialize)]
struct Refusal {
    errors: Vec<RefusalError>,
}

#[derive(Deserialize)]
struct RefusalError {
    code: String,
}

/// The errors of a message, in its ticket or its receipt, and below them those of a whole call.
#[rustfmt::skip]
const ERRORS: Codes<&str> = Codes(&[
    ("DeviceNotRegistered", "the application was removed", Rejected(Code::DeviceUnregistered)),
    ("MessageTooBig", "more than 4096 bytes", Rejected(Code::ProviderRejected)),
    ("MessageRateExceeded", "too many to this device", NotAccepted(Code::RecipientUnreachable)),
    ("MismatchSenderId", "keys of another project", NotAccepted(Code::SenderNotAllowed)),
    ("InvalidCredentials", "the keys of the token's project are missing or wrong", NotAccepted(Code::RecipientUnreachable)),
    ("DeveloperError", "a mistake in the request", Rejected(Code::ProviderRejected)),
    ("ExpoError", "Expo is out of order", NotAccepted(Code::ProviderUnavailable)),
    ("ProviderError", "Google or Apple is out of order", NotAccepted(Code::ProviderUnavailable)),

    ("UNAUTHORIZED", "the access token is wrong", NotAccepted(Code::ProviderAuth)),
    ("TOO_MANY_REQUESTS", "too many calls", NotAccepted(Code::ProviderThrottled)),
    ("PUSH_TOO_MANY_EXPERIENCE_IDS", "recipients of several projects", NotAccepted(Code::ProviderRejected)),
    ("PUSH_TOO_MANY_NOTIFICATIONS", "more than 100 at once", NotAccepted(Code::ProviderRejected)),
]);

fn known(error: &str) -> Option<(&str, Verdict)> {
    ERRORS.get(error).map(|verdict| (error, verdict))
}

/// What an answer says of the one message that was sent.
fn outcome(answer: &Answer) -> Outcome {
    outcomes(answer, 1).pop().unwrap_or_else(|| answer.by_status())
}

/// What an answer says of `count` messages.
fn outcomes(answer: &Answer, count: usize) -> Vec<Outcome> {
    let tickets = answer.json::<Tickets>().filter(|tickets| tickets.data.len() == count);
    if let Some(tickets) = tickets.filter(|_| answer.status.is_success()) {
        return tickets.data.iter().map(|ticket| ticket.outcome(answer)).collect();
    }
    let refusal = answer.json::<Refusal>();
    let mut codes = refusal.iter().flat_map(|refusal| &refusal.errors);
    let outcome = match codes.find_map(|error| known(&error.code)) {
        Some((code, verdict)) => answer.judged(verdict, code),
        None => answer.by_status(),
    };
    vec![outcome; count]
}

impl Ticket {
    fn error(&self) -> Option<(&str, Verdict)> {
        known(self.details.as_ref()?.error.as_deref()?)
    }

    fn outcome(&self, answer: &Answer) -> Outcome {
        match (self.status.as_str(), self.error()) {
            ("ok", _) => accepted_as(self.id.clone().filter(|id| !id.is_empty())),
            ("error", Some((code, verdict))) => answer.judged(verdict, code),
            ("error", None) => NotAccepted(Code::ProviderRejected).outcome("error", None),
            _ => answer.by_status(),
        }
    }

    /// Why Google or Apple did not take it.
    fn failure(&self) -> Failure {
        match self.error() {
            Some((code, verdict)) => verdict.of_taken(code),
            None => verdict::failure(Code::Undelivered, "error"),
        }
    }
}

#[cfg(test)]
mod tests;
