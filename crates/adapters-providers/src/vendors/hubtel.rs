//! Hubtel: SMS over HTTP, in Ghana.
//!
//! Documentation: <https://businessdocs-developers.hubtel.com/docs/simple-messaging> for sending,
//! <https://businessdocs-developers.hubtel.com/docs/batch-simple-messaging> for batches,
//! <https://businessdocs-developers.hubtel.com/docs/sms-status-check> for lookups, and
//! <https://hubtel.readme.io/reference/response-code> for the codes. Fields that these do not list,
//! `ClientReference` and `RegisteredDelivery`, are from Hubtel's own client:
//! <https://github.com/hubtel/hubtel-sms-java> (`Message`).
//!
//! The address for reports and inbound SMS is set in the account. Hubtel does not sign: the address
//! contains a token. No page names the fields of its callbacks, so they are searched by the names
//! that a message has in that client, in any case, and by a few others.

use chrono::{DateTime, Utc};
use domain::{
    messaging::{
        callback::{Callback, CallbackRefused, MessageRef, Received},
        delivery::FailureCode as Code,
        outcome::{LookUp, Outcome},
    },
    providers::provider::Check,
    shared::channel::Channel,
};
use reqwest::StatusCode;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    batch::{not_mentioned, take_first},
    callbacks::{Fields, one_inbound, one_report, our_message},
    health,
    http_vendor::{
        Access, Account, Answer, Authorization, BaseUrl, Batch, Callbacks, Declaration,
        DeclarationError, HttpVendor, Lookup, Request, Vendor,
    },
    loose_json,
    phone_numbers::{digits, inbound_sms, is_recipient},
    status_table::{Progress, StatusTable},
    verdict::{
        CodeTable,
        Verdict::{NotAccepted, Rejected},
        accepted,
    },
};

const USUAL_URL: &str = "https://sms.hubtel.com";

/// Maximum bytes of text in one call, for all recipients together. The response repeats the text
/// for each, possibly escaped, and must stay short enough to read.
const MAX_TEXT: usize = 16 * 1024;

/// Message that checks look up to test the credentials: no call for the balance is documented.
const NO_MESSAGE: &str = "00000000-0000-0000-0000-000000000000";

pub(super) const VENDOR: Vendor = Vendor {
    name: "hubtel",
    channels: &[Channel::Sms],
    base_url: BaseUrl::Usual(USUAL_URL),
    required_credentials: &["client_id", "client_secret"],
    callbacks: Callbacks::Token,
    // Hubtel documents no limit.
    group_limit: 50,
    can_be_answered: true,
    ..Vendor::DEFAULTS
};

pub(super) struct Hubtel;

impl HttpVendor for Hubtel {
    fn read(declaration: &Declaration) -> Result<(Self, Access), DeclarationError> {
        let client_id = declaration.credential("client_id")?.expose().to_owned();
        let client_secret = declaration.credential("client_secret")?.clone();
        let authorization = Authorization::Basic(client_id, client_secret);
        Ok((Self, Access::read(declaration, USUAL_URL, authorization)?))
    }

    /// The response to a single message contains the identifier of this service; a batch has no
    /// field for it.
    fn send_request(&self, account: &Account, batch: Batch<'_>) -> Result<Request, Outcome> {
        let text = &batch.first().draft.body;
        if let [only] = batch.messages {
            return Ok(account.post(&["v1", "messages", "send"]).json(&SendRequest {
                from: account.sender(only),
                to: digits(only),
                content: text,
                client_reference: only.id.internal(),
                registered_delivery: true,
            }));
        }
        if batch.len() * text.len() > MAX_TEXT {
            return Err(NotAccepted(Code::ProviderRejected).outcome("too long for a batch", None));
        }
        let path = ["v1", "messages", "batch", "simple", "send"];
        Ok(account.post(&path).json(&BatchRequest {
            from: account.sender(batch.first()),
            recipients: batch.messages.iter().map(|message| digits(message)).collect(),
            content: text,
            registered_delivery: true,
        }))
    }

    fn send_result(&self, answer: &Answer, batch: Batch<'_>) -> Result<Vec<Outcome>, Outcome> {
        if batch.len() == 1 { Ok(vec![outcome(answer)]) } else { outcomes(answer, batch) }
    }

    fn lookup_request(&self, account: &Account, lookup: Lookup<'_>) -> Option<Request> {
        Some(account.get(&["v1", "messages", lookup.reference?]))
    }

    fn lookup_result(&self, answer: &Answer, lookup: Lookup<'_>) -> LookUp {
        if answer.status == StatusCode::NOT_FOUND {
            return LookUp::NotFound;
        }
        let Some(LookupResponse { status, update_time }) = answer.json_of_success() else {
            return LookUp::Unavailable;
        };
        let at = update_time.and_then(|text| loose_json::time(&text)).unwrap_or(lookup.now);
        STATUSES.lookup(&status, at)
    }

    fn check_request(&self, account: &Account) -> Request {
        account.get(&["v1", "messages", NO_MESSAGE])
    }

    fn check_result(&self, _: &Answer) -> Check {
        health::up("the credentials are accepted")
    }

    /// Only requests with valid credentials get the response that the message does not exist.
    fn check_refusal(&self, answer: &Answer) -> Check {
        match answer.status.as_u16() {
            400 | 404 => health::up("the credentials are accepted"),
            _ => answer.check_by_status(),
        }
    }

