//! Mailgun's events: <https://documentation.mailgun.com/docs/mailgun/user-manual/events/events>.

use chrono::{DateTime, Utc};
use domain::messaging::{
    callback::{CallbackRefused, MessageRef, Received, RecipientRequestKind, VendorReport},
    delivery::{DeliveryEvent, Failure, FailureCode},
    outcome::LookUp,
};
use serde::Deserialize;
use serde_json::Value;

use crate::{callbacks::our_message, mail, verdict};

#[derive(Deserialize)]
struct Call {
    #[serde(rename = "event-data")]
    event: Event,
}

/// Events of a message.
#[derive(Deserialize)]
pub(super) struct List {
    items: Vec<Event>,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Event {
    #[serde(rename = "event")]
    kind: String,
    /// Kind of a failure: `permanent` or `temporary`.
    severity: Option<String>,
    reason: Option<String>,
    recipient: Option<String>,
    /// Seconds since 1970, with a fraction.
    timestamp: Option<f64>,
    #[serde(default)]
    message: Value,
    #[serde(default)]
    user_variables: Value,
    #[serde(default)]
    delivery_status: Value,
}

/// Reads an event. `now` is its time if it has none.
pub(super) fn read_callback(body: &[u8], now: DateTime<Utc>) -> Result<Received, CallbackRefused> {
    let Call { event } = serde_json::from_slice(body).map_err(|_| CallbackRefused::Malformed)?;
    let mut received = Received::default();
    let Some(about) = event.about() else { return Ok(received) };
    if let Some(kind) = event.request() {
        let recipient = event.recipient.as_deref();
        let request = mail::recipient_request(about.clone(), recipient, kind, event.at(now));
        received.requests.push(request);
    }
    if let Some(event) = event.delivery_event(now) {
        received.reports.push(VendorReport { about, event });
    }
    Ok(received)
}

/// Returns the result of a lookup from the events of a message. An empty list may only be late.
pub(super) fn lookup_result(list: &List, now: DateTime<Utc>) -> LookUp {
    if list.items.is_empty() {
        return LookUp::Unavailable;
    }
    let mut events = list.items.iter().filter_map(|event| event.delivery_event(now));
    match events.find(|event| !matches!(event, DeliveryEvent::Accepted { .. })) {
        Some(event) => LookUp::Found(event),
        None => LookUp::Waiting,
    }
}

impl Event {
    fn at(&self, now: DateTime<Utc>) -> DateTime<Utc> {
        let millis = self.timestamp.map(|seconds| (seconds * 1000.0).round());
        // Values that a float cannot represent exactly are not times.
        let millis = millis.filter(|millis| millis.abs() < 9e15);
        let millis = millis.and_then(|millis| format!("{millis:.0}").parse().ok());
        millis.and_then(DateTime::from_timestamp_millis).unwrap_or(now)
    }

    fn about(&self) -> Option<MessageRef> {
        if let Some(named) = self.user_variables["message"].as_str() {
            // The `Message-ID` does not suffice: the emails of a batch share it.
            return our_message(named);
        }
        let id = self.message["headers"]["message-id"].as_str().filter(|id| !id.is_empty())?;
        mail::about(id).or_else(|| Some(MessageRef::Vendors(id.to_owned())))
    }

    fn request(&self) -> Option<RecipientRequestKind> {
        match self.kind.as_str() {
            "complained" => Some(RecipientRequestKind::Complaint),
            "unsubscribed" => Some(RecipientRequestKind::Unsubscribe),
            _ => None,
        }
    }

    fn delivery_event(&self, now: DateTime<Utc>) -> Option<DeliveryEvent> {
        let at = self.at(now);
        match (self.kind.as_str(), self.severity.as_deref()) {
            ("accepted", _) => Some(DeliveryEvent::Accepted { at }),
            // Only a delivered email can be opened or complained about.
            ("delivered" | "opened" | "clicked" | "complained" | "unsubscribed", _) => {
                Some(DeliveryEvent::Confirmed { at })
            }
            ("failed", Some("temporary")) => None,
            ("failed", _) => Some(DeliveryEvent::Rejected { at, failure: self.failure() }),
            ("rejected", _) => {
                let failure = verdict::failure(FailureCode::BlockedContent, "rejected");
                Some(DeliveryEvent::Rejected { at, failure })
            }
            _ => None,
        }
    }

