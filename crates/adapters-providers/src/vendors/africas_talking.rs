//! Africa's Talking: SMS over HTTP, and calls in `voice.rs`.
//!
//! Documentation: <https://developers.africastalking.com/docs/sms/sending/bulk> and
//! <https://developers.africastalking.com/docs/sms/notifications>. Delivery reports and inbound SMS
//! arrive by callback, at the address that is entered in the vendor's dashboard; a message cannot
//! be looked up.

mod account;
mod callbacks;
mod codes;
mod voice;

use chrono::{DateTime, Utc};
use domain::{
    messaging::{
        callback::{Callback, CallbackRefused, Received},
        outcome::Outcome,
    },
    providers::provider::Check,
    shared::channel::Channel,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    callbacks::Fields,
    health,
    http_vendor::{
        Access, Account, Answer, BaseUrl, Batch, Callbacks, Declaration, DeclarationError,
        HttpVendor, Request, Vendor,
    },
    loose_json,
};

pub(super) use voice::{Calls, VOICE};

const USUAL_URL: &str = "https://api.africastalking.com";
/// Balance in units of its currency below which an account is nearly empty.
const LOW_BALANCE: f64 = 1.0;

pub(super) const SMS: Vendor = Vendor {
    name: "africas-talking",
    channels: &[Channel::Sms],
    base_url: BaseUrl::Usual(USUAL_URL),
    required_credentials: &["username", "api_key"],
    callbacks: Callbacks::Token,
    // The response to this many is still short enough to read.
    group_limit: 100,
    distinct_recipients: true,
    // Recipients can opt out of a sender name too, and the vendor reports it.
    can_be_answered: true,
    ..Vendor::DEFAULTS
};

pub(super) struct Sms {
    username: String,
}

impl HttpVendor for Sms {
    fn read(declaration: &Declaration) -> Result<(Self, Access), DeclarationError> {
        let (username, access) = account::read(declaration, USUAL_URL)?;
        Ok((Self { username }, access))
    }

    fn send_request(&self, account: &Account, batch: Batch<'_>) -> Result<Request, Outcome> {
        Ok(account.post(&["version1", "messaging"]).form(&SendRequest {
            username: &self.username,
            to: &numbers(batch).join(","),
            message: &batch.first().draft.body,
            from: account.sender(batch.first()),
            bulk_sms_mode: 1,
        }))
    }

    fn send_result(&self, answer: &Answer, batch: Batch<'_>) -> Result<Vec<Outcome>, Outcome> {
        Ok(codes::outcomes(answer, &numbers(batch)))
    }

    fn check_request(&self, account: &Account) -> Request {
        account.get(&["version1", "user"]).query(&[("username", &self.username)])
    }

    fn check_result(&self, answer: &Answer) -> Check {
        let balance = answer.json::<User>().map(|user| user.data.balance).unwrap_or_default();
        let currency = balance.as_str().and_then(|text| text.split_whitespace().next());
        let amount = loose_json::amount(&balance);
        health::balance(amount, currency.unwrap_or_default(), LOW_BALANCE)
    }

    fn verify(&self, account: &Account, callback: &Callback) -> Result<(), CallbackRefused> {
        account::verify(account, callback)
    }

    fn read_callback(
        &self,
        callback: &Callback,
        now: DateTime<Utc>,
    ) -> Result<Received, CallbackRefused> {
        callbacks::read(&Fields::of_form(callback), now)
    }
}

fn numbers(batch: Batch<'_>) -> Vec<&str> {
    batch.messages.iter().map(|message| message.draft.recipient.as_str()).collect()
}

#[derive(Serialize)]
struct SendRequest<'a> {
    username: &'a str,
    to: &'a str,
    message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<&'a str>,
    #[serde(rename = "bulkSMSMode")]
    bulk_sms_mode: u8,
}

#[derive(Deserialize)]
struct User {
    #[serde(rename = "UserData")]
    data: UserData,
}

#[derive(Deserialize)]
struct UserData {
    /// Currency and amount, such as `GHS 12.50`.
    balance: Value,
}

#[cfg(test)]
mod tests;
