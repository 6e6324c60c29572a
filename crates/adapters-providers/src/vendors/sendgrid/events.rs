//! `SendGrid`'s events:
//! <https://www.twilio.com/docs/sendgrid/for-developers/tracking-events/event>.

use chrono::{DateTime, Utc};
use domain::messaging::{
    callback::{CallbackRefused, MessageRef, Received, RecipientRequestKind, VendorReport},
    delivery::{DeliveryEvent, Failure, FailureCode},
};
use serde::Deserialize;
use serde_json::Value;

use crate::{callbacks::our_message, mail, verdict};

#[derive(Deserialize)]
struct Event {
    #[serde(rename = "event")]
    kind: String,
    /// Seconds since 1970.
    timestamp: Option<i64>,
    sg_message_id: Option<String>,
    /// Identifier of this service, which was submitted with the message.
    message: Option<String>,
    email: Option<String>,
    /// Reason why an email was dropped, or the text of the recipient's server.
    reason: Option<String>,
    /// Enhanced status code.
    status: Option<String>,
}

/// Reads a list of events. `now` is the time of events without one.
pub(super) fn read_callback(body: &[u8], now: DateTime<Utc>) -> Result<Received, CallbackRefused> {
    let events: Vec<Value> =
        serde_json::from_slice(body).map_err(|_| CallbackRefused::Malformed)?;
    let mut received = Received::default();
    for event in events {
        // A malformed event is no reason to refuse the others, which would be sent again.
        if let Ok(event) = serde_json::from_value::<Event>(event) {
            event.add_to(&mut received, now);
        }
    }
    Ok(received)
}

impl Event {
    fn add_to(&self, received: &mut Received, now: DateTime<Utc>) {
        let Some(about) = self.about() else { return };
        let at = self.timestamp.and_then(|seconds| DateTime::from_timestamp(seconds, 0));
        let at = at.unwrap_or(now);
        if let Some(kind) = self.request() {
            let recipient = self.email.as_deref();
            received.requests.push(mail::recipient_request(about.clone(), recipient, kind, at));
        }
        if let Some(event) = self.delivery_event(at) {
            received.reports.push(VendorReport { about, event });
        }
    }

    fn about(&self) -> Option<MessageRef> {
        match self.message.as_deref().and_then(our_message) {
            Some(ours) => Some(ours),
            None => Some(MessageRef::Vendors(reference(self.sg_message_id.as_deref()?).to_owned())),
        }
    }

    fn request(&self) -> Option<RecipientRequestKind> {
        match self.kind.as_str() {
            "spamreport" => Some(RecipientRequestKind::Complaint),
            "unsubscribe" | "group_unsubscribe" => Some(RecipientRequestKind::Unsubscribe),
            _ => None,
        }
    }

    fn delivery_event(&self, at: DateTime<Utc>) -> Option<DeliveryEvent> {
        match self.kind.as_str() {
            "processed" => Some(DeliveryEvent::Accepted { at }),
            // Only a delivered email can be complained about.
            "delivered" | "spamreport" => Some(DeliveryEvent::Confirmed { at }),
            "bounce" => {
                let prose = self.status.as_deref().or(self.reason.as_deref()).unwrap_or_default();
                Some(DeliveryEvent::Rejected { at, failure: mail::bounce(prose, "bounce") })
            }
            "dropped" => Some(DeliveryEvent::Rejected { at, failure: self.drop_failure() }),
            _ => None,
        }
    }

    fn drop_failure(&self) -> Failure {
        let reason = self.reason.as_deref().unwrap_or_default();
        let code = match reason.to_ascii_lowercase() {
            it if it.starts_with("bounced") || it == "invalid" => FailureCode::InvalidRecipient,
            it if it.starts_with("unsubscribed") || it.starts_with("spam reporting") => {
                FailureCode::RecipientOptedOut
            }
            it if it.starts_with("spam content") => FailureCode::BlockedContent,
            it if it.contains("quota") => FailureCode::ProviderBalance,
            _ => FailureCode::Undelivered,
        };
        verdict::failure(code, if reason.is_empty() { "dropped" } else { reason })
    }
}

