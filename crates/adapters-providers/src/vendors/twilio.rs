//! Twilio: SMS, `WhatsApp` messages and calls over HTTP.
//!
//! Documentation: <https://www.twilio.com/docs/messaging/api/message-resource>,
//! <https://www.twilio.com/docs/voice/api/call-resource> and, for callbacks,
//! <https://www.twilio.com/docs/usage/webhooks>. The requests follow its OpenAPI document,
//! <https://github.com/twilio/twilio-oai> (`twilio_api_v2010`). Reports arrive by callback, at the
//! address that is submitted with each message, and a message can be looked up. Inbound messages
//! arrive at the same address, if it is entered for the number or the messaging service.

mod calls;
mod codes;
mod messages;
mod signature;

use chrono::{DateTime, Utc};
use domain::{
    messaging::{
        callback::{Callback, CallbackAnswer, CallbackRefused, MessageRef, Received},
        delivery::DeliveryEvent,
        message::Message,
        outcome::LookUp,
    },
    providers::provider::Check,
};
use serde::Deserialize;

use crate::{
    callbacks::{Fields, must_be_posted, our_message},
    health,
    http_vendor::{
        Access, Account, Answer, Authorization, Declaration, DeclarationError, Lookup, Request,
    },
    secret::Secret,
    twiml,
};

pub(super) use calls::{Calls, VOICE};
pub(super) use messages::{Messages, SMS, WHATSAPP};

const USUAL_URL: &str = "https://api.twilio.com";
/// Version of the interface.
const VERSION: &str = "2010-04-01";
/// Makes Twilio repeat a failed callback up to three times
/// (<https://www.twilio.com/docs/usage/webhooks/webhooks-connection-overrides>). A fragment,
/// neither sent to this service nor signed.
const OVERRIDES: &str = "#rc=3&rp=all";

/// Settings shared by messages and calls.
struct Twilio {
    account_sid: String,
    auth_token: Secret,
}

/// Message or call.
#[derive(Deserialize)]
struct Resource {
    status: String,
    error_code: Option<u32>,
    /// RFC 2822.
    date_updated: Option<String>,
}

#[derive(Deserialize)]
struct Profile {
    status: String,
}

impl Twilio {
    fn read(declaration: &Declaration) -> Result<(Self, Access), DeclarationError> {
        let sid = declaration.credential("account_sid")?.expose();
        if !sid.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
            let problem = "must have ASCII letters and digits only";
            return Err(declaration.invalid_credential("account_sid", problem));
        }
        let auth_token = declaration.credential("auth_token")?.clone();
        let authorization = Authorization::Basic(sid.to_owned(), auth_token.clone());
        let access = Access::read(declaration, USUAL_URL, authorization)?;
        Ok((Self { account_sid: sid.to_owned(), auth_token }, access))
    }

    /// Builds the request that creates a resource in a `list`, such as `Messages.json`.
    fn create_request(
        &self,
        account: &Account,
        list: &str,
        message: &Message,
        fields: &[(&str, &str)],
    ) -> Request {
        let callback = account.callback_url();
        let callback = format!("{callback}?message={}{OVERRIDES}", message.id);
        let form = [fields, &[("StatusCallback", &callback)]].concat();
        account.post(&[VERSION, "Accounts", &self.account_sid, list]).form(&form)
    }

    /// Builds the request that reads a resource in a `list`, such as `Messages`.
    fn lookup_request(&self, account: &Account, list: &str, lookup: Lookup<'_>) -> Option<Request> {
        let resource = format!("{}.json", lookup.reference?);
        Some(account.get(&[VERSION, "Accounts", &self.account_sid, list, &resource]))
    }

    fn check_request(&self, account: &Account) -> Request {
        account.get(&[VERSION, "Accounts", &format!("{}.json", self.account_sid)])
    }

    fn verify(&self, callback: &Callback) -> Result<(), CallbackRefused> {
        must_be_posted(callback)?;
        let fields = Fields::of_form(callback);
        if signature::is_right(self.auth_token.expose(), callback, &fields) {
            Ok(())
        } else {
            Err(CallbackRefused::Unauthorized)
        }
    }
}

/// Returns the result of a lookup. `event` maps a status and an error code.
fn lookup_result(
    answer: &Answer,
    lookup: Lookup<'_>,
    event: fn(&str, Option<u32>, DateTime<Utc>) -> Option<DeliveryEvent>,
) -> LookUp {
    if codes::is_not_found(answer) {
        return LookUp::NotFound;
    }
    let Some(Resource { status, error_code, date_updated }) = answer.json_of_success() else {
        return LookUp::Unavailable;
    };
    match event(&status, error_code, time(date_updated.as_deref(), lookup.now)) {
        Some(event) => LookUp::Found(event),
        None => LookUp::Waiting,
    }
}

/// Returns the vendor's time, or else `now`.
fn time(text: Option<&str>, now: DateTime<Utc>) -> DateTime<Utc> {
    match text.map(DateTime::parse_from_rfc2822) {
        Some(Ok(time)) => time.to_utc(),
        _ => now,
    }
}

fn check_result(answer: &Answer) -> Check {
    match answer.json::<Profile>().as_ref().map(|profile| profile.status.as_str()) {
        Some("active") => health::up("the account is active"),
        Some("suspended") => health::down("the account is suspended"),
        Some("closed") => health::down("the account is closed"),
        _ => health::degraded("the account cannot be read"),
    }
}

/// Returns the message of a callback: by the identifier in the address that was submitted with the
/// message, or else by the vendor's identifier.
fn about(callback: &Callback, sid: &str) -> MessageRef {
    match callback.parameter("message").and_then(our_message) {
        Some(ours) => ours,
        None => MessageRef::Vendors(sid.to_owned()),
    }
}

/// Adds the response that the vendor expects to a received callback.
fn with_answer(received: Received) -> Received {
    let answer = CallbackAnswer::Text("text/xml", twiml::NOTHING.to_owned());
    Received { answer, ..received }
}

#[cfg(test)]
mod tests;
