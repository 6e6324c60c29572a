//! Infobip: SMS over HTTP.
//!
//! Documentation: <https://www.infobip.com/docs/api/channels/sms> for the calls and callbacks,
//! <https://www.infobip.com/docs/essentials/response-status-and-error-codes> for the codes. The
//! requests follow the models that Infobip generates from its OpenAPI document:
//! <https://github.com/infobip/infobip-api-python-client/tree/master/infobip_api_client/models>
//! (`SmsMessage`, `SmsDestination`, `SmsWebhooks`).
//!
//! Every account has a host of its own. Messages have the identifiers of this service, in reports
//! too. Infobip does not sign: the callback address contains a token.

mod format;

use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    messaging::{
        callback::{Callback, CallbackRefused, MessageRef, Received, VendorReport},
        delivery::FailureCode as Code,
        outcome::{LookUp, Outcome},
    },
    providers::provider::Check,
    shared::channel::Channel,
};
use serde_json::Value;

use self::format::{
    Balance, Destination, Entry, Envelope, Error, Results, SendRequest, SendResponse, Status,
    Validity,
};
use crate::{
    batch::{not_mentioned, take_first},
    callbacks::our_message,
    health,
    http_vendor::{
        Access, Account, Answer, Authorization, BaseUrl, Batch, Callbacks, Declaration,
        DeclarationError, HttpVendor, Lookup, Request, Vendor,
    },
    loose_json,
    phone_numbers::{digits, inbound_sms},
    status_table::Progress,
    verdict::{
        CodeTable,
        Verdict::{NotAccepted, Rejected, Unknown},
        accepted,
    },
};

/// Balance in the account's currency below which it suffices for a few texts only.
const LOW_BALANCE: f64 = 1.0;
/// Time for which the logs keep a message.
const LOGGED: TimeDelta = TimeDelta::hours(48);

pub(super) const VENDOR: Vendor = Vendor {
    name: "infobip",
    channels: &[Channel::Sms],
    base_url: BaseUrl::Declared,
    required_credentials: &["api_key"],
    callbacks: Callbacks::Token,
    // As many as one of its reports contains.
    group_limit: 100,
    can_be_answered: true,
    ..Vendor::DEFAULTS
};

pub(super) struct Infobip;

impl HttpVendor for Infobip {
    fn read(declaration: &Declaration) -> Result<(Self, Access), DeclarationError> {
        let Some(base_url) = &declaration.base_url else {
            return Err(declaration.invalid("base_url", "is missing: every account has its own"));
        };
        let api_key = Authorization::scheme(declaration, "api_key", "App ")?;
        Ok((Self, Access::read(declaration, base_url, api_key)?))
    }

    fn send_request(&self, account: &Account, batch: Batch<'_>) -> Result<Request, Outcome> {
        let destinations = batch.messages.iter().map(|message| Destination {
            to: digits(message).to_owned(),
            id: message.id.internal(),
        });
        let envelope = Envelope::new(
            account.sender(batch.first()),
            destinations.collect(),
            &batch.first().draft.body,
            Validity::of(batch.seconds_left()),
            account.callback_url(),
        );
        Ok(account.post(&["sms", "3", "messages"]).json(&SendRequest { messages: [envelope] }))
    }

    fn send_result(&self, answer: &Answer, batch: Batch<'_>) -> Result<Vec<Outcome>, Outcome> {
        let body = answer.json::<SendResponse>().filter(|_| answer.status.is_success());
        let Some(SendResponse { messages: mut entries }) = body else {
            return Err(answer.outcome_by_status());
        };
        let is_alone = batch.len() == 1 && entries.len() == 1;
        let mut outcomes = Vec::with_capacity(batch.len());
        for message in batch.messages {
            let id = message.id.internal();
            let entry = take_first(&mut entries, |entry| is_alone || entry.is_of(&id));
            outcomes.push(entry.map_or_else(not_mentioned, Entry::outcome));
        }
        Ok(outcomes)
    }

    fn lookup_request(&self, account: &Account, lookup: Lookup<'_>) -> Option<Request> {
        let query = [("messageId", lookup.message.id.internal())];
        Some(account.get(&["sms", "3", "logs"]).query(&query))
    }

