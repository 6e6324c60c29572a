//! Hubtel: SMS over HTTP, in Ghana.
//!
//! Its documentation: <https://businessdocs-developers.hubtel.com/docs/simple-messaging> for
//! sending, <https://businessdocs-developers.hubtel.com/docs/sms-status-check> for asking, and
//! <https://hubtel.readme.io/reference/response-code> for the codes. Where it calls with reports
//! and incoming texts is set in the account, and it does not sign: the address has a token.

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::{
    callback::{About, Callback, CallbackRefused, Received},
    channel::Channel,
    delivery::FailureCode as Code,
    message::Message,
    provider::{Check, CheckStatus, LookUp, Outcome},
};
use ports::{clock::Clock, providers::MessagingProvider};
use reqwest::{StatusCode, Url};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    client::{Answer, HttpClient},
    declaration::{Declaration, DeclarationError, Deps},
    kind::{Callbacks, USUAL_PATIENCE, Vendor},
    secret::Secret,
    signature::{token, verify_token},
    sms::{self, Fields, Progress},
    verdict::Verdict::{self, NotAccepted, Rejected},
};

const USUAL_URL: &str = "https://sms.hubtel.com";

/// Asked for to see whether the credentials are good: there is no call for the balance.
const NO_MESSAGE: &str = "00000000-0000-0000-0000-000000000000";

pub(crate) const VENDOR: Vendor = Vendor {
    name: "hubtel",
    channels: &[Channel::Sms],
    required: &["client_id", "client_secret"],
    optional: &[],
    options: &[],
    patience: USUAL_PATIENCE,
    callbacks: Callbacks::Token("client_secret"),
    check: |declaration| Settings::read(declaration).map(drop),
    build,
};

struct Hubtel {
    http: HttpClient,
    clock: Arc<dyn Clock>,
    settings: Settings,
}

struct Settings {
    name: String,
    messages: Url,
    client_id: Secret,
    client_secret: Secret,
    token: String,
    sender: Option<String>,
    timeout: Duration,
}

fn build(
    declaration: &Declaration,
    deps: &Deps,
) -> Result<Arc<dyn MessagingProvider>, DeclarationError> {
    let settings = Settings::read(declaration)?;
    Ok(Arc::new(Hubtel { http: deps.http.clone(), clock: deps.clock.clone(), settings }))
}

impl Settings {
    fn read(declaration: &Declaration) -> Result<Self, DeclarationError> {
        let client_secret = declaration.credential("client_secret")?.clone();
        Ok(Self {
            name: declaration.name.clone(),
            messages: declaration.url(USUAL_URL, "/v1/messages")?,
            client_id: declaration.credential("client_id")?.clone(),
            token: token(client_secret.expose(), &declaration.name),
            client_secret,
            sender: declaration.sender.clone(),
            timeout: declaration.timeout(),
        })
    }
}

impl Hubtel {
    async fn ask(&self, id: &str) -> Result<Answer, Outcome> {
        let Settings { messages, client_id, client_secret, timeout, .. } = &self.settings;
        let request = self
            .http
            .get(sms::below(messages, id))
            .basic_auth(client_id.expose(), Some(client_secret.expose()));
        self.http.call(request, *timeout).await
    }
}

#[async_trait]
impl MessagingProvider for Hubtel {
    async fn send(&self, message: &Message) -> Outcome {
        let Settings { messages, client_id, client_secret, sender, timeout, .. } = &self.settings;
        let request = self
            .http
            .post(sms::below(messages, "send"))
            .basic_auth(client_id.expose(), Some(client_secret.expose()))
            .json(&Request {
                from: message.draft.sender.as_deref().or(sender.as_deref()),
                to: sms::digits(message),
                content: &message.draft.body,
                client_reference: message.id.internal(),
                registered_delivery: true,
            });
        match self.http.call(request, *timeout).await {
            Ok(answer) => outcome(&answer),
            Err(outcome) => outcome,
        }
    }

    async fn look_up(&self, message: &Message) -> LookUp {
        let Some(id) = sms::reference(message, &self.settings.name) else {
            return LookUp::Unavailable;
        };
        match self.ask(id).await {
            Ok(answer) => found(&answer, self.clock.now()),
            Err(_) => LookUp::Unavailable,
        }
    }

    async fn check(&self) -> Check {
        let check = |status, message: &str| Check { status, message: message.to_owned() };
        match self.ask(NO_MESSAGE).await {
            Ok(answer) => match answer.status.as_u16() {
                200..=299 | 400 | 404 => check(CheckStatus::Up, "the credentials are accepted"),
                401 | 403 => check(CheckStatus::Down, "the provider refused our credentials"),
                429 => check(CheckStatus::Degraded, "the provider takes no more for now"),
                status => check(CheckStatus::Down, &format!("the provider answered {status}")),
            },
            Err(Outcome::NotAccepted { failure, .. } | Outcome::Unknown(failure)) => {
                check(CheckStatus::Down, &failure.message)
            }
            Err(_) => check(CheckStatus::Down, "the provider did not answer"),
        }
    }

    fn can_be_answered(&self) -> bool {
        true
    }

    fn receive(&self, callback: &Callback) -> Result<Received, CallbackRefused> {
        verify_token(callback, &self.settings.token)?;
        received(callback, self.clock.now())
    }
}

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct Request<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<&'a str>,
    to: &'a str,
    content: &'a str,
    client_reference: String,
    registered_delivery: bool,
}

