//! Reports of a service.

use chrono::{DateTime, Utc};
use domain::messaging::{
    callback::{CallbackRefused, MessageRef, Received},
    delivery::{DeliveryEvent, FailureCode},
};
use serde::Deserialize;
use serde_json::Value;

use crate::{
    callbacks::{one_report, our_message},
    loose_json, verdict,
};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Report {
    /// Identifier of this service.
    message: Option<String>,
    /// Identifier of the receiving service, from its response.
    #[serde(default)]
    id: Value,
    status: String,
    error_code: Option<String>,
    /// RFC 3339.
    at: Option<String>,
}

/// Reads a report. `now` is its time if it has none.
pub(super) fn read_callback(body: &[u8], now: DateTime<Utc>) -> Result<Received, CallbackRefused> {
    let report: Report = serde_json::from_slice(body).map_err(|_| CallbackRefused::Malformed)?;
    let about = match report.message.as_deref().and_then(our_message) {
        Some(ours) => ours,
        None => match loose_json::text(&report.id) {
            Some(id) => MessageRef::Vendors(id),
            None => return Err(CallbackRefused::Malformed),
        },
    };
    let at = report.at.as_deref().and_then(loose_json::time).unwrap_or(now);
    Ok(one_report(about, report.event(at)))
}

impl Report {
    fn event(&self, at: DateTime<Utc>) -> Option<DeliveryEvent> {
        match self.status.as_str() {
            "SENT" => Some(DeliveryEvent::Accepted { at }),
            "DELIVERED" => Some(DeliveryEvent::Confirmed { at }),
            "FAILED" => {
                let name = self.error_code.as_deref().unwrap_or("FAILED");
                let code = name.parse().unwrap_or(FailureCode::Undelivered);
                Some(DeliveryEvent::Rejected { at, failure: verdict::failure(code, name) })
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use domain::messaging::{callback::VendorReport, delivery::Failure};

    use super::*;
    use crate::fixture::{message, now};

    fn one(body: &str) -> Result<Option<VendorReport>, CallbackRefused> {
        read_callback(body.as_bytes(), now()).map(|mut received| received.reports.pop())
    }

    #[test]
    fn a_report_is_about_our_message_or_theirs() {
        let message = message();
        let event = DeliveryEvent::Confirmed { at: now() };
        let id = message.id.internal();
        for (body, about) in [
            (
                format!(r#"{{"message":"{id}","id":"x","status":"DELIVERED"}}"#),
                MessageRef::Ours(message.id),
            ),
            (r#"{"id":"x","status":"DELIVERED"}"#.to_owned(), MessageRef::Vendors("x".into())),
            (r#"{"id":17,"status":"DELIVERED"}"#.to_owned(), MessageRef::Vendors("17".into())),
            (
                r#"{"message":"?","id":"x","status":"DELIVERED"}"#.to_owned(),
                MessageRef::Vendors("x".into()),
            ),
        ] {
            assert_eq!(
                one(&body),
                Ok(Some(VendorReport { about, event: event.clone() })),
                "{body}"
            );
        }
    }

    #[test]
    fn a_failure_has_a_code_of_ours_or_else_is_undelivered() {
        let failure = |code: &str| -> Failure {
            let body = format!(r#"{{"id":"x","status":"FAILED"{code}}}"#);
            match one(&body).unwrap().unwrap().event {
                DeliveryEvent::Rejected { failure, .. } => failure,
                event => panic!("{event:?}"),
            }
        };
        let parsed = failure(r#","errorCode":"INVALID_RECIPIENT""#);
        assert_eq!(parsed.code, FailureCode::InvalidRecipient);
        let strange = failure(r#","errorCode":"E17""#);
        assert_eq!(strange.code, FailureCode::Undelivered);
        assert_eq!(strange.vendor_code.as_deref(), Some("E17"));
        assert_eq!(failure("").code, FailureCode::Undelivered);
    }

    #[test]
    fn a_report_has_its_own_time_and_unknown_statuses_no_event() {
        let at = DateTime::parse_from_rfc3339("2026-01-02T03:04:05Z").unwrap().to_utc();
        let body = r#"{"id":"x","status":"SENT","at":"2026-01-02T03:04:05Z"}"#;
        assert_eq!(one(body).unwrap().unwrap().event, DeliveryEvent::Accepted { at });
        assert_eq!(one(r#"{"id":"x","status":"READ"}"#), Ok(None));
        for body in ["", "[]", "{}", r#"{"status":"SENT"}"#, r#"{"id":"x"}"#] {
            assert_eq!(one(body), Err(CallbackRefused::Malformed), "{body}");
        }
    }
}