    fn failure(&self) -> Failure {
        let reason = self.reason.as_deref().filter(|it| !it.is_empty()).unwrap_or("failed");
        match reason {
            "suppress-bounce" => verdict::failure(FailureCode::InvalidRecipient, reason),
            "suppress-complaint" | "suppress-unsubscribe" => {
                verdict::failure(FailureCode::RecipientOptedOut, reason)
            }
            _ => {
                let status = &self.delivery_status;
                let prose = ["enhanced-code", "message", "description"].map(|key| &status[key]);
                let prose: Vec<_> = prose.into_iter().filter_map(Value::as_str).collect();
                mail::bounce(&prose.join(" "), reason)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::message;

    fn one(event: &str) -> Received {
        let body = format!(r#"{{"signature":{{}},"event-data":{{{event}}}}}"#);
        read_callback(body.as_bytes(), DateTime::UNIX_EPOCH).unwrap()
    }

    #[test]
    fn an_event_is_about_our_message_by_either_identifier_or_about_theirs() {
        let message = message();
        let id = message.id.internal();
        let at = DateTime::from_timestamp_millis(1_521_233_195_375).unwrap();
        let event = DeliveryEvent::Confirmed { at };
        for (known, about) in [
            (format!(r#""user-variables":{{"message":"{id}"}}"#), MessageRef::Ours(message.id)),
            (
                format!(r#""message":{{"headers":{{"message-id":"{id}@shop.example"}}}}"#),
                MessageRef::Ours(message.id),
            ),
            (
                r#""message":{"headers":{"message-id":"1@mail.example"}}"#.to_owned(),
                MessageRef::Vendors("1@mail.example".into()),
            ),
        ] {
            let received =
                one(&format!(r#""event":"delivered","timestamp":1521233195.375111,{known}"#));
            assert_eq!(received.reports, [VendorReport { about, event: event.clone() }]);
        }
        assert_eq!(one(r#""event":"delivered""#), Received::default());
        let shared = r#""message":{"headers":{"message-id":"1@mail.example"}}"#;
        let strange = r#""user-variables":{"message":"%recipient.id%"}"#;
        let nobodys = one(&format!(r#""event":"delivered",{shared},{strange}"#));
        assert_eq!(nobodys, Received::default());
    }

    #[test]
    fn undelivered_mail_has_a_reason() {
        use FailureCode as Code;
        let known = r#""message":{"headers":{"message-id":"1@x"}},"event""#;
        for (event, code, vendor_code) in [
            (
                r#""failed","severity":"permanent","reason":"bounce",
                   "delivery-status":{"code":550,"enhanced-code":"5.1.1"}"#,
                Code::InvalidRecipient,
                "5.1.1",
            ),
            (
                r#""failed","severity":"permanent","reason":"suppress-unsubscribe""#,
                Code::RecipientOptedOut,
                "suppress-unsubscribe",
            ),
            (
                r#""failed","severity":"permanent","reason":"suppress-bounce""#,
                Code::InvalidRecipient,
                "suppress-bounce",
            ),
            (r#""failed""#, Code::Undelivered, "failed"),
            (r#""rejected","reject":{"reason":"virus"}"#, Code::BlockedContent, "rejected"),
        ] {
            let received = one(&format!("{known}:{event}"));
            let DeliveryEvent::Rejected { failure, .. } = &received.reports[0].event else {
                panic!("{received:?}")
            };
            assert_eq!((failure.code, failure.vendor_code.as_deref()), (code, Some(vendor_code)));
        }
        for event in [r#""failed","severity":"temporary""#, r#""stored""#, r#""unheard_of""#] {
            assert_eq!(one(&format!("{known}:{event}")), Received::default(), "{event}");
        }
        let refused = read_callback(b"[]", DateTime::UNIX_EPOCH);
        assert_eq!(refused, Err(CallbackRefused::Malformed));
    }

    #[test]
    fn a_recipients_request_has_our_message_and_its_kind() {
        let message = message();
        for (word, kind) in [
            ("complained", RecipientRequestKind::Complaint),
            ("unsubscribed", RecipientRequestKind::Unsubscribe),
        ] {
            let received = one(&format!(
                r#""event":"{word}","recipient":"ama@example.com","timestamp":1.5,
                   "user-variables":{{"message":"{}"}}"#,
                message.id.internal()
            ));
            let at = DateTime::from_timestamp_millis(1500).unwrap();
            let request = mail::recipient_request(
                MessageRef::Ours(message.id),
                Some("ama@example.com"),
                kind,
                at,
            );
            assert_eq!((received.requests, received.inbound), (vec![request], vec![]), "{word}");
        }
    }

    #[test]
    fn a_lookup_reads_the_events_of_a_message() {
        let look_up = |items: &str| {
            let list = serde_json::from_str(&format!(r#"{{"items":[{items}]}}"#)).unwrap();
            lookup_result(&list, DateTime::UNIX_EPOCH)
        };
        let (accepted, delivered) = (r#"{"event":"accepted"}"#, r#"{"event":"delivered"}"#);
        assert_eq!(look_up(""), LookUp::Unavailable);
        assert_eq!(look_up(accepted), LookUp::Waiting);
        let at = DateTime::UNIX_EPOCH;
        let confirmed = LookUp::Found(DeliveryEvent::Confirmed { at });
        assert_eq!(look_up(&format!("{accepted},{delivered}")), confirmed);
    }
}
