//! WhatsApp Cloud API: texts and templates over Meta's Graph API.
//!
//! Its documentation: <https://developers.facebook.com/documentation/business-messaging/whatsapp/>.
//! The sender is the number that `phone_number_id` names; no message can ask for another. A text
//! reaches only those who wrote within the last 24 hours, a template everybody. Reports come by
//! webhook, and a message can be asked for. The requests follow its OpenAPI document,
//! <https://github.com/facebook/openapi>.

mod body;
mod codes;
mod history;
mod webhook;

use std::sync::Arc;

use async_trait::async_trait;
use chrono::TimeDelta;
use domain::{
    callback::{Callback, CallbackRefused, Received},
    channel::Channel,
    message::Message,
    provider::{Check, LookUp, Outcome},
};
use ports::providers::MessagingProvider;
use serde::Deserialize;

use self::body::Body;
use crate::{
    account::{Access, Account, Authorization},
    answer::Answer,
    declaration::{Declaration, DeclarationError, Deps},
    health,
    kind::{Callbacks, USUAL_PATIENCE, Vendor},
    verdict::accepted,
};

const USUAL_URL: &str = "https://graph.facebook.com";
/// Each version is served for about two years.
const USUAL_VERSION: &str = "v25.0";
/// What the number is asked for.
const FIELDS: &str = "verified_name,quality_rating";

/// How long after a user's last message free texts are taken. The vendor calls it the customer
/// service window: <https://developers.facebook.com/docs/whatsapp/cloud-api/guides/send-messages>.
const SESSION: TimeDelta = TimeDelta::hours(24);

pub(crate) const VENDOR: Vendor = Vendor {
    name: "whatsapp-cloud",
    channels: &[Channel::WhatsApp],
    required: &["phone_number_id", "access_token", "app_secret", "verify_token"],
    optional: &[],
    options: &["api_version"],
    patience: USUAL_PATIENCE,
    callbacks: Callbacks::Signed,
    check: |declaration| access(declaration).and(Settings::read(declaration)).map(drop),
    build,
};

struct WhatsAppCloud {
    account: Account,
    settings: Settings,
}

struct Settings {
    api_version: String,
    phone_number_id: String,
    proof: webhook::Proof,
}

fn build(
    declaration: &Declaration,
    deps: &Deps,
) -> Result<Arc<dyn MessagingProvider>, DeclarationError> {
    let account = Account::new(access(declaration)?, deps);
    Ok(Arc::new(WhatsAppCloud { account, settings: Settings::read(declaration)? }))
}

fn access(declaration: &Declaration) -> Result<Access, DeclarationError> {
    Access::read(declaration, USUAL_URL, Authorization::bearer(declaration, "access_token")?)
}

impl Settings {
    fn read(declaration: &Declaration) -> Result<Self, DeclarationError> {
        let is_number = |text: &str| !text.is_empty() && text.bytes().all(|it| it.is_ascii_digit());
        let id = declaration.credential("phone_number_id")?.expose();
        if !is_number(id) {
            let problem = "must be the identifier of a number, not the number: digits only";
            return Err(declaration.invalid("credentials.phone_number_id", problem));
        }
        let version =
            declaration.option("api_version")?.unwrap_or_else(|| USUAL_VERSION.to_owned());
        let parts = version.strip_prefix('v').and_then(|version| version.split_once('.'));
        if !parts.is_some_and(|(major, minor)| is_number(major) && is_number(minor)) {
            return Err(declaration.invalid("options.api_version", "must be of the form v25.0"));
        }
        Ok(Self {
            api_version: version,
            phone_number_id: id.to_owned(),
            proof: webhook::Proof {
                app_secret: declaration.credential("app_secret")?.clone(),
                verify_token: declaration.credential("verify_token")?.clone(),
            },
        })
    }
}

#[async_trait]
impl MessagingProvider for WhatsAppCloud {
    async fn send(&self, message: &Message) -> Outcome {
        let Settings { api_version, phone_number_id, .. } = &self.settings;
        let request = self.account.post(&[api_version, phone_number_id, "messages"]);
        self.account.hand_over(request.json(&Body::of(message)), outcome).await
    }

    async fn look_up(&self, message: &Message) -> LookUp {
        let Settings { api_version, phone_number_id, .. } = &self.settings;
        let Some(id) = self.account.reference(message) else { return LookUp::Unavailable };
        let request = self.account.get(&[api_version, phone_number_id, "message_history"]);
        let request = request.query(&[("message_id", id), ("fields", history::FIELDS)]);
        self.account.ask(request, |answer| history::found(answer, self.account.now())).await
    }

    async fn check(&self) -> Check {
        let Settings { api_version, phone_number_id, .. } = &self.settings;
        let request = self.account.get(&[api_version, phone_number_id]);
        match self.account.call(request.query(&[("fields", FIELDS)])).await {
            Ok(answer) => shown(&answer),
            Err(outcome) => health::unseen(outcome),
        }
    }

    fn can_be_answered(&self) -> bool {
        true
    }

    fn session_window(&self) -> Option<TimeDelta> {
        Some(SESSION)
    }

    fn receive(&self, callback: &Callback) -> Result<Received, CallbackRefused> {
        let Settings { proof, phone_number_id, .. } = &self.settings;
        webhook::receive(proof, phone_number_id, callback, self.account.now())
    }
}

#[derive(Deserialize)]
struct Taken {
    messages: Vec<TakenMessage>,
}

#[derive(Deserialize)]
struct TakenMessage {
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

/// What an answer says.
fn outcome(answer: &Answer) -> Outcome {
    if answer.status.is_success() {
        let taken = answer.json::<Taken>().and_then(|taken| taken.messages.into_iter().next());
        return match taken.filter(|message| !message.id.is_empty()) {
            Some(message) => accepted(Some(message.id)),
            None => answer.by_status(),
        };
    }
    match answer.json::<Refusal>() {
        Some(Refusal { error }) => error.outcome(answer),
        None => answer.by_status(),
    }
}

impl RefusalError {
    fn outcome(&self, answer: &Answer) -> Outcome {
        let verdict = codes::verdict(self.code, self.error_subcode);
        answer.judged(verdict.unwrap_or_else(|| answer.verdict()), &self.code.to_string())
    }
}

#[derive(Deserialize)]
struct Number {
    verified_name: Option<String>,
    quality_rating: Option<String>,
}

/// What the number shows of itself. A low quality makes Meta restrict it.
fn shown(answer: &Answer) -> Check {
    if !answer.status.is_success() {
        return health::unseen(outcome(answer));
    }
    let Some(number) = answer.json::<Number>() else {
        return health::down("the provider's answer is not the documented one");
    };
    let name = number.verified_name.as_deref().unwrap_or("the number");
    let quality = number.quality_rating.as_deref().unwrap_or("UNKNOWN");
    let message = format!("{name} has the quality {quality}");
    if quality == "RED" { health::degraded(message) } else { health::up(message) }
}

#[cfg(test)]
mod tests;
