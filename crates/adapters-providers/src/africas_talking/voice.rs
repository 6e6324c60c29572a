//! Africa's Talking: calls, which read a text out.
//!
//! The documentation: <https://developers.africastalking.com/docs/voice/overview> and
//! <http://docs.africastalking.com/voice/callhandler>. A call is asked for without its text. Once
//! it is answered, the vendor asks for the text at the address that is entered in its dashboard for
//! the number that calls.
//!
//! The texts of calls under way are in the memory of the instance that asked for the calls. A call
//! of which another instance is asked, or one that has started anew, stays silent and is reported
//! as undelivered, so several instances need the vendor's calls sent to the one that made them. The
//! telephone company's voicemail is an answer like any other.

use std::sync::Arc;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::{
    callback::{About, Callback, CallbackAnswer, CallbackRefused, Received, VendorReport},
    channel::Channel,
    delivery::{DeliveryEvent, Failure, FailureCode},
    id::Id,
    message::Message,
    provider::{Check, CheckStatus, FollowUp, LookUp, Outcome},
};
use ports::providers::MessagingProvider;
use reqwest::{StatusCode, Url};
use serde::Deserialize;

use super::{
    account::{self, Account, CREDENTIALS},
    texts::Texts,
};
use crate::{
    client::Answer,
    declaration::{Declaration, DeclarationError, Deps},
    form::Form,
    kind::{Callbacks, USUAL_PATIENCE, Vendor},
    speech,
};

const USUAL_URL: &str = "https://voice.africastalking.com";
/// The most calls that are under way at once.
const MAX_CALLS: usize = 10_000;

pub(crate) const VOICE: Vendor = Vendor {
    name: "africas-talking-voice",
    channels: &[Channel::Voice],
    required: CREDENTIALS,
    optional: &[],
    options: &[],
    patience: USUAL_PATIENCE,
    callbacks: Callbacks::Token("api_key"),
    check: |declaration| {
        account::key(declaration)?;
        Line::read(declaration).map(drop)
    },
    build,
};

struct Calls {
    account: Account,
    line: Line,
    texts: Texts,
}

/// The number that calls, and where calls are asked for.
struct Line {
    number: String,
    call: Url,
    queue_status: Url,
}

fn build(
    declaration: &Declaration,
    deps: &Deps,
) -> Result<Arc<dyn MessagingProvider>, DeclarationError> {
    let account = Account::of(declaration, deps)?;
    let line = Line::read(declaration)?;
    Ok(Arc::new(Calls { account, line, texts: Texts::new(MAX_CALLS) }))
}

impl Line {
    fn read(declaration: &Declaration) -> Result<Self, DeclarationError> {
        let missing = || declaration.invalid("sender", "is missing: the number that calls");
        Ok(Self {
            number: declaration.sender.clone().ok_or_else(missing)?,
            call: declaration.url(USUAL_URL, "/call")?,
            queue_status: declaration.url(USUAL_URL, "/queueStatus")?,
        })
    }
}

#[async_trait]
impl MessagingProvider for Calls {
    async fn send(&self, message: &Message) -> Outcome {
        // Now, for the vendor may ask before it answers.
        self.texts.keep(message.id, message.draft.body.clone());
        let request = self.account.http.post(self.line.call.clone()).form(&[
            ("username", self.account.username.as_str()),
            ("to", message.draft.recipient.as_str()),
            ("from", self.account.sender(message).unwrap_or(&self.line.number)),
            ("clientRequestId", &message.id.internal()),
        ]);
        let outcome = match self.account.call(request).await {
            Ok(answer) => outcome(&answer),
            Err(outcome) => outcome,
        };
        if matches!(outcome, Outcome::Rejected(_) | Outcome::NotAccepted { .. }) {
            self.texts.forget(message.id);
        }
        outcome
    }

    async fn look_up(&self, _: &Message) -> LookUp {
        LookUp::Unavailable
    }

    async fn check(&self) -> Check {
        let request = self
            .account
            .http
            .post(self.line.queue_status.clone())
            .form(&[("username", &self.account.username), ("phoneNumbers", &self.line.number)]);
        match self.account.look(request).await {
            Ok(answer) => queue(answer.json::<Queues>().as_ref()),
            Err(check) => check,
        }
    }

    fn receive(&self, callback: &Callback) -> Result<Received, CallbackRefused> {
        let form = self.account.verified(callback)?;
        let session = form.get("sessionId").ok_or(CallbackRefused::Malformed)?;
        let ours = form.get("clientRequestId").and_then(|text| Id::parse_either(text).ok());
        let now = self.account.clock.now();
        let (event, answer) = match form.get("isActive") {
            Some("1") => self.asked(ours, now),
            Some("0") => {
                if let Some(message) = ours {
                    self.texts.forget(message);
                }
                (end(&form, now), speech::NOTHING.to_owned())
            }
            _ => return Err(CallbackRefused::Malformed),
        };
        let about = || ours.map_or_else(|| About::Vendors(session.to_owned()), About::Ours);
        let report = |event| VendorReport { about: about(), event };
        Ok(Received {
            reports: event.map(report).into_iter().collect(),
            inbound: Vec::new(),
            answer: CallbackAnswer::Text("application/xml", answer),
        })
    }
}

