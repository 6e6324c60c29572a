//! Twilio: SMS, `WhatsApp` messages and calls over HTTP.
//!
//! Its documentation: <https://www.twilio.com/docs/messaging/api/message-resource>,
//! <https://www.twilio.com/docs/voice/api/call-resource> and, for what it calls,
//! <https://www.twilio.com/docs/usage/webhooks>. The requests follow its OpenAPI document,
//! <https://github.com/twilio/twilio-oai> (`twilio_api_v2010`). Reports come by callback, which is
//! told with each message, and a message can be asked for. Texts of recipients come to the same
//! address, if it is entered at the number or the messaging service.

mod calls;
mod codes;
mod messages;
mod signature;

use chrono::{DateTime, Utc};
use domain::{
    callback::{About, Callback, CallbackAnswer, CallbackRefused, Received},
    delivery::DeliveryEvent,
    message::Message,
    provider::{Check, LookUp, Outcome},
};
use serde::Deserialize;

use crate::{
    account::{self, Access, Authorization},
    answer::Answer,
    callbacks::{must_be_posted, ours},
    declaration::{Declaration, DeclarationError, Deps},
    form::Form,
    health,
    secret::Secret,
    speech,
};

pub(crate) use calls::VOICE;
pub(crate) use messages::{SMS, WHATSAPP};

const USUAL_URL: &str = "https://api.twilio.com";
/// Of the interface.
const VERSION: &str = "2010-04-01";
/// Has a callback that fails for any reason tried three times more
/// (<https://www.twilio.com/docs/usage/webhooks/webhooks-connection-overrides>). Neither sent to us
/// nor signed.
const OVERRIDES: &str = "#rc=3&rp=all";

/// Our account, and what all its resources have in common.
struct Account {
    vendor: account::Account,
    sid: String,
    auth_token: Secret,
}

/// A message or a call, as it was asked for.
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

/// What a declaration says of the account.
fn access(declaration: &Declaration) -> Result<Access, DeclarationError> {
    let sid = declaration.credential("account_sid")?.expose();
    if !sid.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        let problem = "must have ASCII letters and digits only";
        return Err(declaration.invalid("credentials.account_sid", problem));
    }
    let auth_token = declaration.credential("auth_token")?.clone();
    Access::read(declaration, USUAL_URL, Authorization::Basic(sid.to_owned(), auth_token))
}

impl Account {
    fn of(declaration: &Declaration, deps: &Deps) -> Result<Self, DeclarationError> {
        Ok(Self {
            vendor: account::Account::new(access(declaration)?, deps),
            sid: declaration.credential("account_sid")?.expose().to_owned(),
            auth_token: declaration.credential("auth_token")?.clone(),
        })
    }

    /// Makes a resource in a `list`, such as `Messages.json`.
    async fn create(&self, list: &str, message: &Message, fields: &[(&str, &str)]) -> Outcome {
        let callback = self.vendor.callback_url();
        let callback = format!("{callback}?message={}{OVERRIDES}", message.id);
        let form = [fields, &[("StatusCallback", &callback)]].concat();
        let request = self.vendor.post(&[VERSION, "Accounts", &self.sid, list]).form(&form);
        self.vendor.hand_over(request, codes::outcome).await
    }

    /// Asks what became of a message in a `list`, such as `Messages`.
    async fn look_up(
        &self,
        list: &str,
        message: &Message,
        event: impl Fn(&str, Option<u32>, DateTime<Utc>) -> Option<DeliveryEvent> + Sync,
    ) -> LookUp {
        let Some(id) = self.vendor.reference(message) else { return LookUp::Unavailable };
        let path = [VERSION, "Accounts", &self.sid, list, &format!("{id}.json")];
        let found = |answer: &Answer| match answer.success() {
            _ if codes::is_not_found(answer) => LookUp::NotFound,
            Some(Resource { status, error_code, date_updated }) => {
                let at = self.time(date_updated.as_deref());
                event(&status, error_code, at).map_or(LookUp::Waiting, LookUp::Found)
            }
            None => LookUp::Unavailable,
        };
        self.vendor.ask(self.vendor.get(&path), found).await
    }

    /// The vendor's time, or else ours.
    fn time(&self, text: Option<&str>) -> DateTime<Utc> {
        let time = text.and_then(|text| DateTime::parse_from_rfc2822(text).ok());
        time.map_or_else(|| self.vendor.now(), |time| time.to_utc())
    }

    async fn check(&self) -> Check {
        let request = self.vendor.get(&[VERSION, "Accounts", &format!("{}.json", self.sid)]);
        self.vendor.look(request, shown).await
    }

    /// The form of a callback that is found to be the vendor's.
    fn verified(&self, callback: &Callback) -> Result<Form, CallbackRefused> {
        must_be_posted(callback)?;
        let form = Form::of(callback);
        if signature::is_right(self.auth_token.expose(), callback, &form) {
            Ok(form)
        } else {
            Err(CallbackRefused::Unauthorized)
        }
    }
}

/// What the account shows.
fn shown(answer: &Answer) -> Check {
    match answer.json::<Profile>().as_ref().map(|profile| profile.status.as_str()) {
        Some("active") => health::up("the account is active"),
        Some("suspended") => health::down("the account is suspended"),
        Some("closed") => health::down("the account is closed"),
        _ => health::degraded("the account cannot be read"),
    }
}

/// The message that a callback is about: ours as it was told with the message, else the vendor's.
fn about(callback: &Callback, vendors: &str) -> About {
    let named = callback.parameter("message").and_then(ours);
    named.unwrap_or_else(|| About::Vendors(vendors.to_owned()))
}

/// What was received, answered as the vendor wants it.
fn answered(received: Received) -> Received {
    let answer = CallbackAnswer::Text("text/xml", speech::NOTHING.to_owned());
    Received { answer, ..received }
}

#[cfg(test)]
mod tests;
