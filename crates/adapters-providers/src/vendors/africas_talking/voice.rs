//! Africa's Talking: calls that read a text out.
//!
//! Documentation: <https://developers.africastalking.com/docs/voice/overview> and
//! <http://docs.africastalking.com/voice/callhandler>. A call is requested without its text. Once
//! it is answered, the vendor requests the text at the address that is entered in its dashboard for
//! the calling number; any instance can return it. The telephone company's voicemail counts as an
//! answer.

use chrono::{DateTime, Utc};
use domain::{
    messaging::{
        callback::{Callback, CallbackAnswer, CallbackRefused, MessageRef, Received},
        delivery::{DeliveryEvent, Failure, FailureCode},
        outcome::Outcome,
    },
    providers::provider::Check,
    shared::{channel::Channel, id::Id},
};
use serde::Deserialize;

use super::account;
use crate::{
    callbacks::{Fields, one_report},
    health,
    http_vendor::{
        Access, Account, Answer, BaseUrl, Batch, Callbacks, Declaration, DeclarationError,
        HttpVendor, Request, Vendor,
    },
    twiml,
    verdict::{
        CodeTable, PhraseTable,
        Verdict::{NotAccepted, Rejected, Unknown},
        accepted,
    },
};

const USUAL_URL: &str = "https://voice.africastalking.com";

pub(in crate::vendors) const VOICE: Vendor = Vendor {
    name: "africas-talking-voice",
    channels: &[Channel::Voice],
    base_url: BaseUrl::Usual(USUAL_URL),
    required_credentials: &["username", "api_key"],
    callbacks: Callbacks::Token,
    ..Vendor::DEFAULTS
};

pub(in crate::vendors) struct Calls {
    username: String,
    /// Number that calls are made from.
    number: String,
}

impl HttpVendor for Calls {
    fn read(declaration: &Declaration) -> Result<(Self, Access), DeclarationError> {
        let (username, access) = account::read(declaration, USUAL_URL)?;
        let Some(number) = declaration.sender.clone() else {
            return Err(declaration.invalid("sender", "is missing: the number that calls"));
        };
        Ok((Self { username, number }, access))
    }

    fn send_request(&self, account: &Account, batch: Batch<'_>) -> Result<Request, Outcome> {
        let message = batch.first();
        Ok(account.post(&["call"]).form(&[
            ("username", self.username.as_str()),
            ("to", message.draft.recipient.as_str()),
            ("from", account.sender(message).unwrap_or(&self.number)),
            ("clientRequestId", &message.id.internal()),
        ]))
    }

    fn send_result(&self, answer: &Answer, _: Batch<'_>) -> Result<Vec<Outcome>, Outcome> {
        Ok(vec![outcome(answer)])
    }

    fn check_request(&self, account: &Account) -> Request {
        let form = [("username", &self.username), ("phoneNumbers", &self.number)];
        account.post(&["queueStatus"]).form(&form)
    }

    fn check_result(&self, answer: &Answer) -> Check {
        let Some(Queues { entries }) = answer.json() else {
            return health::degraded("the queue of calls cannot be read");
        };
        match entries.iter().map(|queue| queue.num_calls).fold(0, u64::saturating_add) {
            0 => health::up("no calls are queued"),
            calls => health::up(format!("{calls} calls are queued")),
        }
    }

    fn verify(&self, account: &Account, callback: &Callback) -> Result<(), CallbackRefused> {
        account::verify(account, callback)
    }

    fn read_callback(
        &self,
        callback: &Callback,
        now: DateTime<Utc>,
    ) -> Result<Received, CallbackRefused> {
        let fields = Fields::of_form(callback);
        let session = fields.required(&["sessionId"])?;
        let ours = fields.get("clientRequestId").and_then(|text| Id::parse_either(text).ok());
        let about = match ours {
            Some(id) => MessageRef::Ours(id),
            None => MessageRef::Vendors(session.to_owned()),
        };
        let (event, asks_for) = match fields.get("isActive") {
            // Nothing is read out in an incoming call.
            Some("1") => (ours.map(|_| DeliveryEvent::Accepted { at: now }), ours),
            Some("0") => (end(&fields, now), None),
            _ => return Err(CallbackRefused::Malformed),
        };
        let answer = xml(twiml::NOTHING.to_owned());
        Ok(Received { asks_for, answer, ..one_report(about, event) })
    }

    fn read_out(&self, text: &str) -> CallbackAnswer {
        xml(twiml::say(text))
    }
}

fn xml(document: String) -> CallbackAnswer {
    CallbackAnswer::Text("application/xml", document)
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SendResponse {
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

/// Returns the outcome of a request for a call.
fn outcome(answer: &Answer) -> Outcome {
    let is_answered = answer.status.is_success() || answer.status.is_client_error();
    let Some(body) = answer.json::<SendResponse>().filter(|_| is_answered) else {
        return answer.outcome_by_status();
    };
    match (body.entries.into_iter().next(), body.error_message) {
        (Some(entry), _) => entry.outcome(),
        (None, Some(message)) if is_given(&message) => refusal(&message),
        (None, _) => answer.outcome_by_status(),
    }
}

/// True if a text is not the vendor's word for none.
fn is_given(text: &str) -> bool {
    !text.is_empty() && text != "None"
}

/// States of a call that is not made.
#[rustfmt::skip]
const STATES: CodeTable<&str> = CodeTable(&[
    ("InvalidPhoneNumber", "cannot be called", Rejected(FailureCode::InvalidRecipient)),
    ("InsufficientCredit", "the account is empty", NotAccepted(FailureCode::ProviderBalance)),
    ("DestinationNotSupported", "no calls to there", NotAccepted(FailureCode::ProviderRejected)),
]);

/// Phrases in the text of a refusal.
#[rustfmt::skip]
const PHRASES: PhraseTable = PhraseTable(&[
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

/// Returns the outcome if the vendor lists no call, and gives a `message` instead, such as "Invalid
/// callerId: +233300000000". The message may contain numbers, so it is not repeated.
fn refusal(message: &str) -> Outcome {
    let verdict = PHRASES.find(message).unwrap_or(NotAccepted(FailureCode::ProviderRejected));
    verdict.outcome("no entries", None)
}

/// Returns the event of a call that ended. It was answered if it lasted any time, and hung up
/// normally.
fn end(fields: &Fields, at: DateTime<Utc>) -> Option<DeliveryEvent> {
    let cause = fields.get("hangupCause");
    let state = fields.get("callSessionState").or_else(|| fields.get("status"));
    let seconds: Option<u64> = fields.get("durationInSeconds").and_then(|text| text.parse().ok());
    let reason = cause.or(state);
    if reason.is_none() && seconds.is_none() {
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
    let failure = Failure::new(code, message).with_vendor_code(reason.unwrap_or("0 seconds"));
    Some(DeliveryEvent::Rejected { at, failure })
}

#[cfg(test)]
mod tests;
