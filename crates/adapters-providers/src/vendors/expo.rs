//! Expo: notifications for applications made with Expo, up to 100 in a call.
//!
//! Documentation: <https://docs.expo.dev/push-notifications/sending-notifications/>. There is no
//! sender. An access token is needed only if the account demands one ("enhanced security for push
//! notifications"). Expo responds with tickets, and keeps for a day a receipt that shows if Google
//! or Apple accepted the notification; nothing is known beyond that.

use std::collections::HashMap;

use domain::{
    messaging::{
        delivery::{DeliveryEvent, Failure, FailureCode as Code},
        message::Message,
        outcome::{LookUp, Outcome},
    },
    providers::provider::Check,
    shared::channel::Channel,
};
use serde::{Deserialize, Serialize};

use crate::{
    health,
    http_vendor::{
        Access, Account, Answer, Authorization, BaseUrl, Batch, Declaration, DeclarationError,
        HttpVendor, Lookup, Request, Vendor,
    },
    verdict::{
        self, CodeTable,
        Verdict::{self, NotAccepted, Rejected},
        accepted_by_reference,
    },
};

const USUAL_URL: &str = "https://exp.host";
/// Ticket that does not exist.
const NO_TICKET: &str = "00000000-0000-0000-0000-000000000000";

pub(super) const VENDOR: Vendor = Vendor {
    name: "expo",
    channels: &[Channel::Push],
    base_url: BaseUrl::Usual(USUAL_URL),
    optional_credentials: &["access_token"],
    // Expo advises to request receipts after this many seconds.
    report_timeout: 900,
    group_limit: 100,
    ..Vendor::DEFAULTS
};

pub(super) struct Expo;

impl HttpVendor for Expo {
    fn read(declaration: &Declaration) -> Result<(Self, Access), DeclarationError> {
        let authorization = if declaration.credentials.contains_key("access_token") {
            Authorization::bearer(declaration, "access_token")?
        } else {
            Authorization::InRequest
        };
        Ok((Self, Access::read(declaration, USUAL_URL, authorization)?))
    }

    fn refusal(&self, message: &Message) -> Option<Outcome> {
        if is_token(message.draft.recipient.as_str()) {
            return None;
        }
        let problem = "the recipient is not an Expo push token";
        Some(Outcome::Rejected(Failure::new(Code::InvalidRecipient, problem)))
    }

    fn send_request(&self, account: &Account, batch: Batch<'_>) -> Result<Request, Outcome> {
        let ttl = batch.seconds_left();
        let body: Vec<_> = batch.messages.iter().map(|message| Push::of(message, ttl)).collect();
        Ok(account.post(&["--", "api", "v2", "push", "send"]).json(&body))
    }

    fn send_result(&self, answer: &Answer, batch: Batch<'_>) -> Result<Vec<Outcome>, Outcome> {
        let tickets = answer.json_of_success::<Tickets>();
        match tickets.filter(|tickets| tickets.data.len() == batch.len()) {
            Some(tickets) => Ok(tickets.data.iter().map(|ticket| ticket.outcome(answer)).collect()),
            None => Err(refusal(answer)),
        }
    }

    fn lookup_request(&self, account: &Account, lookup: Lookup<'_>) -> Option<Request> {
        Some(receipt_request(account, lookup.reference?))
    }

    fn lookup_result(&self, answer: &Answer, lookup: Lookup<'_>) -> LookUp {
        let Some(Receipts { mut data }) = answer.json_of_success() else {
            return LookUp::Unavailable;
        };
        let at = lookup.now;
        let Some(receipt) = lookup.reference.and_then(|ticket| data.remove(ticket)) else {
            return LookUp::Waiting;
        };
        match receipt.status.as_str() {
            "ok" => LookUp::Found(DeliveryEvent::Confirmed { at }),
            "error" => LookUp::Found(DeliveryEvent::Rejected { at, failure: receipt.failure() }),
            _ => LookUp::Waiting,
        }
    }

    /// Expo has no call that returns account data.
    fn check_request(&self, account: &Account) -> Request {
        receipt_request(account, NO_TICKET)
    }

    fn check_result(&self, answer: &Answer) -> Check {
        match answer.json::<Receipts>() {
            Some(_) => health::up("the provider answers"),
            None => health::down("the provider's answer is not the documented one"),
        }
    }
}

fn receipt_request(account: &Account, ticket: &str) -> Request {
    let path = ["--", "api", "v2", "push", "getReceipts"];
    account.post(&path).json(&ReceiptRequest { ids: [ticket] })
}

/// True if a text has a format of Expo's tokens.
fn is_token(text: &str) -> bool {
    is_bracketed(text) || is_like_uuid(text)
}

fn is_bracketed(text: &str) -> bool {
    let inner = text.strip_prefix("ExponentPushToken[").or(text.strip_prefix("ExpoPushToken["));
    inner.and_then(|inner| inner.strip_suffix(']')).is_some_and(|inner| !inner.is_empty())
}

/// True if a text has the format of a UUID, with any letters for digits.
fn is_like_uuid(text: &str) -> bool {
    let is_plain = |part: &str| part.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let parts: Vec<_> = text.split('-').collect();
    parts.iter().map(|part| part.len()).eq([8, 4, 4, 4, 12]) && parts.into_iter().all(is_plain)
}

#[derive(Serialize)]
struct Push<'a> {
    to: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<&'a str>,
    body: &'a str,
    /// Seconds for which delivery may be tried.
    ttl: i64,
}

impl<'a> Push<'a> {
    fn of(message: &'a Message, ttl: i64) -> Self {
        let draft = &message.draft;
        let title = draft.subject.as_deref();
        Self { to: draft.recipient.as_str(), title, body: &draft.body, ttl }
    }
}

#[derive(Serialize)]
struct ReceiptRequest<'a> {
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

/// Ticket or receipt, which have the same format.
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

/// Errors of a message, in its ticket or its receipt, followed by those of a whole call.
#[rustfmt::skip]
const ERRORS: CodeTable<&str> = CodeTable(&[
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

/// Returns an error of the table, and its meaning.
fn known(error: &str) -> Option<(&str, Verdict)> {
    Some((error, ERRORS.get(error)?))
}

/// Returns the outcome of a call that Expo refused as a whole.
fn refusal(answer: &Answer) -> Outcome {
    let errors = answer.json::<Refusal>().map(|refusal| refusal.errors).unwrap_or_default();
    match errors.iter().find_map(|error| known(&error.code)) {
        Some((code, verdict)) => answer.outcome(verdict, code),
        None => answer.outcome_by_status(),
    }
}

impl Ticket {
    fn error(&self) -> Option<(&str, Verdict)> {
        known(self.details.as_ref()?.error.as_deref()?)
    }

    fn outcome(&self, answer: &Answer) -> Outcome {
        match (self.status.as_str(), self.error()) {
            ("ok", _) => accepted_by_reference(self.id.clone().filter(|id| !id.is_empty())),
            ("error", Some((code, verdict))) => answer.outcome(verdict, code),
            ("error", None) => NotAccepted(Code::ProviderRejected).outcome("error", None),
            _ => answer.outcome_by_status(),
        }
    }

    /// Returns the reason why Google or Apple refused the notification.
    fn failure(&self) -> Failure {
        match self.error() {
            Some((code, verdict)) => verdict.failure_after_acceptance(code),
            None => verdict::failure(Code::Undelivered, "error"),
        }
    }
}

#[cfg(test)]
mod tests;
