//! Resend's events: <https://resend.com/docs/webhooks/event-types>.

use chrono::{DateTime, Utc};
use domain::messaging::{
    callback::{CallbackRefused, MessageRef, Received, RecipientRequestKind, VendorReport},
    delivery::{DeliveryEvent, FailureCode},
    outcome::LookUp,
};
use serde::Deserialize;
use serde_json::Value;

use crate::{callbacks::our_message, loose_json::time, mail, verdict};

/// Tag that contains the identifier of this service.
pub(super) const TAG: &str = "message";

#[derive(Deserialize)]
struct Event {
    #[serde(rename = "type")]
    kind: String,
    created_at: Option<String>,
    #[serde(default)]
    data: Data,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Data {
    email_id: Option<String>,
    to: Value,
    tags: Value,
    bounce: Value,
}

/// Reads an event. `now` is its time if it has none.
pub(super) fn read_callback(body: &[u8], now: DateTime<Utc>) -> Result<Received, CallbackRefused> {
    let event: Event = serde_json::from_slice(body).map_err(|_| CallbackRefused::Malformed)?;
    let at = event.created_at.as_deref().and_then(time).unwrap_or(now);
    let mut received = Received::default();
    let Some(about) = event.data.about() else { return Ok(received) };
    if event.kind == "email.complained" {
        let kind = RecipientRequestKind::Complaint;
        let recipient = event.data.to[0].as_str();
        received.requests.push(mail::recipient_request(about.clone(), recipient, kind, at));
    }
    let word = event.kind.strip_prefix("email.").unwrap_or_default();
    if let Some(event) = delivery_event(word, &event.data.bounce, at) {
        received.reports.push(VendorReport { about, event });
    }
    Ok(received)
}

/// Returns the result of a lookup from the last event of a message.
pub(super) fn lookup_result(last_event: &str, now: DateTime<Utc>) -> LookUp {
    match delivery_event(last_event, &Value::Null, now) {
        None | Some(DeliveryEvent::Accepted { .. }) => LookUp::Waiting,
        Some(event) => LookUp::Found(event),
    }
}

impl Data {
    fn about(&self) -> Option<MessageRef> {
        // Tags are a list of names and values, or an object.
        let listed = self.tags.as_array().into_iter().flatten();
        let tag = listed
            .filter(|tag| tag["name"] == TAG)
            .find_map(|tag| tag["value"].as_str())
            .or_else(|| self.tags.get(TAG)?.as_str());
        match tag.and_then(our_message) {
            Some(ours) => Some(ours),
            None => self.email_id.clone().filter(|id| !id.is_empty()).map(MessageRef::Vendors),
        }
    }
}

fn delivery_event(word: &str, bounce: &Value, at: DateTime<Utc>) -> Option<DeliveryEvent> {
    match word {
        "sent" => Some(DeliveryEvent::Accepted { at }),
        // Only a delivered email can be opened or complained about.
        "delivered" | "opened" | "clicked" | "complained" => Some(DeliveryEvent::Confirmed { at }),
        "bounced" => {
            let codes = bounce["diagnosticCode"].as_array().into_iter().flatten();
            let prose = codes.chain([&bounce["message"]]).filter_map(Value::as_str);
            let prose = prose.collect::<Vec<_>>().join(" ");
            let failure = mail::bounce(&prose, bounce["subType"].as_str().unwrap_or(word));
            Some(DeliveryEvent::Rejected { at, failure })
        }
        "failed" | "suppressed" | "canceled" => {
            let failure = verdict::failure(FailureCode::Undelivered, word);
            Some(DeliveryEvent::Rejected { at, failure })
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::message;

    fn one(kind: &str, data: &str) -> Received {
        let event = format!(
            r#"{{"type":"{kind}","created_at":"2026-02-22T23:41:12.126Z","data":{{{data}}}}}"#
        );
        read_callback(event.as_bytes(), DateTime::UNIX_EPOCH).unwrap()
    }

    fn event(kind: &str, data: &str) -> Option<DeliveryEvent> {
        one(kind, &format!(r#""email_id":"e1"{data}"#)).reports.pop().map(|report| report.event)
    }

    #[test]
    fn an_event_is_about_our_message_by_its_tag_or_else_about_theirs() {
        let message = message();
        let id = message.id.internal();
        for tags in [
            format!(r#","tags":[{{"name":"x","value":"y"}},{{"name":"message","value":"{id}"}}]"#),
            format!(r#","tags":{{"message":"{id}"}}"#),
        ] {
            let report = one("email.delivered", &format!(r#""email_id":"e1"{tags}"#)).reports;
            let at = DateTime::parse_from_rfc3339("2026-02-22T23:41:12.126Z").unwrap().to_utc();
            let event = DeliveryEvent::Confirmed { at };
            assert_eq!(report, [VendorReport { about: MessageRef::Ours(message.id), event }]);
        }
        for tags in ["", r#","tags":[]"#, r#","tags":[7]"#, r#","tags":{"message":"1"}"#] {
            let reports = one("email.delivered", &format!(r#""email_id":"e1"{tags}"#)).reports;
            assert_eq!(reports[0].about, MessageRef::Vendors("e1".into()), "{tags}");
        }
    }

    #[test]
    fn a_bounce_says_why() {
        use FailureCode as Code;
        for (bounce, code, vendor_code) in [
            (
                r#","bounce":{"diagnosticCode":["smtp; 550 5.1.1 no such user"]}"#,
                Code::InvalidRecipient,
                "5.1.1",
            ),
            (
                r#","bounce":{"message":"mailbox full: 5.2.2","subType":"General"}"#,
                Code::Undelivered,
                "5.2.2",
            ),
            (r#","bounce":{"subType":"Suppressed"}"#, Code::Undelivered, "Suppressed"),
            ("", Code::Undelivered, "bounced"),
        ] {
            let Some(DeliveryEvent::Rejected { failure, .. }) = event("email.bounced", bounce)
            else {
                panic!("{bounce}")
            };
            assert_eq!((failure.code, failure.vendor_code.as_deref()), (code, Some(vendor_code)));
        }
    }

    #[test]
    fn every_other_event_is_understood_or_ignored() {
        assert!(matches!(event("email.sent", ""), Some(DeliveryEvent::Accepted { .. })));
        for kind in ["email.failed", "email.suppressed"] {
            assert!(matches!(event(kind, ""), Some(DeliveryEvent::Rejected { .. })), "{kind}");
        }
        for kind in ["email.delivery_delayed", "email.scheduled", "contact.created", "sent"] {
            assert_eq!(event(kind, ""), None, "{kind}");
        }
        let complaint = one("email.complained", r#""email_id":"e1","to":["ama@example.com"]"#);
        let at = complaint.requests[0].at;
        let kind = RecipientRequestKind::Complaint;
        let request = mail::recipient_request(
            MessageRef::Vendors("e1".into()),
            Some("ama@example.com"),
            kind,
            at,
        );
        assert_eq!((complaint.requests, complaint.inbound), (vec![request], vec![]));
        for body in ["", "[]", "{}", "7"] {
            let refused = read_callback(body.as_bytes(), DateTime::UNIX_EPOCH);
            assert_eq!(refused, Err(CallbackRefused::Malformed), "{body}");
        }
    }

    #[test]
    fn a_lookup_reads_the_last_event() {
        let now = DateTime::UNIX_EPOCH;
        let confirmed = LookUp::Found(DeliveryEvent::Confirmed { at: now });
        for (word, expected) in [
            ("delivered", confirmed.clone()),
            ("opened", confirmed),
            ("sent", LookUp::Waiting),
            ("queued", LookUp::Waiting),
            ("delivery_delayed", LookUp::Waiting),
            ("unheard_of", LookUp::Waiting),
        ] {
            assert_eq!(lookup_result(word, now), expected, "{word}");
        }
        let bounced = lookup_result("bounced", now);
        assert!(matches!(bounced, LookUp::Found(DeliveryEvent::Rejected { .. })), "{bounced:?}");
    }
}
