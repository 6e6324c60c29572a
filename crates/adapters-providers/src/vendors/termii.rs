//! Termii: SMS over HTTP, in Africa.
//!
//! Documentation: <https://developers.termii.com/messaging-api> for sending, `/error` for refusals,
//! `/history` for lookups, `/events-and-reports` and `/incoming` for callbacks. The callback
//! address is set in the account. Termii signs with "your secret key", HMAC-SHA-512 of the body.
//! The page does not say if that is the API key, and users disagree: without `secret_key`, both a
//! signature by the API key and the token in the address are accepted.
//!
//! The response to a call for many recipients, `/api/sms/send/bulk`, contains one `message_id`,
//! while the history has a separate identifier for each recipient's message. No page says how they
//! relate, and there is no field for the identifiers of this service, so that reports on such a
//! call could not be assigned: each message is a call of its own.

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
    callbacks::{Fields, one_inbound, one_report},
    health,
    http_vendor::{
        Access, Account, Answer, Authorization, BaseUrl, Batch, Callbacks, Declaration,
        DeclarationError, HttpVendor, Lookup, Request, Vendor,
    },
    loose_json,
    phone_numbers::{digits, inbound_sms},
    secret::Secret,
    signature::{equal, hex, hmac_sha512},
    status_table::{Progress, StatusTable},
    verdict::{
        PhraseTable,
        Verdict::{NotAccepted, Rejected},
        accepted,
    },
};

/// Every account may have a host of its own, which its dashboard shows.
const USUAL_URL: &str = "https://api.ng.termii.com";

/// Balance, mostly in naira, below which an account suffices for a few texts only.
const LOW_BALANCE: f64 = 50.0;

pub(super) const VENDOR: Vendor = Vendor {
    name: "termii",
    channels: &[Channel::Sms],
    base_url: BaseUrl::Usual(USUAL_URL),
    required_credentials: &["api_key"],
    optional_credentials: &["secret_key"],
    options: &["channel"],
    callbacks: Callbacks::Token,
    can_be_answered: true,
    ..Vendor::DEFAULTS
};

pub(super) struct Termii {
    api_key: Secret,
    /// Key of the signatures, if it is not the API key.
    secret_key: Option<Secret>,
    route: Route,
}

domain::closed_list! {
    /// Termii's `channel`: the route of a text to the networks.
    enum Route {
        /// For promotion; numbers on the do-not-disturb list are left out.
        Generic = "generic",
        /// For codes and notices; must be activated for the account.
        Dnd = "dnd",
    }
    impl Serialize;
    impl Deserialize;
    impl FromStr;
}

impl HttpVendor for Termii {
    fn read(declaration: &Declaration) -> Result<(Self, Access), DeclarationError> {
        // The key is in the body, or in a parameter of the query.
        let access = Access::read(declaration, USUAL_URL, Authorization::InRequest)?;
        let vendor = Self {
            api_key: declaration.credential("api_key")?.clone(),
            secret_key: declaration.credentials.get("secret_key").cloned(),
            route: declaration.option("channel")?.unwrap_or(Route::Generic),
        };
        Ok((vendor, access))
    }

    fn send_request(&self, account: &Account, batch: Batch<'_>) -> Result<Request, Outcome> {
        Ok(account.post(&["api", "sms", "send"]).json(&SendRequest {
            to: digits(batch.first()),
            from: account.sender(batch.first()),
            sms: &batch.first().draft.body,
            kind: "plain",
            channel: self.route,
            api_key: self.api_key.expose(),
        }))
    }

    fn send_result(&self, answer: &Answer, _: Batch<'_>) -> Result<Vec<Outcome>, Outcome> {
        Ok(vec![outcome(answer)])
    }

    fn lookup_request(&self, account: &Account, lookup: Lookup<'_>) -> Option<Request> {
        let query = [("api_key", self.api_key.expose()), ("message_id", lookup.reference?)];
        Some(account.get(&["api", "sms", "inbox"]).query(&query))
    }

    /// The history is a list, or a page with one. Its time is that of the creation of the message,
    /// not of the change of status.
    fn lookup_result(&self, answer: &Answer, lookup: Lookup<'_>) -> LookUp {
        if answer.status == StatusCode::NOT_FOUND {
            return LookUp::NotFound;
        }
        let Some(body) = answer.json_of_success::<Value>() else {
            return LookUp::Unavailable;
        };
        let lists = [&body, &body["data"], &body["content"], &body["data"]["content"]];
        let Some(list) = lists.into_iter().find_map(Value::as_array) else {
            return LookUp::Unavailable;
        };
        let is_it =
            |entry: &&Value| loose_json::text(&entry["message_id"]).as_deref() == lookup.reference;
        match list.iter().find(is_it).and_then(|entry| loose_json::text(&entry["status"])) {
            Some(status) => STATUSES.lookup(first_part(&status), lookup.now),
            // The history is delayed.
            None => LookUp::Waiting,
        }
    }

