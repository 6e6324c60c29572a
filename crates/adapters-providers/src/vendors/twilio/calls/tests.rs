//! Tests of call statuses.

use super::*;

#[test]
fn every_status_of_a_call_is_understood() {
    let at = DateTime::UNIX_EPOCH;
    for status in ["queued", "initiated", "ringing", "in-progress"] {
        assert_eq!(event(status, at), Some(DeliveryEvent::Accepted { at }), "{status}");
    }
    assert_eq!(event("completed", at), Some(DeliveryEvent::Confirmed { at }));
    for status in ["busy", "no-answer", "failed", "canceled"] {
        let Some(DeliveryEvent::Rejected { failure, .. }) = event(status, at) else {
            panic!("{status}")
        };
        assert_eq!(failure.code, FailureCode::Undelivered);
        assert_eq!(failure.vendor_code.as_deref(), Some(status));
    }
    assert_eq!(event("new one", at), None);
}