impl Calls {
    /// What the call of a message is told that was answered, and what becomes of the message. Calls
    /// that come in are told nothing.
    fn asked(
        &self,
        message: Option<Id<Message>>,
        at: DateTime<Utc>,
    ) -> (Option<DeliveryEvent>, String) {
        let nothing = || speech::NOTHING.to_owned();
        let Some(message) = message else { return (None, nothing()) };
        match self.texts.find(message) {
            Some(text) => (Some(DeliveryEvent::Accepted { at }), speech::say(&text)),
            None => {
                let problem = "the text was no longer known when the call was answered";
                let failure = Failure::new(FailureCode::Undelivered, problem);
                (Some(DeliveryEvent::Rejected { at, failure }), nothing())
            }
        }
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Placed {
    #[serde(default)]
    entries: Vec<Entry>,
    error_message: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Entry {
    status: String,
    session_id: Option<String>,
}

#[derive(Deserialize)]
struct Queues {
    entries: Vec<Queue>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Queue {
    num_calls: u64,
}

/// What the answer to a request for a call says.
fn outcome(answer: &Answer) -> Outcome {
    let answered = answer.status.is_success() || answer.status.is_client_error();
    match answer.json::<Placed>() {
        Some(placed) if answered => match (placed.entries.into_iter().next(), placed.error_message)
        {
            (Some(entry), _) => entry.outcome(),
            (None, Some(message)) if is_given(&message) => refusal(&message),
            (None, _) => answer.by_status(),
        },
        // The one path that is called always exists, so the address is wrong, not the message.
        None if matches!(answer.status, StatusCode::NOT_FOUND | StatusCode::METHOD_NOT_ALLOWED) => {
            not_accepted(FailureCode::ProviderUnavailable, answer.status.as_str())
        }
        _ => answer.by_status(),
    }
}

/// Whether a text is more than the vendor's word for none.
fn is_given(text: &str) -> bool {
    !text.is_empty() && text != "None"
}

impl Entry {
    fn outcome(self) -> Outcome {
        match self.status.as_str() {
            "Queued" => Outcome::Accepted {
                reference: self.session_id.filter(|id| is_given(id)),
                follow_up: FollowUp::Report,
            },
            "InvalidPhoneNumber" => {
                let problem = "the number cannot be called";
                let failure = Failure::new(FailureCode::InvalidRecipient, problem);
                Outcome::Rejected(failure.with_vendor_code("InvalidPhoneNumber"))
            }
            "InsufficientCredit" => not_accepted(FailureCode::ProviderBalance, &self.status),
            "DestinationNotSupported" => not_accepted(FailureCode::ProviderRejected, &self.status),
            _ => {
                let problem = "the provider's answer does not say what became of the call";
                Outcome::Unknown(Failure::new(FailureCode::UnknownOutcome, problem))
            }
        }
    }
}

/// What it means that the vendor lists no call, and says `message` instead, such as "Invalid
/// callerId: +233300000000". It may name numbers, so it is not repeated.
fn refusal(message: &str) -> Outcome {
    let message = message.to_lowercase();
    let says = |words: &[&str]| words.iter().any(|word| message.contains(word));
    if says(&["callerid", "from"]) {
        not_accepted(FailureCode::SenderNotAllowed, "callerId")
    } else if says(&["credit", "balance"]) {
        not_accepted(FailureCode::ProviderBalance, "InsufficientCredit")
    } else {
        not_accepted(FailureCode::ProviderRejected, "no entries")
    }
}

fn not_accepted(code: FailureCode, vendor_code: &str) -> Outcome {
    let message = match code {
        FailureCode::SenderNotAllowed => "the provider does not call from that number",
        FailureCode::ProviderBalance => "the account at the provider is empty",
        FailureCode::ProviderUnavailable => "there is nothing at that address",
        _ => "the provider does not make the call",
    };
    let failure = Failure::new(code, message).with_vendor_code(vendor_code);
    Outcome::NotAccepted { failure, retry_after: None }
}

/// What a look at the queue of calls shows.
fn queue(queues: Option<&Queues>) -> Check {
    let waiting = |queues: &Queues| {
        let calls = queues.entries.iter().map(|queue| queue.num_calls);
        calls.fold(0, u64::saturating_add)
    };
    let (status, message) = match queues.map(waiting) {
        Some(0) => (CheckStatus::Up, "no calls are queued".to_owned()),
        Some(calls) => (CheckStatus::Up, format!("{calls} calls are queued")),
        None => (CheckStatus::Degraded, "the queue of calls cannot be read".to_owned()),
    };
    Check { status, message }
}

/// What the end of a call says. It was answered if it took any time, and nobody had to hang up for
/// another reason than that it was over.
fn end(form: &Form, at: DateTime<Utc>) -> Option<DeliveryEvent> {
    let cause = form.get("hangupCause");
    let state = form.get("callSessionState").or_else(|| form.get("status"));
    let seconds: Option<u64> = form.get("durationInSeconds").and_then(|text| text.parse().ok());
    let told = cause.or(state);
    if told.is_none() && seconds.is_none() {
        return None;
    }
    let is_over = cause.is_none_or(|cause| cause == "NORMAL_CLEARING")
        && state.is_none_or(|state| matches!(state, "Completed" | "Success"))
        && seconds.is_none_or(|seconds| seconds > 0);
    if is_over {
        return Some(DeliveryEvent::Confirmed { at });
    }
    let (code, message) = match cause {
        Some("UNALLOCATED_NUMBER") => {
            (FailureCode::InvalidRecipient, "the number belongs to nobody")
        }
        Some("USER_BUSY") => (FailureCode::Undelivered, "the recipient was busy"),
        Some("CALL_REJECTED") => (FailureCode::Undelivered, "the recipient refused the call"),
        Some("NO_ANSWER" | "NO_USER_RESPONSE") => {
            (FailureCode::Undelivered, "the recipient did not answer")
        }
        _ => (FailureCode::Undelivered, "the call did not reach the recipient"),
    };
    let failure = Failure::new(code, message).with_vendor_code(told.unwrap_or("0 seconds"));
    Some(DeliveryEvent::Rejected { at, failure })
}

#[cfg(test)]
mod tests;