    fn read_callback(
        &self,
        callback: &Callback,
        now: DateTime<Utc>,
    ) -> Result<Received, CallbackRefused> {
        let fields = Fields::of_query_and_body(callback)?;
        let mut times = ["updatetime", "date", "time"].into_iter().filter_map(|it| fields.get(it));
        let at = times.find_map(loose_json::time).unwrap_or(now);
        if let Some(status) = fields.get("status") {
            let about = match fields.get("clientreference").and_then(our_message) {
                Some(ours) => ours,
                None => MessageRef::Vendors(fields.required(&["messageid"])?.to_owned()),
            };
            return Ok(one_report(about, STATUSES.event(status, at)));
        }
        let from = fields.required(&["from", "msisdn"])?;
        let text = fields.required(&["message", "content", "text"])?;
        Ok(one_inbound(inbound_sms(from, text, at)))
    }
}

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct SendRequest<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<&'a str>,
    to: &'a str,
    content: &'a str,
    client_reference: String,
    registered_delivery: bool,
}

/// Same text for many recipients. There is no field for the identifiers of this service.
#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct BatchRequest<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<&'a str>,
    recipients: Vec<&'a str>,
    content: &'a str,
    registered_delivery: bool,
}

/// Response to a text, or to a batch. Older versions of the interface write the names in Pascal
/// case.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SendResponse {
    #[serde(alias = "Status")]
    status: Value,
    #[serde(default, alias = "MessageId")]
    message_id: Value,
    /// Messages of a batch, each with its `recipient`.
    #[serde(default)]
    data: Value,
}

/// Response to a lookup.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct LookupResponse {
    #[serde(alias = "Status")]
    status: String,
    #[serde(default, alias = "UpdateTime")]
    update_time: Option<String>,
}

/// Codes in `status` other than 0. They have the HTTP status 201 or 400.
#[rustfmt::skip]
const CODES: CodeTable<&str> = CodeTable(&[
    ("1", "invalid destination address", Rejected(Code::InvalidRecipient)),
    ("2", "invalid source address", NotAccepted(Code::SenderNotAllowed)),
    ("3", "the body is too long", NotAccepted(Code::ProviderRejected)),
    ("4", "not routable", NotAccepted(Code::RecipientUnreachable)),
    ("5", "the delivery time is not valid", NotAccepted(Code::ProviderRejected)),
    ("6", "the content was rejected", Rejected(Code::BlockedContent)),
    ("7", "parameters are not allowed", NotAccepted(Code::ProviderRejected)),
    ("8", "parameters are not valid", NotAccepted(Code::ProviderRejected)),
    ("12", "payment is required", NotAccepted(Code::ProviderBalance)),
    ("100", "invalid request", NotAccepted(Code::ProviderRejected)),
]);

const STATUSES: StatusTable = StatusTable::usual_and(&[
    ("blacklisted", Progress::Failed(Code::RecipientOptedOut)),
    ("unroutable", Progress::Failed(Code::Undelivered)),
    ("deleted", Progress::Failed(Code::Undelivered)),
    ("error", Progress::Failed(Code::Undelivered)),
    ("nack", Progress::Failed(Code::Undelivered)),
]);

/// Returns the outcome of a single message.
fn outcome(answer: &Answer) -> Outcome {
    let body = answer.json::<SendResponse>();
    let code = body.as_ref().and_then(SendResponse::code).unwrap_or_default();
    match body {
        Some(body) if answer.status.is_success() && code == "0" => {
            accepted(loose_json::text(&body.message_id))
        }
        _ => refusal(answer, &code),
    }
}

/// Returns the outcome of each message of a batch, matched by its recipient. The error is the
/// outcome of the call.
fn outcomes(answer: &Answer, batch: Batch<'_>) -> Result<Vec<Outcome>, Outcome> {
    let body = answer.json::<SendResponse>();
    let code = body.as_ref().and_then(SendResponse::code).unwrap_or_default();
    let entries = body.as_ref().and_then(|body| body.data.as_array());
    let Some(entries) = entries.filter(|_| answer.status.is_success() && code == "0") else {
        return Err(refusal(answer, &code));
    };
    let mut accepted_ids = Vec::new();
    for entry in entries {
        let number = loose_json::text(&entry["recipient"]);
        accepted_ids.extend(number.zip(loose_json::text(&entry["messageId"])));
    }
    let mut outcomes = Vec::with_capacity(batch.len());
    for message in batch.messages {
        let taken = take_first(&mut accepted_ids, |(number, _)| is_recipient(message, number));
        outcomes.push(match taken {
            Some((_, id)) => accepted(Some(id)),
            None => not_mentioned(),
        });
    }
    Ok(outcomes)
}

impl SendResponse {
    fn code(&self) -> Option<String> {
        loose_json::text(&self.status)
    }
}

/// Returns the outcome of a refusal. A recipient's missing approval is documented as 403, and so is
/// the response to a caller whose address is not on the account's list. The response to a message
/// does not distinguish them, so it counts as the former; the latter shows when the account is
/// checked.
fn refusal(answer: &Answer, code: &str) -> Outcome {
    match answer.status {
        StatusCode::FORBIDDEN => answer.outcome(NotAccepted(Code::RecipientUnreachable), "403"),
        _ => answer.refusal(CODES.get(code), code),
    }
}

#[cfg(test)]
mod tests;