    /// Nothing is known of a message that the logs lack once they may have forgotten it.
    fn lookup_result(&self, answer: &Answer, lookup: Lookup<'_>) -> LookUp {
        let Some(Results { results }) = answer.json_of_success() else {
            return LookUp::Unavailable;
        };
        match results.into_iter().next().map(serde_json::from_value::<Entry>) {
            Some(Ok(entry)) => match entry.progress() {
                Some((progress, word)) => progress.lookup(entry.at().unwrap_or(lookup.now), word),
                None => LookUp::Waiting,
            },
            Some(Err(_)) => LookUp::Unavailable,
            None if lookup.reference.is_some() => LookUp::Waiting,
            None if lookup.now - lookup.message.valid_from >= LOGGED => LookUp::Unavailable,
            None => LookUp::NotFound,
        }
    }

    fn check_request(&self, account: &Account) -> Request {
        account.get(&["account", "1", "balance"])
    }

    fn check_result(&self, answer: &Answer) -> Check {
        let Balance { balance, currency } = answer.json().unwrap_or_default();
        health::balance(loose_json::amount(&balance), &currency, LOW_BALANCE)
    }

    /// A callback contains reports or inbound messages.
    fn read_callback(
        &self,
        callback: &Callback,
        now: DateTime<Utc>,
    ) -> Result<Received, CallbackRefused> {
        let Ok(Results { results }) = serde_json::from_slice(&callback.body) else {
            return Err(CallbackRefused::Malformed);
        };
        let mut received = Received::default();
        for result in results {
            if result["status"].is_object() {
                received.reports.extend(report(result, now));
            } else if let (Some(from), Some(text)) =
                (loose_json::text(&result["from"]), result["text"].as_str())
            {
                let at = result["receivedAt"].as_str().and_then(loose_json::time).unwrap_or(now);
                received.inbound.extend(inbound_sms(&from, text, at));
            }
        }
        Ok(received)
    }
}

/// Statuses of the group `REJECTED`. A duplicate repeats a call whose response was lost.
#[rustfmt::skip]
const REJECTED: CodeTable<i64> = CodeTable(&[
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

/// Network errors that are more specific than a failed delivery.
#[rustfmt::skip]
const ERRORS: [(&str, Code); 3] = [
    ("EC_UNKNOWN_SUBSCRIBER", Code::InvalidRecipient),
    ("EC_DEST_ADDRESS_BLACKLISTED", Code::RecipientOptedOut),
    ("EC_SENDERADDRESS_BLACKLISTED", Code::SenderNotAllowed),
];

/// `DELIVERED_TO_OPERATOR`, which is not final.
const WITH_THE_OPERATOR: i64 = 2;
/// `EXPIRED_DLR_UNKNOWN`: the delivery is unknown.
const NEVER_REPORTED: i64 = 29;

impl Entry {
    fn is_of(&self, id: &str) -> bool {
        self.message_id.as_deref() == Some(id)
    }

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

    /// Returns the progress of a message, and Infobip's name of it.
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
                let code = code.or_else(|| {
                    REJECTED.get(*id).map(|verdict| verdict.failure_after_acceptance(name).code)
                });
                Progress::Failed(code.unwrap_or(Code::Undelivered))
            }
            _ => return None,
        };
        let error = self.error.as_ref().map(|error| error.name.as_str());
        Some((progress, error.filter(|name| !matches!(*name, "" | "NO_ERROR")).unwrap_or(name)))
    }

    fn at(&self) -> Option<DateTime<Utc>> {
        let times = [self.done_at.as_deref(), self.sent_at.as_deref()];
        times.into_iter().flatten().find_map(loose_json::time)
    }
}

impl Error {
    fn code(&self) -> Option<Code> {
        ERRORS.iter().find(|(known, _)| *known == self.name).map(|(_, code)| *code)
    }
}

fn report(result: Value, now: DateTime<Utc>) -> Option<VendorReport> {
    let entry = serde_json::from_value::<Entry>(result).ok()?;
    let id = entry.message_id.clone()?;
    let (progress, word) = entry.progress()?;
    let event = progress.event(entry.at().unwrap_or(now), word);
    Some(VendorReport { about: our_message(&id).unwrap_or(MessageRef::Vendors(id)), event })
}

#[cfg(test)]
mod tests;
