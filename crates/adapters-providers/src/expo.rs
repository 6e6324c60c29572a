//! Expo: notifications for applications made with Expo, up to 100 in a call.
//!
//! Its documentation: <https://docs.expo.dev/push-notifications/sending-notifications/>. There is
//! no sender. An access token is needed only where the account demands one ("enhanced security for
//! push notifications"). Expo answers with tickets, and keeps a receipt for a day that tells
//! whether Google or Apple took the notification: that is the last that can be known.

use std::{collections::HashMap, sync::Arc, time::Duration};

use async_trait::async_trait;
use domain::{
    channel::Channel,
    delivery::{DeliveryEvent, Failure, FailureCode},
    message::Message,
    provider::{Check, CheckStatus, FollowUp, LookUp, Outcome},
};
use ports::{clock::Clock, providers::MessagingProvider};
use reqwest::{
    RequestBuilder, StatusCode, Url,
    header::{ACCEPT, AUTHORIZATION, HeaderValue},
};
use serde::{Deserialize, Serialize};
use tokio::time::Instant;

use crate::{
    client::{Answer, HttpClient},
    declaration::{Declaration, DeclarationError, Deps},
    kind::{Callbacks, Vendor},
    verdict::{
        self,
        Verdict::{self, NotAccepted, Rejected},
    },
};

const USUAL_URL: &str = "https://exp.host";
/// The most messages in a call.
const MAX_GROUP: usize = 100;
/// Seconds after which Expo advises to ask for receipts.
const PATIENCE: u32 = 900;
/// A ticket that nobody has.
const NO_TICKET: &str = "00000000-0000-0000-0000-000000000000";

pub(crate) const VENDOR: Vendor = Vendor {
    name: "expo",
    channels: &[Channel::Push],
    required: &[],
    optional: &["access_token"],
    options: &[],
    patience: PATIENCE,
    callbacks: Callbacks::None,
    check: |declaration| Settings::read(declaration).map(drop),
    build,
};

struct Expo {
    http: HttpClient,
    clock: Arc<dyn Clock>,
    settings: Settings,
}

struct Settings {
    /// The provider's name.
    name: String,
    send: Url,
    receipts: Url,
    authorization: Option<HeaderValue>,
    timeout: Duration,
}

fn build(
    declaration: &Declaration,
    deps: &Deps,
) -> Result<Arc<dyn MessagingProvider>, DeclarationError> {
    let settings = Settings::read(declaration)?;
    Ok(Arc::new(Expo { http: deps.http.clone(), clock: Arc::clone(&deps.clock), settings }))
}

impl Settings {
    fn read(declaration: &Declaration) -> Result<Self, DeclarationError> {
        let token = declaration.credentials.get("access_token");
        let bearer =
            token.map(|token| HeaderValue::from_str(&format!("Bearer {}", token.expose())));
        let mut authorization = bearer.transpose().map_err(|_| {
            declaration.invalid("credentials.access_token", "must be printable ASCII")
        })?;
        if let Some(bearer) = &mut authorization {
            bearer.set_sensitive(true);
        }
        Ok(Self {
            name: declaration.name.clone(),
            send: declaration.url(USUAL_URL, "/--/api/v2/push/send")?,
            receipts: declaration.url(USUAL_URL, "/--/api/v2/push/getReceipts")?,
            authorization,
            timeout: declaration.timeout(),
        })
    }
}

#[async_trait]
impl MessagingProvider for Expo {
    async fn send(&self, message: &Message) -> Outcome {
        if !is_token(message.draft.recipient.as_str()) {
            return no_token();
        }
        match self.push(&[message]).await {
            Ok(answer) => outcome(&answer),
            Err(outcome) => outcome,
        }
    }

    fn group_limit(&self) -> usize {
        MAX_GROUP
    }

    async fn send_group(&self, messages: &[Message]) -> Vec<Outcome> {
        let mut outcomes = vec![no_token(); messages.len()];
        let is_reachable = |index: &usize| is_token(messages[*index].draft.recipient.as_str());
        let reachable: Vec<_> = (0..messages.len()).filter(is_reachable).collect();
        for places in reachable.chunks(MAX_GROUP) {
            let group: Vec<_> = places.iter().map(|index| &messages[*index]).collect();
            for (index, outcome) in places.iter().zip(self.push_all(&group).await) {
                outcomes[*index] = outcome;
            }
        }
        outcomes
    }

