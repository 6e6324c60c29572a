//! WhatsApp Cloud API: texts and templates over Meta's Graph API.
//!
//! Documentation: <https://developers.facebook.com/documentation/business-messaging/whatsapp/>. The
//! sender is the number of `phone_number_id`; no message can request another. A text reaches only
//! users who wrote within the last 24 hours, a template everyone. Reports arrive by webhook, and a
//! message can be looked up. The requests follow its OpenAPI document,
//! <https://github.com/facebook/openapi>.

mod body;
mod codes;
mod history;
mod webhook;

use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    messaging::{
        callback::{Callback, CallbackRefused, Received},
        outcome::{LookUp, Outcome},
    },
    providers::provider::Check,
    shared::channel::Channel,
};
use serde::Deserialize;

use self::body::Body;
use crate::{
    health,
    http_vendor::{
        Access, Account, Answer, Authorization, BaseUrl, Batch, Callbacks, Declaration,
        DeclarationError, HttpVendor, Lookup, Request, Vendor,
    },
    verdict::accepted,
};

const USUAL_URL: &str = "https://graph.facebook.com";
/// Version of the interface. Each is supported for about two years.
const USUAL_VERSION: &str = "v25.0";
/// Fields that a check requests.
const FIELDS: &str = "verified_name,quality_rating";

/// Time after a user's last message in which free texts are accepted. The vendor calls it the
/// customer service window:
/// <https://developers.facebook.com/docs/whatsapp/cloud-api/guides/send-messages>.
const SESSION_WINDOW: TimeDelta = TimeDelta::hours(24);

pub(super) const VENDOR: Vendor = Vendor {
    name: "whatsapp-cloud",
    channels: &[Channel::WhatsApp],
    base_url: BaseUrl::Usual(USUAL_URL),
    required_credentials: &["phone_number_id", "access_token", "app_secret", "verify_token"],
    options: &["api_version"],
    callbacks: Callbacks::Signed,
    can_be_answered: true,
    session_window: Some(SESSION_WINDOW),
    ..Vendor::DEFAULTS
};

pub(super) struct WhatsAppCloud {
    api_version: String,
    phone_number_id: String,
    proof: webhook::Proof,
}

impl HttpVendor for WhatsAppCloud {
    fn read(declaration: &Declaration) -> Result<(Self, Access), DeclarationError> {
        let access_token = Authorization::bearer(declaration, "access_token")?;
        let access = Access::read(declaration, USUAL_URL, access_token)?;
        let id = declaration.credential("phone_number_id")?.expose();
        if !is_number(id) {
            let problem = "must be the identifier of a number, not the number: digits only";
            return Err(declaration.invalid_credential("phone_number_id", problem));
        }
        let version = declaration.option("api_version")?;
        let version = version.unwrap_or_else(|| USUAL_VERSION.to_owned());
        let parts = version.strip_prefix('v').and_then(|version| version.split_once('.'));
        if !parts.is_some_and(|(major, minor)| is_number(major) && is_number(minor)) {
            return Err(declaration.invalid_option("api_version", "must be of the form v25.0"));
        }
        let vendor = Self {
            api_version: version,
            phone_number_id: id.to_owned(),
            proof: webhook::Proof {
                app_secret: declaration.credential("app_secret")?.clone(),
                verify_token: declaration.credential("verify_token")?.clone(),
            },
        };
        Ok((vendor, access))
    }

    fn send_request(&self, account: &Account, batch: Batch<'_>) -> Result<Request, Outcome> {
        let path = [&*self.api_version, &*self.phone_number_id, "messages"];
        Ok(account.post(&path).json(&Body::of(batch.first())))
    }

    fn send_result(&self, answer: &Answer, _: Batch<'_>) -> Result<Vec<Outcome>, Outcome> {
        Ok(vec![outcome(answer)])
    }

    fn lookup_request(&self, account: &Account, lookup: Lookup<'_>) -> Option<Request> {
        let query = [("message_id", lookup.reference?), ("fields", history::FIELDS)];
        let path = [&*self.api_version, &*self.phone_number_id, "message_history"];
        Some(account.get(&path).query(&query))
    }

    fn lookup_result(&self, answer: &Answer, lookup: Lookup<'_>) -> LookUp {
        history::lookup_result(answer, lookup.now)
    }

    fn check_request(&self, account: &Account) -> Request {
        account.get(&[&self.api_version, &self.phone_number_id]).query(&[("fields", FIELDS)])
    }

    /// Meta restricts numbers with a low quality.
    fn check_result(&self, answer: &Answer) -> Check {
        let Some(number) = answer.json::<Number>() else {
            return health::down("the provider's answer is not the documented one");
        };
        let name = number.verified_name.as_deref().unwrap_or("the number");
        let quality = number.quality_rating.as_deref().unwrap_or("UNKNOWN");
        let message = format!("{name} has the quality {quality}");
        if quality == "RED" { health::degraded(message) } else { health::up(message) }
    }

    fn check_refusal(&self, answer: &Answer) -> Check {
        health::check_of(outcome(answer))
    }

    fn verify(&self, _: &Account, callback: &Callback) -> Result<(), CallbackRefused> {
        self.proof.verify(callback)
    }

    fn read_callback(
        &self,
        callback: &Callback,
        now: DateTime<Utc>,
    ) -> Result<Received, CallbackRefused> {
        webhook::read(callback, &self.phone_number_id, now)
    }
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

#[derive(Deserialize)]
struct SendResponse {
    messages: Vec<SentMessage>,
}

#[derive(Deserialize)]
struct SentMessage {
    id: String,
}

#[derive(Deserialize)]
struct Refusal {
    error: RefusalError,
}

#[derive(Deserialize)]
struct RefusalError {
    code: u32,
    error_subcode: Option<u32>,
}

fn outcome(answer: &Answer) -> Outcome {
    if answer.status.is_success() {
        let body = answer.json::<SendResponse>();
        return match body.and_then(|body| body.messages.into_iter().next()) {
            Some(SentMessage { id }) if !id.is_empty() => accepted(Some(id)),
            _ => answer.outcome_by_status(),
        };
    }
    match answer.json::<Refusal>() {
        Some(Refusal { error }) => error.outcome(answer),
        None => answer.outcome_by_status(),
    }
}

impl RefusalError {
    fn outcome(&self, answer: &Answer) -> Outcome {
        let verdict = codes::verdict(self.code, self.error_subcode);
        answer
            .outcome(verdict.unwrap_or_else(|| answer.verdict_by_status()), &self.code.to_string())
    }
}

#[derive(Deserialize)]
struct Number {
    verified_name: Option<String>,
    quality_rating: Option<String>,
}

#[cfg(test)]
mod tests;