/// Returns the identifier from the response to the call: events append the server that processed
/// the email.
fn reference(sg_message_id: &str) -> &str {
    let end = [".filter", ".recvd"].iter().find_map(|mark| sg_message_id.find(mark));
    &sg_message_id[..end.unwrap_or(sg_message_id.len())]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::message;

    fn one(event: &str) -> Received {
        read_callback(format!("[{event}]").as_bytes(), DateTime::UNIX_EPOCH).unwrap()
    }

    fn code(event: &str) -> Option<(FailureCode, Option<String>)> {
        match one(event).reports.pop()?.event {
            DeliveryEvent::Rejected { failure, .. } => Some((failure.code, failure.vendor_code)),
            _ => None,
        }
    }

    #[test]
    fn events_are_about_our_message_or_theirs() {
        let at = DateTime::from_timestamp(1_513_299_569, 0).unwrap();
        let message = message();
        let event = r#"{"event":"delivered","timestamp":1513299569,"email":"a@b.co",
            "sg_message_id":"14c5d75ce93.dfd.64b469.filter0001.16648.5515E0B88.0""#;

        let ours = one(&format!(r#"{event},"message":"{}"}}"#, message.id.internal()));
        let theirs = one(&format!("{event}}}"));

        let event = DeliveryEvent::Confirmed { at };
        let report = |about| VendorReport { about, event: event.clone() };
        assert_eq!(ours.reports, [report(MessageRef::Ours(message.id))]);
        assert_eq!(theirs.reports, [report(MessageRef::Vendors("14c5d75ce93.dfd.64b469".into()))]);
        assert_eq!(reference("W3DJKf-x.recvd-5b-2"), "W3DJKf-x");
        assert_eq!(reference("plain"), "plain");
    }

    #[test]
    fn undelivered_mail_has_a_reason() {
        use FailureCode as Code;
        for (event, expected, vendor_code) in [
            (
                r#"{"event":"bounce","sg_message_id":"1","status":"5.1.1","reason":"500 unknown"}"#,
                Code::InvalidRecipient,
                "5.1.1",
            ),
            (r#"{"event":"bounce","sg_message_id":"1"}"#, Code::Undelivered, "bounce"),
            (
                r#"{"event":"dropped","sg_message_id":"1","reason":"Bounced Address"}"#,
                Code::InvalidRecipient,
                "Bounced Address",
            ),
            (
                r#"{"event":"dropped","sg_message_id":"1","reason":"Unsubscribed Address"}"#,
                Code::RecipientOptedOut,
                "Unsubscribed Address",
            ),
            (r#"{"event":"dropped","sg_message_id":"1"}"#, Code::Undelivered, "dropped"),
        ] {
            assert_eq!(code(event), Some((expected, Some(vendor_code.into()))), "{event}");
        }
    }

    #[test]
    fn a_recipients_request_has_our_message_and_its_kind() {
        let message = message();
        for (word, kind) in [
            ("spamreport", RecipientRequestKind::Complaint),
            ("unsubscribe", RecipientRequestKind::Unsubscribe),
            ("group_unsubscribe", RecipientRequestKind::Unsubscribe),
        ] {
            let event = format!(
                r#"{{"event":"{word}","email":"ama@example.com","timestamp":1,"message":"{}"}}"#,
                message.id.internal()
            );
            let received = one(&event);
            let at = DateTime::from_timestamp(1, 0).unwrap();
            let request = mail::recipient_request(
                MessageRef::Ours(message.id),
                Some("ama@example.com"),
                kind,
                at,
            );
            assert_eq!((received.requests, received.inbound), (vec![request], vec![]), "{word}");
        }
        let nobodys = one(r#"{"event":"unsubscribe","email":"ama@example.com"}"#);
        assert_eq!(nobodys, Received::default());
    }

    #[test]
    fn other_events_are_ignored_and_a_complaint_means_delivered() {
        for event in ["deferred", "open", "click", "group_resubscribe", "unheard_of"] {
            let event = format!(r#"{{"event":"{event}","sg_message_id":"1","timestamp":1}}"#);
            assert_eq!(one(&event), Received::default(), "{event}");
        }
        let complaint =
            one(r#"{"event":"spamreport","email":"ama@example.com","sg_message_id":"1"}"#);
        assert!(matches!(complaint.reports[0].event, DeliveryEvent::Confirmed { .. }));
        assert_eq!(one(r#"{"event":7},{"nothing":1},"delivered""#), Received::default());
        for body in ["", "{}", "null", "delivered"] {
            let refused = read_callback(body.as_bytes(), DateTime::UNIX_EPOCH);
            assert_eq!(refused, Err(CallbackRefused::Malformed), "{body}");
        }
    }
}
