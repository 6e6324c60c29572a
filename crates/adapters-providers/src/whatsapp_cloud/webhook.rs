//! What Meta tells us: reports on messages, and texts of people.
//!
//! Its documentation:
//! <https://developers.facebook.com/documentation/business-messaging/whatsapp/webhooks/overview>.
//! One webhook may tell of many messages, and tells again what it is not sure we heard. All numbers of
//! an application share one address, so it may also tell of numbers that are other providers here.

use chrono::{DateTime, Utc};
use domain::{
    address::Address,
    callback::{
        About, Callback, CallbackAnswer, CallbackMethod, CallbackRefused, Inbound, Received,
        VendorReport,
    },
    channel::Channel,
    country::Country,
    delivery::{DeliveryEvent, Failure, FailureCode},
    id::Id,
    message::Message,
};
use serde::Deserialize;
use serde_json::Value;

use super::codes;
use crate::{secret::Secret, signature, verdict, wire::word};

/// How Meta proves that it is Meta.
pub(super) struct Proof {
    /// Signs every webhook.
    pub(super) app_secret: Secret,
    /// Is shown once, when the webhook is set up.
    pub(super) verify_token: Secret,
}

/// Takes a webhook in, as far as it concerns the number that `phone_number_id` names. `now` is when things happened of which it does not say when.
pub(super) fn receive(
    proof: &Proof,
    phone_number_id: &str,
    callback: &Callback,
    now: DateTime<Utc>,
) -> Result<Received, CallbackRefused> {
    match callback.method {
        CallbackMethod::Get => proof.handshake(callback),
        CallbackMethod::Post => {
            proof.verify(callback)?;
            read(&callback.body, phone_number_id, now).ok_or(CallbackRefused::Malformed)
        }
    }
}

impl Proof {
    /// Answers the question whether this is where webhooks are to go.
    fn handshake(&self, callback: &Callback) -> Result<Received, CallbackRefused> {
        let shown = callback.parameter("hub.verify_token").unwrap_or_default();
        let expected = self.verify_token.expose();
        let is_theirs = signature::equal(shown.as_bytes(), expected.as_bytes());
        if callback.parameter("hub.mode") != Some("subscribe") || !is_theirs {
            return Err(CallbackRefused::Unauthorized);
        }
        let challenge = callback.parameter("hub.challenge").ok_or(CallbackRefused::Malformed)?;
        let answer = CallbackAnswer::Text("text/plain", challenge.to_owned());
        Ok(Received { answer, ..Received::default() })
    }

    /// `X-Hub-Signature-256` is the HMAC of the body, byte for byte, under the application's secret.
    fn verify(&self, callback: &Callback) -> Result<(), CallbackRefused> {
        let digest = signature::sha256(self.app_secret.expose().as_bytes(), &callback.body);
        let expected = format!("sha256={}", signature::hex(&digest));
        let shown = callback.header("x-hub-signature-256").unwrap_or_default();
        if signature::equal(shown.as_bytes(), expected.as_bytes()) {
            Ok(())
        } else {
            Err(CallbackRefused::Unauthorized)
        }
    }
}

/// Reads a webhook. What it says besides reports and texts is none of ours.
fn read(body: &[u8], phone_number_id: &str, now: DateTime<Utc>) -> Option<Received> {
    let body: Value = serde_json::from_slice(body).ok()?;
    body.get("entry")?.as_array()?;
    let mut received = Received::default();
    let changes = items(&body, "entry").flat_map(|entry| items(entry, "changes"));
    for value in changes.filter_map(|change| change.get("value")) {
        let number = word(&value["metadata"]["phone_number_id"]);
        if number.is_some_and(|number| number != phone_number_id) {
            received.concerns_others = true;
            continue;
        }
        let statuses = items(value, "statuses").filter_map(|it| Progress::deserialize(it).ok());
        received.reports.extend(statuses.filter_map(|status| status.report(now)));
        let texts = items(value, "messages").filter_map(|it| Written::deserialize(it).ok());
        received.inbound.extend(texts.filter_map(|text| text.inbound(now)));
    }
    Some(received)
}