    async fn look_up(&self, message: &Message) -> LookUp {
        let mut ours = message.attempts.iter().rev().filter(|it| it.provider == self.settings.name);
        let Some(ticket) = ours.find_map(|attempt| attempt.reference.as_deref()) else {
            return LookUp::Unavailable;
        };
        match self.http.call(self.ask(ticket), self.settings.timeout).await {
            Ok(answer) => self.found(&answer, ticket),
            Err(_) => LookUp::Unavailable,
        }
    }

    async fn check(&self) -> Check {
        let (status, message) =
            match self.http.look(self.ask(NO_TICKET), self.settings.timeout).await {
                Ok(answer) if answer.json::<Receipts>().is_some() => {
                    (CheckStatus::Up, "the provider answers")
                }
                Ok(_) => (CheckStatus::Down, "the provider's answer is not the documented one"),
                Err(check) => return check,
            };
        Check { status, message: message.to_owned() }
    }
}

impl Expo {
    fn post(&self, url: &Url) -> RequestBuilder {
        let request = self.http.post(url.clone()).header(ACCEPT, "application/json");
        match &self.settings.authorization {
            Some(bearer) => request.header(AUTHORIZATION, bearer.clone()),
            None => request,
        }
    }

    fn ask(&self, ticket: &str) -> RequestBuilder {
        self.post(&self.settings.receipts).json(&Asked { ids: [ticket] })
    }

    async fn push(&self, messages: &[&Message]) -> Result<Answer, Outcome> {
        let body: Vec<_> = messages.iter().map(|message| Push::of(message)).collect();
        self.http.call(self.post(&self.settings.send).json(&body), self.settings.timeout).await
    }

    /// Hands messages over in one call. If Expo refuses the call for what may be the fault of some
    /// of them, such as one of another project, each goes alone.
    async fn push_all(&self, messages: &[&Message]) -> Vec<Outcome> {
        let answer = match self.push(messages).await {
            Ok(answer) => answer,
            Err(outcome) => return vec![outcome; messages.len()],
        };
        if answer.status != StatusCode::BAD_REQUEST || messages.len() == 1 {
            return outcomes(&answer, messages.len());
        }
        let deadline = Instant::now() + self.settings.timeout;
        let mut outcomes = Vec::with_capacity(messages.len());
        for message in messages {
            outcomes.push(if Instant::now() < deadline {
                self.send(message).await
            } else {
                let failure = "the provider was too slow to be asked for each message";
                let failure = Failure::new(FailureCode::ProviderUnavailable, failure);
                Outcome::NotAccepted { failure, retry_after: None }
            });
        }
        outcomes
    }

    fn found(&self, answer: &Answer, ticket: &str) -> LookUp {
        let receipts = answer.json::<Receipts>().filter(|_| answer.status.is_success());
        let Some(mut receipts) = receipts else { return LookUp::Unavailable };
        let Some(receipt) = receipts.data.remove(ticket) else { return LookUp::Waiting };
        let at = self.clock.now();
        match receipt.status.as_str() {
            "ok" => LookUp::Found(DeliveryEvent::Confirmed { at }),
            "error" => LookUp::Found(DeliveryEvent::Rejected { at, failure: receipt.failure() }),
            _ => LookUp::Waiting,
        }
    }
}

/// Whether a text is of the form of Expo's tokens.
fn is_token(text: &str) -> bool {
    let inner = text.strip_prefix("ExponentPushToken[").or(text.strip_prefix("ExpoPushToken["));
    inner.and_then(|inner| inner.strip_suffix(']')).is_some_and(|inner| !inner.is_empty())
}

fn no_token() -> Outcome {
    let message = "the recipient is not an Expo push token";
    Outcome::Rejected(Failure::new(FailureCode::InvalidRecipient, message))
}

#[derive(Serialize)]
struct Push<'a> {
    to: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<&'a str>,
    body: &'a str,
}

impl<'a> Push<'a> {
    fn of(message: &'a Message) -> Self {
        let draft = &message.draft;
        let title = draft.subject.as_deref();
        Self { to: draft.recipient.as_str(), title, body: &draft.body }
    }
}

#[derive(Serialize)]
struct Asked<'a> {
    ids: [&'a str; 1],
}

