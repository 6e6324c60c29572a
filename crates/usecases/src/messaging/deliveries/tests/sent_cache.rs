//! The rules of the cache of messages that were just sent.

use std::{pin::pin, time::Duration};

use domain::messaging::callback::MessageRef;
use futures_util::{FutureExt, StreamExt, future::join, stream::FuturesUnordered};

use super::{attempts::planned, *};
use crate::messaging::deliveries::being_written::BeingWritten;

/// A message that the first provider just took, and deliveries that cache it.
async fn just_sent(mut jobs: MockJobs) -> (Message, Deliveries) {
    jobs.expect_record().once().returning(|_| Ok(Recorded::Done));
    let deliveries =
        TwoProviders::default().first_answers(accepted(FollowUp::Report)).deliveries(jobs, clock());
    (deliveries.deliver(job(planned("first"), 0)).await.unwrap(), deliveries)
}

fn from(status: Status) -> impl Fn(&Step) -> bool {
    move |step| matches!(step, Step::ReportApplied(applied) if applied.from == status)
}

#[tokio::test]
async fn a_report_on_a_cached_message_is_applied_without_a_read() {
    let mut jobs = MockJobs::new();
    let reported = jobs.expect_record().once().withf(from(Status::Sent));
    reported.returning(|_| Ok(Recorded::Done));
    jobs.expect_find().never();
    let (sent, deliveries) = just_sent(jobs).await;
    assert_eq!(sent.delivery.status(), Status::Sent);

    deliveries.report(report(&sent, confirmed())).await.unwrap();
}

#[tokio::test]
async fn a_cached_message_that_changed_elsewhere_is_read_again() {
    let mut jobs = MockJobs::new();
    let reported = jobs.expect_record().once().withf(from(Status::Sent));
    reported.returning(|_| Ok(Recorded::Stale));
    let delivered = with("first", Delivery::Delivered { sent_at: None, at: NOW });
    jobs.expect_find().once().return_once(|_| Ok(Some(delivered)));
    let (sent, deliveries) = just_sent(jobs).await;

    deliveries.report(report(&sent, confirmed())).await.unwrap();
}

#[tokio::test]
async fn a_report_waits_while_its_message_is_being_written() {
    let being_written = BeingWritten::default();
    let (one, other) = (ordinary().id, ordinary().id);
    let writing = being_written.begin(one);
    let mut end = pin!(being_written.end_of(one));

    assert!(being_written.end_of(other).now_or_never().is_some());
    assert!(end.as_mut().now_or_never().is_none());
    drop(writing);
    end.await;
}

#[tokio::test]
async fn a_report_waits_until_no_write_of_its_message_is_left() {
    let being_written = BeingWritten::default();
    let message = ordinary().id;
    let first = being_written.begin(message);
    let end = being_written.end_of(message);
    let writes = async {
        // The lease ended meanwhile, and another worker has the message.
        let second = being_written.begin(message);
        drop(first);
        assert!(being_written.end_of(message).now_or_never().is_none());
        tokio::task::yield_now().await;
        drop(second);
    };

    let both = join(end, writes);

    tokio::time::timeout(Duration::from_secs(10), both).await.unwrap();
    assert!(being_written.end_of(message).now_or_never().is_some());
}

#[tokio::test]
async fn few_reports_wait_for_the_same_message() {
    let being_written = BeingWritten::default();
    let message = ordinary().id;
    let writing = being_written.begin(message);
    // Each has a waker of its own, like the reports of different requests.
    let mut waiting: FuturesUnordered<_> =
        (0..100).map(|_| being_written.end_of(message)).collect();

    let mut gone_on = 0;
    while waiting.next().now_or_never().flatten().is_some() {
        gone_on += 1;
    }

    assert_eq!((gone_on, waiting.len()), (84, 16));
    drop(writing);
    assert_eq!(waiting.count().await, 16);
}

#[test]
fn the_oldest_messages_are_evicted_if_there_is_no_room() {
    let cache = SentCache::default();
    let messages: Vec<_> = (0..10).map(|_| long()).collect();
    for message in &messages {
        cache.remember(message.clone());
    }

    let kept: Vec<_> = messages.iter().map(|it| cache.find(it.id).is_some()).collect();

    assert_eq!(kept, [false, false, false, true, true, true, true, true, true, true]);
}

#[test]
fn evicted_messages_leave_room_for_others() {
    let cache = SentCache::default();
    let first = long();
    cache.remember(first.clone());
    for _ in 0..20 {
        let message = long();
        cache.remember(message.clone());
        assert_eq!(cache.find(message.id), Some(message.clone()));
        cache.forget(message.id);
        assert_eq!(cache.find(message.id), None);
    }

    assert_eq!(cache.find(first.id), Some(first));
    assert_eq!(cache.find(ordinary().id), None);
}

#[test]
fn an_unreported_message_is_evicted_after_many_others() {
    let cache = SentCache::default();
    let silent = ordinary();
    cache.remember(silent.clone());
    for _ in 0..1 << 16 {
        let message = ordinary();
        cache.remember(message.clone());
        cache.forget(message.id);
    }

    assert_eq!(cache.find(silent.id), None);
}

#[test]
fn a_cached_message_is_found_by_its_vendor_reference() {
    let cache = SentCache::default();
    let named = |reference: &str| {
        let outcome =
            Outcome::Accepted { reference: Some(reference.into()), follow_up: FollowUp::Report };
        let attempts = vec![Attempt::start("first", NOW).end(NOW, &outcome)];
        Message { attempts, ..ordinary() }
    };
    let (one, other) = (named("ref-1"), named("ref-2"));
    cache.remember(one.clone());
    cache.remember(other.clone());
    let find = |provider, reference: &str| {
        cache.find_named(provider, &MessageRef::Vendors(reference.into()))
    };

    assert_eq!(find("first", "ref-1"), Some(one.clone()));
    assert_eq!(find("first", "ref-2"), Some(other.clone()));
    assert_eq!(find("second", "ref-1"), None);
    assert_eq!(cache.find_named("first", &MessageRef::Ours(other.id)), Some(other));
    cache.forget(one.id);
    assert_eq!(find("first", "ref-1"), None);
}

/// A long message; the cache has room for seven.
fn long() -> Message {
    let mut message = ordinary();
    Arc::make_mut(&mut message.draft).body = "x".repeat(2 << 20);
    message
}