    fn check_request(&self, account: &Account) -> Request {
        account.get(&["api", "get-balance"]).query(&[("api_key", self.api_key.expose())])
    }

    fn check_result(&self, answer: &Answer) -> Check {
        let body = answer.json::<Value>().unwrap_or_default();
        let currency = loose_json::text(&body["currency"]).unwrap_or_default();
        health::balance(loose_json::amount(&body["balance"]), &currency, LOW_BALANCE)
    }

    /// Without a key of its own for signatures, the token is accepted as well.
    fn verify(&self, account: &Account, callback: &Callback) -> Result<(), CallbackRefused> {
        let key = self.secret_key.as_ref().unwrap_or(&self.api_key).expose();
        let shown = callback.header("x-termii-signature").unwrap_or_default().to_lowercase();
        let expected = hex(&hmac_sha512(key.as_bytes(), &callback.body));
        if equal(shown.as_bytes(), expected.as_bytes()) {
            Ok(())
        } else if self.secret_key.is_none() {
            account.verify_token(callback)
        } else {
            Err(CallbackRefused::Unauthorized)
        }
    }

    fn read_callback(
        &self,
        callback: &Callback,
        now: DateTime<Utc>,
    ) -> Result<Received, CallbackRefused> {
        let fields = Fields::of_query_and_body(callback)?;
        match fields.get("type").unwrap_or_default() {
            "inbound" => {
                let (from, text) = (fields.required(&["sender"])?, fields.required(&["message"])?);
                let at = fields.get("received_at").and_then(loose_json::time).unwrap_or(now);
                Ok(one_inbound(inbound_sms(from, text, at)))
            }
            "device_status" => Ok(Received::default()),
            _ => {
                let id = fields.required(&["message_id_str", "message_id"])?;
                let status = first_part(fields.required(&["status"])?);
                Ok(one_report(MessageRef::Vendors(id.to_owned()), STATUSES.event(status, now)))
            }
        }
    }
}

#[derive(Serialize)]
struct SendRequest<'a> {
    to: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<&'a str>,
    sms: &'a str,
    #[serde(rename = "type")]
    kind: &'a str,
    channel: Route,
    api_key: &'a str,
}

/// Response to a text.
#[derive(Deserialize)]
struct SendResponse {
    #[serde(default)]
    code: Value,
    /// As a number it may be too long for JSON; then `message_id_str` has it.
    #[serde(default)]
    message_id: Value,
    #[serde(default)]
    message_id_str: Value,
    /// Text, or a list of objects that contain it.
    #[serde(default)]
    message: Value,
}

/// Phrases in the text of a refusal, mostly from `/error`. A phrase about the sender may also
/// mention a number.
#[rustfmt::skip]
const PHRASES: PhraseTable = PhraseTable(&[
    ("senderid", NotAccepted(Code::SenderNotAllowed)),
    ("sender id", NotAccepted(Code::SenderNotAllowed)),
    ("insufficient", NotAccepted(Code::ProviderBalance)),
    ("country inactive", NotAccepted(Code::RecipientUnreachable)),
    ("not set up on this route", NotAccepted(Code::RecipientUnreachable)),
    ("temporarily unavailable", NotAccepted(Code::ProviderUnavailable)),
    ("not active on your account", NotAccepted(Code::ProviderRejected)),
    ("account is not active", NotAccepted(Code::ProviderAuth)),
    ("daily limit", NotAccepted(Code::ProviderThrottled)),
    ("unauthorized", NotAccepted(Code::ProviderAuth)),
    ("api key", NotAccepted(Code::ProviderAuth)),
    ("dnd active", Rejected(Code::RecipientOptedOut)),
    ("phone number", Rejected(Code::InvalidRecipient)),
    ("invalid destination", Rejected(Code::InvalidRecipient)),
]);

const STATUSES: StatusTable = StatusTable::usual_and(&[
    ("message_sent", Progress::Sent),
    ("message_failed", Progress::Failed(Code::Undelivered)),
    ("dnd_active", Progress::Failed(Code::RecipientOptedOut)),
    ("dnd_active_on_phone_number", Progress::Failed(Code::RecipientOptedOut)),
]);

fn outcome(answer: &Answer) -> Outcome {
    let Some(body) = answer.json::<SendResponse>() else { return answer.outcome_by_status() };
    let id = loose_json::text(&body.message_id_str).or_else(|| loose_json::text(&body.message_id));
    let is_accepted = match loose_json::text(&body.code) {
        Some(code) => code.eq_ignore_ascii_case("ok"),
        None => id.is_some(),
    };
    if answer.status.is_success() && is_accepted {
        return accepted(id);
    }
    answer.refusal(PHRASES.find(&body.message.to_string()), answer.status.as_str())
}

/// Returns the status in "DELIVERED | Message delivered to handset".
fn first_part(status: &str) -> &str {
    status.split('|').next().unwrap_or_default().trim()
}

#[cfg(test)]
mod tests;
