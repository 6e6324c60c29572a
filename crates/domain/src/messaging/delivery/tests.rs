//! The rules of the delivery state machine.

use proptest::prelude::*;

use super::*;

fn at(seconds: i64) -> DateTime<Utc> {
    DateTime::from_timestamp(1_700_000_000 + seconds, 0).unwrap()
}

fn failure() -> Failure {
    Failure::new(FailureCode::ProviderUnavailable, "connection refused")
}

fn pending() -> Delivery {
    Delivery::Pending { doubt: None }
}

fn any_event() -> impl Strategy<Value = DeliveryEvent> {
    (0_i64..100, 0..7).prop_map(|(seconds, kind)| match kind {
        0 => DeliveryEvent::Dispatched,
        1 => DeliveryEvent::Accepted { at: at(seconds) },
        2 => DeliveryEvent::Doubted { failure: failure() },
        3 => DeliveryEvent::Deferred { failure: failure() },
        4 => DeliveryEvent::Confirmed { at: at(seconds) },
        5 => DeliveryEvent::Unreported { failure: failure() },
        _ => DeliveryEvent::Rejected { at: at(seconds), failure: failure() },
    })
}

#[test]
fn a_message_goes_from_queued_to_delivered() {
    let sent = Delivery::NEW
        .after(DeliveryEvent::Dispatched)
        .and_then(|pending| pending.after(DeliveryEvent::Accepted { at: at(1) }))
        .unwrap();
    assert_eq!(sent, Delivery::Sent { at: at(1) });

    let delivered = sent.after(DeliveryEvent::Confirmed { at: at(2) }).unwrap();
    assert_eq!(delivered, Delivery::Delivered { sent_at: Some(at(1)), at: at(2) });
    assert_eq!((delivered.sent_at(), delivered.delivered_at()), (Some(at(1)), Some(at(2))));
    assert_eq!(delivered.failed_at(), None);
}

#[test]
fn a_rejection_ends_a_message_with_its_time_and_the_code_of_the_vendor() {
    let failure = failure().with_vendor_code("30003");
    let rejected = DeliveryEvent::Rejected { at: at(2), failure: failure.clone() };
    let failed = pending().after(rejected).unwrap();
    assert_eq!((failed.failed_at(), failed.failure()), (Some(at(2)), Some(&failure)));
    assert_eq!(failure.vendor_code.as_deref(), Some("30003"));
    assert!(failed.status().is_final() && !pending().status().is_final());
}

#[test]
fn a_failure_code_says_if_a_message_was_refused_and_if_its_recipient_was_skipped() {
    for (code, is_refused, is_skipped) in [
        (FailureCode::RecipientSuppressed, true, true),
        (FailureCode::MissingVariable, true, true),
        (FailureCode::NoRoute, true, false),
        (FailureCode::ProviderUnavailable, false, false),
    ] {
        assert_eq!((code.refuses(), code.is_skip()), (is_refused, is_skipped), "{code:?}");
    }
}

#[test]
fn a_message_that_no_provider_took_waits_again() {
    let queued = pending().after(DeliveryEvent::Deferred { failure: failure() }).unwrap();
    assert_eq!(queued, Delivery::Queued { last_failure: Some(failure()) });
}

#[test]
fn a_report_may_overtake_the_reply_and_our_own_record() {
    let confirmed = DeliveryEvent::Confirmed { at: at(1) };
    let delivered = Delivery::Delivered { sent_at: None, at: at(1) };

    assert_eq!(pending().after(confirmed.clone()), Ok(delivered.clone()));
    assert_eq!(Delivery::NEW.after_report(confirmed), Ok(delivered));
}

#[test]
fn a_sent_message_is_never_queued_again() {
    let error = Delivery::Sent { at: at(0) }.after(DeliveryEvent::Deferred { failure: failure() });
    assert_eq!(error.unwrap_err().to_string(), "a message that is SENT cannot be deferred");
}

#[test]
fn a_message_without_a_report_stays_sent_and_a_later_report_counts() {
    let failure = Failure::new(FailureCode::NoReport, "nobody said");
    let unreported = DeliveryEvent::Unreported { failure: failure.clone() };
    let closed = Delivery::Sent { at: at(1) }.after(unreported.clone()).unwrap();
    assert_eq!((closed.status(), closed.failure()), (Status::Sent, Some(&failure)));
    assert_eq!(closed.sent_at(), Some(at(1)));

    let delivered = closed.after_report(DeliveryEvent::Confirmed { at: at(2) }).unwrap();
    assert_eq!(delivered, Delivery::Delivered { sent_at: Some(at(1)), at: at(2) });
    assert_eq!(closed.delivered_at(), None);
    let rejected = DeliveryEvent::Rejected { at: at(2), failure: failure.clone() };
    assert_eq!(closed.after_report(rejected).unwrap().status(), Status::Failed);
    assert!(closed.after_report(DeliveryEvent::Accepted { at: at(2) }).is_err());
    assert!(pending().after(unreported).is_err(), "nobody took it for certain");
}

#[test]
fn a_vendors_time_is_held_between_acceptance_and_now() {
    let (accepted, now) = (at(10), at(20));
    for (reported, held) in [
        (DateTime::<Utc>::MIN_UTC, accepted),
        (at(9), accepted),
        (at(15), at(15)),
        (at(21), now),
        (DateTime::<Utc>::MAX_UTC, now),
    ] {
        let confirmed = DeliveryEvent::Confirmed { at: reported }.sanitized(accepted, now);
        assert_eq!(confirmed, DeliveryEvent::Confirmed { at: held });
        let failure = Failure::new(FailureCode::Undelivered, "a\0b").with_vendor_code("c\nd");
        let rejected = DeliveryEvent::Rejected { at: reported, failure }.sanitized(accepted, now);
        let failure = Failure::new(FailureCode::Undelivered, "ab").with_vendor_code("cd");
        assert_eq!(rejected, DeliveryEvent::Rejected { at: held, failure });
    }
}

proptest! {
    #[test]
    fn a_final_state_never_changes(events in prop::collection::vec(any_event(), 0..40)) {
        let mut state = Delivery::NEW;
        for event in events {
            let next = state.after_report(event);
            if state.status().is_final() {
                prop_assert!(next.is_err());
            }
            state = next.unwrap_or(state);
        }
    }

    #[test]
    fn the_time_of_sending_is_never_forgotten(events in prop::collection::vec(any_event(), 0..40)) {
        let mut state = Delivery::NEW;
        for event in events {
            let next = state.after_report(event).unwrap_or_else(|_| state.clone());
            if let Some(sent_at) = state.sent_at() {
                prop_assert_eq!(next.sent_at(), Some(sent_at));
            }
            state = next;
        }
    }
}

#[test]
fn the_refusal_of_another_status_names_them_all() {
    let refusal = "LOST".parse::<Status>().unwrap_err().to_string();
    assert!(Status::ALL.iter().all(|status| refusal.contains(status.as_str())), "{refusal}");
}
