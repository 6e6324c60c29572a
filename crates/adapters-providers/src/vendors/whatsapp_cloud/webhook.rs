//! Meta's webhooks: reports on messages, and inbound messages.
//!
//! Documentation:
//! <https://developers.facebook.com/documentation/business-messaging/whatsapp/webhooks/overview>.
//! One webhook may contain many messages, and is repeated until it is acknowledged. All numbers of
//! an application share one address, so it may also contain numbers of other providers.

use chrono::{DateTime, Utc};
use domain::{
    messaging::{
        callback::{
            Callback, CallbackAnswer, CallbackMethod, CallbackRefused, Inbound, MessageRef,
            Received, VendorReport,
        },
        delivery::{DeliveryEvent, Failure, FailureCode},
    },
    shared::{address::Address, channel::Channel, country::Country},
};
use serde::Deserialize;
use serde_json::Value;

use super::codes;
use crate::{callbacks::our_message, loose_json, secret::Secret, signature, verdict};

/// Secrets that authenticate Meta's webhooks.
pub(super) struct Proof {
    /// Secret that signs every webhook.
    pub(super) app_secret: Secret,
    /// Token of the one request that sets the webhook up.
    pub(super) verify_token: Secret,
}

impl Proof {
    /// Refuses a webhook that is not authenticated as Meta's.
    pub(super) fn verify(&self, callback: &Callback) -> Result<(), CallbackRefused> {
        let is_proved = match callback.method {
            CallbackMethod::Get => self.is_handshake(callback),
            CallbackMethod::Post => self.is_signed(callback),
        };
        if is_proved { Ok(()) } else { Err(CallbackRefused::Unauthorized) }
    }

    /// True if Meta verifies the webhook address.
    fn is_handshake(&self, callback: &Callback) -> bool {
        let shown = callback.parameter("hub.verify_token").unwrap_or_default();
        let expected = self.verify_token.expose();
        signature::equal(shown.as_bytes(), expected.as_bytes())
            && callback.parameter("hub.mode") == Some("subscribe")
    }

    /// True if `X-Hub-Signature-256` is the HMAC of the exact bytes of the body with the
    /// application's secret.
    fn is_signed(&self, callback: &Callback) -> bool {
        let digest = signature::hmac_sha256(self.app_secret.expose().as_bytes(), &callback.body);
        let expected = format!("sha256={}", signature::hex(&digest));
        let shown = callback.header("x-hub-signature-256").unwrap_or_default();
        signature::equal(shown.as_bytes(), expected.as_bytes())
    }
}

/// Reads the parts of a webhook that concern the number `phone_number_id`. `now` is the time of
/// events without one.
pub(super) fn read(
    callback: &Callback,
    phone_number_id: &str,
    now: DateTime<Utc>,
) -> Result<Received, CallbackRefused> {
    match callback.method {
        CallbackMethod::Get => {
            let challenge = callback.parameter("hub.challenge");
            let challenge = challenge.ok_or(CallbackRefused::Malformed)?.to_owned();
            let answer = CallbackAnswer::Text("text/plain", challenge);
            Ok(Received { answer, ..Received::default() })
        }
        CallbackMethod::Post => {
            read_body(&callback.body, phone_number_id, now).ok_or(CallbackRefused::Malformed)
        }
    }
}

/// Reads reports and inbound messages. Other contents are ignored.
fn read_body(body: &[u8], phone_number_id: &str, now: DateTime<Utc>) -> Option<Received> {
    let body: Value = serde_json::from_slice(body).ok()?;
    body.get("entry")?.as_array()?;
    let mut received = Received::default();
    let changes = items(&body, "entry").flat_map(|entry| items(entry, "changes"));
    for value in changes.filter_map(|change| change.get("value")) {
        let number = loose_json::text(&value["metadata"]["phone_number_id"]);
        if number.is_some_and(|number| number != phone_number_id) {
            received.concerns_others = true;
            continue;
        }
        for status in items(value, "statuses") {
            let status = StatusUpdate::deserialize(status).ok();
            received.reports.extend(status.and_then(|status| status.report(now)));
        }
        for message in items(value, "messages") {
            let message = InboundMessage::deserialize(message).ok();
            received.inbound.extend(message.and_then(|message| message.inbound(now)));
        }
    }
    Some(received)
}

/// Returns the items of a list within `value`; none if there is no such list.
fn items<'a>(value: &'a Value, key: &str) -> impl Iterator<Item = &'a Value> + use<'a> {
    value.get(key).and_then(Value::as_array).into_iter().flatten()
}

/// Status of a message.
#[derive(Deserialize)]
struct StatusUpdate {
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

impl StatusUpdate {
    /// Returns the report; `None` if the status says nothing about the delivery.
    fn report(self, now: DateTime<Utc>) -> Option<VendorReport> {
        let at = self.timestamp.as_ref().and_then(loose_json::unix_time).unwrap_or(now);
        let event = match self.status.as_str() {
            "sent" => DeliveryEvent::Accepted { at },
            "delivered" | "read" => DeliveryEvent::Confirmed { at },
            "failed" => DeliveryEvent::Rejected { at, failure: failure(self.errors.as_deref()) },
            _ => return None,
        };
        let ours = self.biz_opaque_callback_data.as_deref().and_then(our_message);
        Some(VendorReport { about: ours.unwrap_or(MessageRef::Vendors(self.id)), event })
    }
}

fn failure(errors: Option<&[StatusError]>) -> Failure {
    let Some(error) = errors.and_then(<[_]>::first) else {
        return verdict::failure(FailureCode::Undelivered, "failed");
    };
    let code = error.code.to_string();
    match codes::verdict(error.code, None) {
        Some(verdict) => verdict.failure_after_acceptance(&code),
        None => verdict::failure(FailureCode::Undelivered, &code),
    }
}

/// Inbound message: a text, or a button that was pressed instead.
#[derive(Deserialize)]
struct InboundMessage {
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

impl InboundMessage {
    fn inbound(self, now: DateTime<Utc>) -> Option<Inbound> {
        let text = match (self.text, self.button, self.interactive) {
            (Some(text), ..) => text.body,
            (None, Some(button), _) => button.text,
            (None, None, Some(reply)) => reply.button_reply.or(reply.list_reply)?.title,
            (None, None, None) => return None,
        };
        Some(Inbound {
            channel: Channel::WhatsApp,
            from: sender(&self.from)?,
            text,
            at: self.timestamp.as_ref().and_then(loose_json::unix_time).unwrap_or(now),
        })
    }
}

/// Returns the sender's number. Meta omits the `+`, and writes some numbers in a form of its own.
fn sender(from: &str) -> Option<Address> {
    if from.is_empty() || !from.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let number = format!("+{from}");
    let normalised = Address::parse(Channel::WhatsApp, Country::GH, &number);
    Some(normalised.unwrap_or_else(|_| Address::stored(number)))
}

#[cfg(test)]
mod tests;
