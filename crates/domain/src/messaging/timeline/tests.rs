//! Timelines of messages in their states.

use chrono::TimeDelta;

use super::*;
use crate::{
    identity::organization::PLATFORM,
    messaging::{
        message::{MessageRequest, Terms},
        outcome::{FollowUp, Outcome},
        priority::Origin,
    },
};

const NOW: DateTime<Utc> = DateTime::from_timestamp_nanos(1_700_000_000_000_000_000);
const COST: Money = Money::from_micros(35_000);

fn at(seconds: i64) -> DateTime<Utc> {
    NOW + TimeDelta::seconds(seconds)
}

/// Returns an accepted message that costs 0.035 GHS.
fn message() -> Message {
    let request = MessageRequest {
        channel: Some(Channel::Sms),
        to: Some("0241234567".into()),
        body: Some("Akwaaba".into()),
        ..MessageRequest::default()
    };
    let terms = Terms { cost: COST, refusal: None, is_sandbox: false, is_confidential: false };
    Message::queue(PLATFORM, request.draft(None).unwrap(), Origin::Single, terms, NOW)
}

fn failure(code: FailureCode) -> Failure {
    Failure::new(code, "of the provider")
}

/// Returns a message that `second` took after `first` did not.
fn handed_over(delivery: Delivery) -> Message {
    let throttled = failure(FailureCode::ProviderThrottled);
    let refused = Outcome::NotAccepted { failure: throttled, retry_after: None };
    let taken = Outcome::Accepted { reference: None, follow_up: FollowUp::Report };
    let attempts = vec![
        Attempt::start("first", at(1)).end(at(2), &refused),
        Attempt::start("second", at(2)).end(at(3), &taken),
    ];
    Message { delivery, attempts, provider: Some("second".into()), ..message() }
}

fn timeline(message: &Message) -> Vec<Entry> {
    message.timeline(&Surroundings::default())
}

fn kinds(entries: &[Entry]) -> Vec<EntryKind> {
    entries.iter().map(|entry| entry.kind).collect()
}

#[test]
fn a_delivered_message_shows_its_attempts_and_its_arrival() {
    use EntryKind::{Accepted, Attempt, HandedOver, Report};
    let delivered = handed_over(Delivery::Delivered { sent_at: Some(at(3)), at: at(9) });

    let entries = timeline(&delivered);

    assert_eq!(kinds(&entries), [Accepted, Attempt, Attempt, HandedOver, Report]);
    let times: Vec<_> = entries.iter().map(|entry| entry.at).collect();
    assert_eq!(times, [NOW, at(1), at(2), at(3), at(9)]);
    assert_eq!(entries[0].text, "Accepted, and paid with GHS 0.035.");
    assert_eq!(entries[0].amount, Some(COST));
    assert_eq!(entries[1].code.as_deref(), Some("PROVIDER_THROTTLED"));
    assert_eq!(entries[1].provider.as_deref(), Some("first"));
    assert_eq!(
        entries[1].text,
        "first did not take it: the provider took no more messages at the time."
    );
    assert_eq!(entries[4].text, "Delivered: the provider confirmed that it arrived.");
}

#[test]
fn a_message_that_failed_after_a_provider_took_it_is_explained_and_paid_back() {
    use EntryKind::{Refunded, Report};
    let failure = failure(FailureCode::Undelivered);
    let failed = handed_over(Delivery::Failed { sent_at: Some(at(3)), at: at(9), failure });

    let entries = timeline(&failed);

    let [.., report, refund] = entries.as_slice() else { panic!("{entries:?}") };
    assert_eq!((report.kind, report.code.as_deref()), (Report, Some("UNDELIVERED")));
    assert_eq!(
        report.text,
        "Not delivered: the phone or mailbox was out of reach until the provider gave up. You were \
         not charged. Send it again later."
    );
    assert_eq!((refund.kind, refund.at, refund.amount), (Refunded, at(9), Some(COST)));
}

#[test]
fn a_message_that_cost_nothing_is_not_paid_back() {
    let failure = failure(FailureCode::NoRoute);
    let delivery = Delivery::Failed { sent_at: None, at: at(1), failure };
    let refused = Message { cost: Money::ZERO, delivery, ..message() };

    let entries = timeline(&refused);

    assert_eq!(kinds(&entries), [EntryKind::Accepted, EntryKind::Report]);
    assert!(entries[1].text.starts_with("Not sent: no provider serves"), "{}", entries[1].text);
}

#[test]
fn a_scheduled_message_that_is_cancelled_shows_both() {
    use EntryKind::{Accepted, Cancelled, Refunded, Scheduled};
    let waiting = message().scheduled(NOW + TimeDelta::days(2), true);
    let failure = failure(FailureCode::Cancelled);
    let delivery = Delivery::Failed { sent_at: None, at: at(60), failure };

    let entries = timeline(&Message { delivery, ..waiting });

    assert_eq!(kinds(&entries), [Accepted, Scheduled, Cancelled, Refunded]);
    assert_eq!(entries[1].text, "Scheduled for 2023-11-16 22:13 UTC.");
}

#[test]
fn a_missing_report_is_named_once_it_is_no_longer_waited_for() {
    let failure = failure(FailureCode::NoReport);
    let sent = timeline(&handed_over(Delivery::Sent { at: at(3) }));
    let given_up = timeline(&handed_over(Delivery::Unreported { at: at(3), failure }));

    assert_eq!(sent.last().unwrap().kind, EntryKind::HandedOver);
    let report = given_up.last().unwrap();
    assert_eq!((report.kind, report.at), (EntryKind::Report, at(3) + MAX_FOLLOW_UP));
    assert!(report.text.contains("You paid for it."), "{}", report.text);
}

#[test]
fn the_gap_between_kept_attempts_is_named() {
    let attempt = Attempt { omitted: 7, ..Attempt::start("first", at(1)) };
    let entries = timeline(&Message { attempts: vec![attempt], ..message() });
    assert!(entries[1].text.ends_with("that are not listed: 7."), "{}", entries[1].text);
}

#[test]
fn a_chain_of_channels_and_calls_of_webhooks_are_in_their_order() {
    use EntryKind::{Accepted, Fallback, Webhook};
    let link = |seconds| {
        let message = Id::new_in(at(seconds), PLATFORM);
        ChainLink { message, channel: Channel::Email, at: at(seconds) }
    };
    let delivery = |seconds, status, attempts, status_code, failure: Option<&str>| EventDelivery {
        at: at(seconds),
        status,
        attempts,
        status_code,
        failure: failure.map(str::to_owned),
    };
    let surroundings = Surroundings {
        previous: Some(link(-60)),
        next: Some(link(50)),
        deliveries: vec![
            delivery(51, DeliveryRecordStatus::Delivered, 2, Some(204), None),
            delivery(40, DeliveryRecordStatus::Pending, 1, None, Some("TIMED_OUT")),
        ],
    };

    let entries = message().timeline(&surroundings);

    assert_eq!(kinds(&entries), [Accepted, Fallback, Webhook, Fallback, Webhook]);
    let codes: Vec<_> = entries.iter().map(|entry| entry.code.as_deref()).collect();
    assert_eq!(codes, [None, Some("EMAIL"), Some("TIMED_OUT"), Some("EMAIL"), Some("204")]);
    assert_eq!(entries[2].text, "Your webhook was called: it did not answer. It is called again.");
    assert!(entries[3].text.contains(&link(50).message.internal()[..12]), "{}", entries[3].text);
}
