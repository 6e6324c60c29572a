//! Arkesel: SMS over HTTP, in Ghana.
//!
//! Documentation: <https://developers.arkesel.com/#tag/SMS-V2>, and the vendor's own client:
//! <https://github.com/ArkeselDev/arkesel-java-library>. Arkesel calls the address that is
//! submitted with a text, with `sms_id` and `status` in the query. It does not sign: the address
//! contains a token.

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
    callbacks::{Fields, one_report, our_message},
    health,
    http_vendor::{
        Access, Account, Answer, Authorization, BaseUrl, Batch, Callbacks, Declaration,
        DeclarationError, HttpVendor, Lookup, Request, Vendor,
    },
    loose_json,
    phone_numbers::{digits, is_recipient},
    status_table::{Progress, StatusTable},
    verdict::{
        PhraseTable,
        Verdict::{NotAccepted, Rejected},
        accepted,
    },
};

const USUAL_URL: &str = "https://sms.arkesel.com";

/// Number of texts below which the account is nearly empty.
const LOW_BALANCE: f64 = 10.0;

pub(super) const VENDOR: Vendor = Vendor {
    name: "arkesel",
    channels: &[Channel::Sms],
    base_url: BaseUrl::Usual(USUAL_URL),
    required_credentials: &["api_key"],
    callbacks: Callbacks::Token,
    // Arkesel documents no limit.
    group_limit: 100,
    ..Vendor::DEFAULTS
};

pub(super) struct Arkesel;

impl HttpVendor for Arkesel {
    fn read(declaration: &Declaration) -> Result<(Self, Access), DeclarationError> {
        let api_key = Authorization::header(declaration, "api_key", "api-key")?;
        Ok((Self, Access::read(declaration, USUAL_URL, api_key)?))
    }

    fn send_request(&self, account: &Account, batch: Batch<'_>) -> Result<Request, Outcome> {
        let callback_url = match batch.messages {
            [only] => format!("{}&message={}", account.callback_url(), only.id.internal()),
            _ => account.callback_url().to_owned(),
        };
        Ok(account.post(&["api", "v2", "sms", "send"]).json(&SendRequest {
            sender: account.sender(batch.first()),
            message: &batch.first().draft.body,
            recipients: batch.messages.iter().map(|message| digits(message)).collect(),
            callback_url,
        }))
    }

    fn send_result(&self, answer: &Answer, batch: Batch<'_>) -> Result<Vec<Outcome>, Outcome> {
        let body = answer.json::<Body>();
        match body.filter(|body| answer.status.is_success() && body.is_success()) {
            Some(body) => Ok(outcomes(&body.data, batch)),
            None => Err(refusal(answer)),
        }
    }

    fn lookup_request(&self, account: &Account, lookup: Lookup<'_>) -> Option<Request> {
        Some(account.get(&["api", "v2", "sms", lookup.reference?]))
    }

    /// `sent_at_time` is not the time of the change of status.
    fn lookup_result(&self, answer: &Answer, lookup: Lookup<'_>) -> LookUp {
        if answer.status == StatusCode::NOT_FOUND {
            return LookUp::NotFound;
        }
        let body = answer.json_of_success::<Body>().filter(Body::is_success);
        match body.and_then(|body| loose_json::text(&body.data["status"])) {
            Some(status) => STATUSES.lookup(&status, lookup.now),
            None => LookUp::Unavailable,
        }
    }

    fn check_request(&self, account: &Account) -> Request {
        account.get(&["api", "v2", "clients", "balance-details"])
    }

    /// The balance consists of prepaid texts, and of money to buy more.
    fn check_result(&self, answer: &Answer) -> Check {
        let data = answer.json::<Body>().map(|body| body.data).unwrap_or_default();
        let texts = loose_json::amount(&data["sms_balance"]);
        match loose_json::amount(&data["main_balance"]) {
            Some(money) if texts.unwrap_or_default() < LOW_BALANCE && money >= 1.0 => {
                health::balance(Some(money), "of money", 1.0)
            }
            _ => health::balance(texts, "texts", LOW_BALANCE),
        }
    }

    fn read_callback(
        &self,
        callback: &Callback,
        now: DateTime<Utc>,
    ) -> Result<Received, CallbackRefused> {
        let fields = Fields::of_query_and_body(callback)?;
        let status = fields.required(&["status"])?;
        // Arkesel may append "?sms_id=…" to an address that already has a query, which spoils its
        // last field.
        let named = fields.get("message").and_then(|text| text.split('?').next());
        let about = match named.and_then(our_message) {
            Some(ours) => ours,
            None => MessageRef::Vendors(fields.required(&["sms_id"])?.to_owned()),
        };
        Ok(one_report(about, STATUSES.event(status, now)))
    }
}

#[derive(Serialize)]
struct SendRequest<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    sender: Option<&'a str>,
    message: &'a str,
    recipients: Vec<&'a str>,
    callback_url: String,
}

/// Response to any request. `data` of a text mixes entries of two kinds: a recipient with its `id`,
/// and the list of `invalid numbers`.
#[derive(Deserialize)]
struct Body {
    status: Value,
    #[serde(default)]
    message: Value,
    #[serde(default)]
    errors: Value,
    #[serde(default)]
    data: Value,
}

impl Body {
    fn is_success(&self) -> bool {
        self.status == "success"
    }
}

/// Phrases in the text of a refusal, which has the status 400, 422 or even 200. A phrase about the
/// sender may also mention a number.
#[rustfmt::skip]
const PHRASES: PhraseTable = PhraseTable(&[
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

const STATUSES: StatusTable =
    StatusTable::usual_and(&[("prohibited", Progress::Failed(Code::BlockedContent))]);

/// Returns the outcome of each message, matched by its recipient.
fn outcomes(data: &Value, batch: Batch<'_>) -> Vec<Outcome> {
    let (mut accepted_ids, mut invalid) = entries(data);
    let mut outcomes = Vec::with_capacity(batch.len());
    for message in batch.messages {
        let is_for = |number: &str| is_recipient(message, number);
        let taken = take_first(&mut accepted_ids, |(number, _)| is_for(number));
        outcomes.push(if let Some((_, id)) = taken {
            accepted(Some(id))
        } else if take_first(&mut invalid, |number| is_for(number)).is_some() {
            Rejected(Code::InvalidRecipient).outcome("invalid numbers", None)
        } else {
            not_mentioned()
        });
    }
    outcomes
}

/// Returns the accepted recipients with their identifiers, and the invalid ones.
fn entries(data: &Value) -> (Vec<(String, String)>, Vec<String>) {
    let (mut accepted, mut invalid) = (Vec::new(), Vec::new());
    for entry in data.as_array().map_or(std::slice::from_ref(data), Vec::as_slice) {
        let number = loose_json::text(&entry["recipient"]);
        accepted.extend(number.zip(loose_json::text(&entry["id"])));
        let numbers = entry["invalid numbers"].as_array().into_iter().flatten();
        invalid.extend(numbers.filter_map(loose_json::text));
    }
    (accepted, invalid)
}

fn refusal(answer: &Answer) -> Outcome {
    let body = answer.json::<Body>();
    let prose = body.map(|body| format!("{} {}", body.message, body.errors));
    let verdict = prose.and_then(|prose| PHRASES.find(&prose));
    answer.refusal(verdict, answer.status.as_str())
}

#[cfg(test)]
mod tests;
