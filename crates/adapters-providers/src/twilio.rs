//! Twilio: SMS, `WhatsApp` messages and calls over HTTP.
//!
//! Its documentation: <https://www.twilio.com/docs/messaging/api/message-resource>,
//! <https://www.twilio.com/docs/voice/api/call-resource> and, for what it calls,
//! <https://www.twilio.com/docs/usage/webhooks>. Reports come by callback, which is told with each
//! message, and a message can be asked for. Texts of recipients come to the same address, if it is
//! entered at the number or the messaging service.

mod calls;
mod codes;
mod messages;
mod signature;

use std::{sync::Arc, time::Duration};

use chrono::{DateTime, Utc};
use domain::{
    callback::{About, Callback, CallbackAnswer, CallbackMethod, CallbackRefused, Received},
    delivery::DeliveryEvent,
    id::Id,
    message::Message,
    provider::{AttemptOutcome, Check, CheckStatus, LookUp, Outcome},
};
use ports::clock::Clock;
use reqwest::{RequestBuilder, StatusCode, Url};
use serde::Deserialize;

use crate::{
    client::HttpClient,
    declaration::{Declaration, DeclarationError, Deps},
    form::Form,
    secret::Secret,
    speech,
};

pub(crate) use calls::VOICE;
pub(crate) use messages::{SMS, WHATSAPP};

const USUAL_URL: &str = "https://api.twilio.com";
/// The credentials of all three.
const CREDENTIALS: &[&str] = &["account_sid", "auth_token"];
/// Has a callback that fails for any reason tried three times more
/// (<https://www.twilio.com/docs/usage/webhooks/webhooks-connection-overrides>). Neither sent to us
/// nor signed.
const OVERRIDES: &str = "#rc=3&rp=all";

/// Our account, and what all its resources have in common.
struct Account {
    http: HttpClient,
    clock: Arc<dyn Clock>,
    /// The provider's name.
    provider: String,
    /// The address of the list of accounts.
    url: Url,
    sid: String,
    auth_token: Secret,
    sender: Option<String>,
    timeout: Duration,
    callback_url: String,
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

/// Checks the credentials, and gives the address of the list of accounts.
fn accounts(declaration: &Declaration) -> Result<Url, DeclarationError> {
    let sid = declaration.credential("account_sid")?.expose();
    if !sid.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        let problem = "must have ASCII letters and digits only";
        return Err(declaration.invalid("credentials.account_sid", problem));
    }
    declaration.url(USUAL_URL, "/2010-04-01/Accounts")
}

impl Account {
    fn of(declaration: &Declaration, deps: &Deps) -> Result<Self, DeclarationError> {
        Ok(Self {
            http: deps.http.clone(),
            clock: Arc::clone(&deps.clock),
            provider: declaration.name.clone(),
            url: accounts(declaration)?,
            sid: declaration.credential("account_sid")?.expose().to_owned(),
            auth_token: declaration.credential("auth_token")?.clone(),
            sender: declaration.sender.clone(),
            timeout: declaration.timeout(),
            callback_url: deps.callback_url(&declaration.name, None),
        })
    }

    /// The sender that a message has.
    fn sender<'a>(&'a self, message: &'a Message) -> Option<&'a str> {
        message.draft.sender.as_deref().or(self.sender.as_deref())
    }

    /// The address of something, by the names on the way to it.
    fn address(&self, names: &[&str]) -> Url {
        let mut url = self.url.clone();
        if let Ok(mut segments) = url.path_segments_mut() {
            segments.extend(names);
        }
        url
    }

    fn authorized(&self, request: RequestBuilder) -> RequestBuilder {
        request.basic_auth(&self.sid, Some(self.auth_token.expose()))
    }

