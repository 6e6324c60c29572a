//! Stored reports that wait for their messages to become known.

use chrono::{DateTime, Utc};
use domain::messaging::delivery::{DeliveryEvent, Failure, FailureCode};
use serde::{Deserialize, Serialize};
use serde_json::Value;

#[derive(Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "SCREAMING_SNAKE_CASE")]
enum Kept {
    Accepted { at: DateTime<Utc> },
    Confirmed { at: DateTime<Utc> },
    Rejected { at: DateTime<Utc>, code: FailureCode, message: String, vendor_code: Option<String> },
}

/// Serializes a report; `None` for events that no provider reports.
pub(super) fn write(event: &DeliveryEvent) -> Option<Value> {
    let kept = match event.clone() {
        DeliveryEvent::Accepted { at } => Kept::Accepted { at },
        DeliveryEvent::Confirmed { at } => Kept::Confirmed { at },
        DeliveryEvent::Rejected { at, failure } => {
            let Failure { code, message, vendor_code } = failure;
            Kept::Rejected { at, code, message, vendor_code }
        }
        _ => return None,
    };
    serde_json::to_value(kept).ok()
}

pub(super) fn read(kept: Value) -> Option<DeliveryEvent> {
    Some(match serde_json::from_value(kept).ok()? {
        Kept::Accepted { at } => DeliveryEvent::Accepted { at },
        Kept::Confirmed { at } => DeliveryEvent::Confirmed { at },
        Kept::Rejected { at, code, message, vendor_code } => {
            DeliveryEvent::Rejected { at, failure: Failure { code, message, vendor_code } }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stored_report_is_read_back_unchanged() {
        let at = DateTime::from_timestamp(1_700_000_000, 0).unwrap();
        let failure = Failure::new(FailureCode::Undelivered, "absent").with_vendor_code("27");
        for event in [
            DeliveryEvent::Accepted { at },
            DeliveryEvent::Confirmed { at },
            DeliveryEvent::Rejected { at, failure },
        ] {
            assert_eq!(read(write(&event).unwrap()), Some(event));
        }
        assert_eq!(write(&DeliveryEvent::Dispatched), None);
    }
}