/// What it answers to a text. Older versions of its interface write the names in Pascal case.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Said {
    #[serde(alias = "Status")]
    status: Value,
    #[serde(default, alias = "MessageId")]
    message_id: Value,
}

/// What it answers when it is asked for a message.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct State {
    #[serde(alias = "Status")]
    status: String,
    #[serde(default, alias = "UpdateTime")]
    update_time: Option<String>,
}

/// The codes in `status` other than 0, what they mean, and what that says. They come with 201 or
/// with 400.
#[rustfmt::skip]
const STATUSES: [(&str, &str, Verdict); 9] = [
    ("1", "invalid destination address", Rejected(Code::InvalidRecipient)),
    ("2", "invalid source address", NotAccepted(Code::SenderNotAllowed)),
    ("3", "the body is too long", NotAccepted(Code::ProviderRejected)),
    ("4", "not routable", NotAccepted(Code::ProviderUnavailable)),
    ("6", "the content was rejected", Rejected(Code::BlockedContent)),
    ("7", "parameters are not allowed", NotAccepted(Code::ProviderRejected)),
    ("8", "parameters are not valid", NotAccepted(Code::ProviderRejected)),
    ("12", "payment is required", NotAccepted(Code::ProviderBalance)),
    ("100", "invalid request", NotAccepted(Code::ProviderRejected)),
];

/// The words for how far a message has come.
#[rustfmt::skip]
const WORDS: [(&str, Progress); 17] = [
    ("scheduled", Progress::Sent),
    ("pending", Progress::Sent),
    ("queued", Progress::Sent),
    ("submitted", Progress::Sent),
    ("accepted", Progress::Sent),
    ("sent", Progress::Sent),
    ("delivered", Progress::Delivered),
    ("blacklisted", Progress::Failed(Code::RecipientOptedOut)),
    ("undelivered", Progress::Failed(Code::Undelivered)),
    ("undeliverable", Progress::Failed(Code::Undelivered)),
    ("unroutable", Progress::Failed(Code::Undelivered)),
    ("rejected", Progress::Failed(Code::Undelivered)),
    ("expired", Progress::Failed(Code::Undelivered)),
    ("failed", Progress::Failed(Code::Undelivered)),
    ("deleted", Progress::Failed(Code::Undelivered)),
    ("error", Progress::Failed(Code::Undelivered)),
    ("nack", Progress::Failed(Code::Undelivered)),
];

/// What an answer says. That a recipient has not approved of messages is documented as 403, but so
/// is the answer to an address that is not on the account's list, so 403 is taken as the latter.
fn outcome(answer: &Answer) -> Outcome {
    let said = answer.json::<Said>();
    let code = said.as_ref().and_then(|said| sms::word(&said.status));
    let known = STATUSES.iter().find(|(known, ..)| Some(*known) == code.as_deref());
    match (answer.status.as_u16(), code.as_deref(), known) {
        (200..=299, Some("0"), _) => {
            sms::accepted(said.and_then(|said| sms::word(&said.message_id)))
        }
        (200..=299 | 400 | 404 | 422, _, Some((code, _, verdict))) => {
            verdict.outcome(code, answer.retry_after)
        }
        (402, ..) => NotAccepted(Code::ProviderBalance).outcome("402", answer.retry_after),
        // The one path that is called always exists, so the address is wrong, not the message.
        (404 | 405, ..) => NotAccepted(Code::ProviderUnavailable)
            .outcome(answer.status.as_str(), answer.retry_after),
        _ => answer.by_status(),
    }
}

/// What the answer to a question says.
fn found(answer: &Answer, now: DateTime<Utc>) -> LookUp {
    if answer.status == StatusCode::NOT_FOUND {
        return LookUp::NotFound;
    }
    let Some(State { status, update_time }) =
        answer.json::<State>().filter(|_| answer.status.is_success())
    else {
        return LookUp::Unavailable;
    };
    let at = update_time.and_then(|text| sms::time(&text)).unwrap_or(now);
    sms::progress(&status, &WORDS).map_or(LookUp::Waiting, |it| it.look_up(at, &status))
}

/// What a callback that is known to be Hubtel's says: how a message fares, or what somebody wrote.
fn received(callback: &Callback, now: DateTime<Utc>) -> Result<Received, CallbackRefused> {
    let fields = Fields::of(callback).ok_or(CallbackRefused::Malformed)?;
    let at = ["updatetime", "date", "time"].map(|name| fields.get(&[name]).and_then(sms::time));
    let at = at.into_iter().flatten().next().unwrap_or(now);
    let ours = fields.get(&["clientreference"]).and_then(sms::ours);
    let about = || ours.or_else(|| Some(About::Vendors(fields.get(&["messageid"])?.to_owned())));
    if let Some(status) = fields.get(&["status"]) {
        let about = about().ok_or(CallbackRefused::Malformed)?;
        let event = sms::progress(status, &WORDS).map(|progress| progress.event(at, status));
        return Ok(sms::reported(about, event));
    }
    let (from, text) =
        (fields.get(&["from", "msisdn"]), fields.get(&["message", "content", "text"]));
    let (Some(from), Some(text)) = (from, text) else { return Err(CallbackRefused::Malformed) };
    let inbound = sms::inbound(from, text, at).into_iter().collect();
    Ok(Received { inbound, ..Received::default() })
}

#[cfg(test)]
mod tests;