/// The items of a list within `value`; none, if there is no such list.
fn items<'a>(value: &'a Value, key: &str) -> impl Iterator<Item = &'a Value> + use<'a> {
    value.get(key).and_then(Value::as_array).into_iter().flatten()
}

/// How far a message has come.
#[derive(Deserialize)]
struct Progress {
    id: String,
    status: String,
    timestamp: Option<Value>,
    biz_opaque_callback_data: Option<String>,
    errors: Option<Vec<StatusError>>,
}

#[derive(Deserialize)]
struct StatusError {
    code: u32,
}

impl Progress {
    /// The report, unless the status is none that says how far the message has come.
    fn report(self, now: DateTime<Utc>) -> Option<VendorReport> {
        let at = time(self.timestamp.as_ref()).unwrap_or(now);
        let event = match self.status.as_str() {
            "sent" => DeliveryEvent::Accepted { at },
            "delivered" | "read" => DeliveryEvent::Confirmed { at },
            "failed" => DeliveryEvent::Rejected { at, failure: failure(self.errors.as_deref()) },
            _ => return None,
        };
        let ours = self.biz_opaque_callback_data.as_deref();
        let ours = ours.and_then(|text| Id::<Message>::parse_either(text).ok());
        Some(VendorReport { about: ours.map_or(About::Vendors(self.id), About::Ours), event })
    }
}

fn failure(errors: Option<&[StatusError]>) -> Failure {
    let Some(error) = errors.and_then(<[_]>::first) else {
        return verdict::failure(FailureCode::Undelivered, "failed");
    };
    let code = error.code.to_string();
    match codes::verdict(error.code, None) {
        Some(verdict) => verdict.of_taken(&code),
        None => verdict::failure(FailureCode::Undelivered, &code),
    }
}

/// A message of a person: a text, or a button that was pressed instead of writing one.
#[derive(Deserialize)]
struct Written {
    from: String,
    timestamp: Option<Value>,
    text: Option<TextBody>,
    button: Option<Button>,
    interactive: Option<Interactive>,
}

#[derive(Deserialize)]
struct TextBody {
    body: String,
}

#[derive(Deserialize)]
struct Button {
    text: String,
}

#[derive(Deserialize)]
struct Interactive {
    button_reply: Option<Reply>,
    list_reply: Option<Reply>,
}

#[derive(Deserialize)]
struct Reply {
    title: String,
}

impl Written {
    fn inbound(self, now: DateTime<Utc>) -> Option<Inbound> {
        let reply = |it: Interactive| it.button_reply.or(it.list_reply).map(|reply| reply.title);
        let text = self.text.map(|text| text.body).or(self.button.map(|button| button.text));
        Some(Inbound {
            channel: Channel::WhatsApp,
            from: sender(&self.from)?,
            text: text.or(self.interactive.and_then(reply))?,
            at: time(self.timestamp.as_ref()).unwrap_or(now),
        })
    }
}

/// The number of who wrote. Meta leaves the `+` out, and knows some numbers in a form of its own.
fn sender(from: &str) -> Option<Address> {
    if from.is_empty() || !from.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let number = format!("+{from}");
    let normalised = Address::parse(Channel::WhatsApp, Country::GH, &number);
    Some(normalised.unwrap_or_else(|_| Address::stored(number)))
}

/// Seconds since 1970, as a text or as a number.
fn time(timestamp: Option<&Value>) -> Option<DateTime<Utc>> {
    let timestamp = timestamp?;
    let seconds = match timestamp.as_str() {
        Some(text) => text.parse().ok()?,
        None => timestamp.as_i64()?,
    };
    DateTime::from_timestamp(seconds, 0)
}

#[cfg(test)]
mod tests;