    /// Makes a resource in a `list`, such as `Messages.json`.
    async fn create(&self, list: &str, message: &Message, fields: &[(&str, &str)]) -> Outcome {
        let callback = format!("{}?message={}{OVERRIDES}", self.callback_url, message.id);
        let form = [fields, &[("StatusCallback", &callback)]].concat();
        let request = self.http.post(self.address(&[&self.sid, list])).form(&form);
        match self.http.call(self.authorized(request), self.timeout).await {
            Ok(answer) => codes::outcome(&answer),
            Err(outcome) => outcome,
        }
    }

    /// Asks what became of a message in a `list`, such as `Messages`.
    async fn look_up(
        &self,
        list: &str,
        message: &Message,
        event: impl Fn(&str, Option<u32>, DateTime<Utc>) -> Option<DeliveryEvent>,
    ) -> LookUp {
        let Some(reference) = self.reference(message) else { return LookUp::Unavailable };
        let url = self.address(&[&self.sid, list, &format!("{reference}.json")]);
        let request = self.authorized(self.http.get(url));
        let Ok(answer) = self.http.call(request, self.timeout).await else {
            return LookUp::Unavailable;
        };
        if answer.status == StatusCode::NOT_FOUND && codes::is_not_found(&answer) {
            return LookUp::NotFound;
        }
        match answer.json::<Resource>() {
            Some(Resource { status, error_code, date_updated }) if answer.status.is_success() => {
                let at = self.time(date_updated.as_deref());
                event(&status, error_code, at).map_or(LookUp::Waiting, LookUp::Found)
            }
            _ => LookUp::Unavailable,
        }
    }

    /// The vendor's identifier of the message, by the last handing over that it accepted.
    fn reference<'a>(&self, message: &'a Message) -> Option<&'a str> {
        let mut accepted = message.attempts.iter().rev().filter(|attempt| {
            attempt.provider == self.provider && attempt.outcome == Some(AttemptOutcome::Accepted)
        });
        accepted.next()?.reference.as_deref()
    }

    /// The vendor's time, or else ours.
    fn time(&self, text: Option<&str>) -> DateTime<Utc> {
        let time = text.and_then(|text| DateTime::parse_from_rfc2822(text).ok());
        time.map_or_else(|| self.clock.now(), |time| time.to_utc())
    }

    async fn check(&self) -> Check {
        let url = self.address(&[&format!("{}.json", self.sid)]);
        let request = self.authorized(self.http.get(url));
        let profile = match self.http.look(request, self.timeout).await {
            Ok(answer) => answer.json::<Profile>(),
            Err(check) => return check,
        };
        let (status, message) = match profile.as_ref().map(|profile| profile.status.as_str()) {
            Some("active") => (CheckStatus::Up, "the account is active"),
            Some("suspended") => (CheckStatus::Down, "the account is suspended"),
            Some("closed") => (CheckStatus::Down, "the account is closed"),
            _ => (CheckStatus::Degraded, "the account cannot be read"),
        };
        Check { status, message: message.to_owned() }
    }

    /// The form of a callback that is found to be the vendor's.
    fn verified(&self, callback: &Callback) -> Result<Form, CallbackRefused> {
        if callback.method != CallbackMethod::Post {
            return Err(CallbackRefused::Unsupported);
        }
        let form = Form::of(callback);
        if signature::is_right(self.auth_token.expose(), callback, &form) {
            Ok(form)
        } else {
            Err(CallbackRefused::Unauthorized)
        }
    }
}

/// The message that a callback is about: ours as it was told with the message, else the vendor's.
fn about(callback: &Callback, vendors: &str) -> About {
    let ours = callback.parameter("message").and_then(|text| Id::parse_either(text).ok());
    ours.map_or_else(|| About::Vendors(vendors.to_owned()), About::Ours)
}

/// What was received, answered as the vendor wants it.
fn answered(received: Received) -> Received {
    let answer = CallbackAnswer::Text("text/xml", speech::NOTHING.to_owned());
    Received { answer, ..received }
}

#[cfg(test)]
mod tests;