#[derive(Deserialize)]
struct Tickets {
    data: Vec<Ticket>,
}

#[derive(Deserialize)]
struct Receipts {
    data: HashMap<String, Ticket>,
}

/// A ticket, or a receipt, which looks the same.
#[derive(Deserialize)]
struct Ticket {
    status: String,
    id: Option<String>,
    details: Option<Details>,
}

#[derive(Deserialize)]
struct Details {
    error: Option<String>,
}

#[derive(Deserialize)]
struct Refusal {
    errors: Vec<RefusalError>,
}

#[derive(Deserialize)]
struct RefusalError {
    code: String,
}

/// The errors of a message, in its ticket or its receipt, and below them those of a whole call.
#[rustfmt::skip]
const ERRORS: [(&str, Verdict); 12] = [
    ("DeviceNotRegistered", Rejected(FailureCode::DeviceUnregistered)),
    ("MessageTooBig", Rejected(FailureCode::ProviderRejected)),
    ("MessageRateExceeded", NotAccepted(FailureCode::ProviderThrottled)),
    ("MismatchSenderId", NotAccepted(FailureCode::SenderNotAllowed)),
    ("InvalidCredentials", NotAccepted(FailureCode::ProviderAuth)),
    ("DeveloperError", Rejected(FailureCode::ProviderRejected)),
    ("ExpoError", NotAccepted(FailureCode::ProviderUnavailable)),
    ("ProviderError", NotAccepted(FailureCode::ProviderUnavailable)),

    ("UNAUTHORIZED", NotAccepted(FailureCode::ProviderAuth)),
    ("TOO_MANY_REQUESTS", NotAccepted(FailureCode::ProviderThrottled)),
    ("PUSH_TOO_MANY_EXPERIENCE_IDS", NotAccepted(FailureCode::ProviderRejected)),
    ("PUSH_TOO_MANY_NOTIFICATIONS", NotAccepted(FailureCode::ProviderRejected)),
];

fn known(error: &str) -> Option<(&'static str, Verdict)> {
    ERRORS.into_iter().find(|(known, _)| *known == error)
}

/// What an answer says of the one message that was sent.
fn outcome(answer: &Answer) -> Outcome {
    outcomes(answer, 1).pop().unwrap_or_else(|| answer.by_status())
}

/// What an answer says of `count` messages.
fn outcomes(answer: &Answer, count: usize) -> Vec<Outcome> {
    let tickets = answer.json::<Tickets>().filter(|tickets| tickets.data.len() == count);
    if let Some(tickets) = tickets.filter(|_| answer.status.is_success()) {
        return tickets.data.into_iter().map(|ticket| ticket.outcome(answer)).collect();
    }
    let refusal = answer.json::<Refusal>();
    let mut codes = refusal.iter().flat_map(|refusal| &refusal.errors);
    let outcome = match codes.find_map(|error| known(&error.code)) {
        Some((code, verdict)) => verdict.outcome(code, answer.retry_after),
        // The path always exists, so the address is wrong, not the message.
        None if answer.status == StatusCode::NOT_FOUND => {
            NotAccepted(FailureCode::ProviderUnavailable).outcome("404", answer.retry_after)
        }
        None => answer.by_status(),
    };
    vec![outcome; count]
}

impl Ticket {
    fn error(&self) -> Option<(&'static str, Verdict)> {
        known(self.details.as_ref()?.error.as_deref()?)
    }

    fn outcome(self, answer: &Answer) -> Outcome {
        match (self.status.as_str(), self.error()) {
            ("ok", _) => {
                let reference = self.id.filter(|id| !id.is_empty());
                let is_known = reference.is_some();
                let follow_up = if is_known { FollowUp::Report } else { FollowUp::Nothing };
                Outcome::Accepted { reference, follow_up }
            }
            ("error", Some((code, verdict))) => verdict.outcome(code, answer.retry_after),
            ("error", None) => NotAccepted(FailureCode::ProviderRejected).outcome("error", None),
            _ => answer.by_status(),
        }
    }

    /// Why Google or Apple did not take it.
    fn failure(&self) -> Failure {
        match self.error() {
            Some((code, verdict)) => verdict.of_taken(code),
            None => verdict::failure(FailureCode::Undelivered, "error"),
        }
    }
}

#[cfg(test)]
mod tests;
