//! Africa's Talking: calls, which read a text out.
//!
//! The documentation: <https://developers.africastalking.com/docs/voice/overview> and
//! <http://docs.africastalking.com/voice/callhandler>. A call is asked for without its text. Once
//! it is answered, the vendor asks for the text at the address that is entered in its dashboard for
//! the number that calls; any instance can tell it. The telephone company's voicemail is an answer
//! like any other.

use std::sync::Arc;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::{
    callback::{About, Callback, CallbackAnswer, CallbackRefused, Received},
    channel::Channel,
    delivery::{DeliveryEvent, Failure, FailureCode},
    id::Id,
    message::Message,
    provider::{Check, LookUp, Outcome},
};
use ports::providers::MessagingProvider;
use serde::Deserialize;

use super::account::{self, Account, CREDENTIALS};
use crate::{
    answer::Answer,
    callbacks::reported,
    declaration::{Declaration, DeclarationError, Deps},
    form::Form,
    health,
    kind::{Callbacks, USUAL_PATIENCE, Vendor},
    speech,
    verdict::{
        Codes, Phrases,
        Verdict::{NotAccepted, Rejected, Unknown},
        accepted,
    },
};

const USUAL_URL: &str = "https://voice.africastalking.com";

pub(crate) const VOICE: Vendor = Vendor {
    name: "africas-talking-voice",
    channels: &[Channel::Voice],
    required: CREDENTIALS,
    optional: &[],
    options: &[],
    patience: USUAL_PATIENCE,
    callbacks: Callbacks::Token("api_key"),
    check: |declaration| account::access(declaration, USUAL_URL).and(number(declaration)).map(drop),
    build,
};

struct Calls {
    account: Account,
    /// The number that calls.
    number: String,
}

fn build(
    declaration: &Declaration,
    deps: &Deps,
) -> Result<Arc<dyn MessagingProvider>, DeclarationError> {
    let account = Account::of(declaration, USUAL_URL, deps)?;
    let number = number(declaration)?;
    Ok(Arc::new(Calls { account, number }))
}

fn number(declaration: &Declaration) -> Result<String, DeclarationError> {
    let missing = || declaration.invalid("sender", "is missing: the number that calls");
    declaration.sender.clone().ok_or_else(missing)
}

#[async_trait]
impl MessagingProvider for Calls {
    async fn send(&self, message: &Message) -> Outcome {
        let Account { vendor, username } = &self.account;
        let request = vendor.post(&["call"]).form(&[
            ("username", username.as_str()),
            ("to", message.draft.recipient.as_str()),
            ("from", vendor.sender(message).unwrap_or(&self.number)),
            ("clientRequestId", &message.id.internal()),
        ]);
        vendor.hand_over(request, outcome).await
    }

    async fn look_up(&self, _: &Message) -> LookUp {
        LookUp::Unavailable
    }

    async fn check(&self) -> Check {
        let Account { vendor, username } = &self.account;
        let form = [("username", username), ("phoneNumbers", &self.number)];
        let request = vendor.post(&["queueStatus"]).form(&form);
        vendor.look(request, |answer| queue(answer.json::<Queues>().as_ref())).await
    }

    fn receive(&self, callback: &Callback) -> Result<Received, CallbackRefused> {
        let form = self.account.verified(callback)?;
        let session = form.get("sessionId").ok_or(CallbackRefused::Malformed)?;
        let ours = form.get("clientRequestId").and_then(|text| Id::parse_either(text).ok());
        let now = self.account.vendor.now();
        let about = ours.map_or_else(|| About::Vendors(session.to_owned()), About::Ours);
        let (event, asks_for) = match form.get("isActive") {
            // A call that comes in is told nothing.
            Some("1") => (ours.map(|_| DeliveryEvent::Accepted { at: now }), ours),
            Some("0") => (end(&form, now), None),
            _ => return Err(CallbackRefused::Malformed),
        };
        Ok(Received { asks_for, answer: xml(speech::NOTHING.to_owned()), ..reported(about, event) })
    }

    fn read_out(&self, text: &str) -> CallbackAnswer {
        xml(speech::say(text))
    }
}

fn xml(document: String) -> CallbackAnswer {
    CallbackAnswer::Text("application/xml", document)
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
        _ => answer.by_status(),
    }
}

/// Whether a text is more than the vendor's word for none.
fn is_given(text: &str) -> bool {
    !text.is_empty() && text != "None"
}

/// The states of a call that is not made.
#[rustfmt::skip]
const STATES: Codes<&str> = Codes(&[
    ("InvalidPhoneNumber", "cannot be called", Rejected(FailureCode::InvalidRecipient)),
    ("InsufficientCredit", "the account is empty", NotAccepted(FailureCode::ProviderBalance)),
    ("DestinationNotSupported", "no calls to there", NotAccepted(FailureCode::ProviderRejected)),
]);

/// Phrases of the prose of a refusal.
#[rustfmt::skip]
const PHRASES: Phrases = Phrases(&[
    ("callerid", NotAccepted(FailureCode::SenderNotAllowed)),
    ("from", NotAccepted(FailureCode::SenderNotAllowed)),
    ("credit", NotAccepted(FailureCode::ProviderBalance)),
    ("balance", NotAccepted(FailureCode::ProviderBalance)),
]);

impl Entry {
    fn outcome(self) -> Outcome {
        match self.status.as_str() {
            "Queued" => accepted(self.session_id.filter(|id| is_given(id))),
            state => STATES.get(state).unwrap_or(Unknown).outcome(state, None),
        }
    }
}

/// What it means that the vendor lists no call, and says `message` instead, such as "Invalid
/// callerId: +233300000000". It may name numbers, so it is not repeated.
fn refusal(message: &str) -> Outcome {
    let verdict = PHRASES.judge(message).unwrap_or(NotAccepted(FailureCode::ProviderRejected));
    verdict.outcome("no entries", None)
}

/// What a look at the queue of calls shows.
fn queue(queues: Option<&Queues>) -> Check {
    let waiting = |queues: &Queues| {
        let calls = queues.entries.iter().map(|queue| queue.num_calls);
        calls.fold(0, u64::saturating_add)
    };
    match queues.map(waiting) {
        Some(0) => health::up("no calls are queued"),
        Some(calls) => health::up(format!("{calls} calls are queued")),
        None => health::degraded("the queue of calls cannot be read"),
    }
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
