//! What is remembered of messages that were just sent.

use domain::callback::About;

use super::*;

/// A message that the first provider just took, and deliveries that remember it.
async fn just_sent(mut jobs: MockJobs) -> (Message, Deliveries) {
    jobs.expect_record().once().returning(|_| Ok(Recorded::Done));
    let deliveries =
        Two::default().first_says(accepted(FollowUp::Report)).deliveries(jobs, clock());
    let job = Job { is_fresh: true, ..job(foreseen(), 0) };
    (deliveries.deliver(job).await.unwrap(), deliveries)
}

/// A message whose first attempt was kept when it was accepted.
fn foreseen() -> Message {
    Message { attempts: vec![Attempt::start("first", NOW)], ..ordinary() }
}

fn from(status: Status) -> impl Fn(&Step) -> bool {
    move |step| step.from == status && step.lease.is_none()
}

#[tokio::test]
async fn a_report_on_a_message_that_was_just_sent_is_decided_without_reading_it_back() {
    let mut jobs = MockJobs::new();
    let reported = jobs.expect_record().once().withf(from(Status::Sent));
    reported.returning(|_| Ok(Recorded::Done));
    jobs.expect_find().never();
    let (sent, deliveries) = just_sent(jobs).await;
    assert_eq!(sent.delivery.status(), Status::Sent);

    deliveries.report(report(&sent, confirmed())).await.unwrap();
}

#[tokio::test]
async fn what_is_remembered_is_read_back_when_the_message_has_moved_on_elsewhere() {
    let mut jobs = MockJobs::new();
    let reported = jobs.expect_record().once().withf(from(Status::Sent));
    reported.returning(|_| Ok(Recorded::Stale));
    let delivered = with("first", Delivery::Delivered { sent_at: None, at: NOW });
    jobs.expect_find().once().return_once(|_| Ok(Some(delivered)));
    let (sent, deliveries) = just_sent(jobs).await;

    deliveries.report(report(&sent, confirmed())).await.unwrap();
}

#[test]
fn the_oldest_messages_are_forgotten_when_there_is_no_room() {
    let recent = Recent::default();
    let messages: Vec<_> = (0..10).map(|_| long()).collect();
    for message in &messages {
        recent.remember(message.clone());
    }

    let kept: Vec<_> = messages.iter().map(|it| recent.find(it.id).is_some()).collect();

    assert_eq!(kept, [false, false, false, true, true, true, true, true, true, true]);
}

#[test]
fn messages_that_were_taken_leave_room_for_others() {
    let recent = Recent::default();
    let first = long();
    recent.remember(first.clone());
    for _ in 0..20 {
        let message = long();
        recent.remember(message.clone());
        assert_eq!(recent.find(message.id), Some(message.clone()));
        recent.forget(message.id);
        assert_eq!(recent.find(message.id), None);
    }

    assert_eq!(recent.find(first.id), Some(first));
    assert_eq!(recent.find(ordinary().id), None);
}

#[test]
fn a_message_on_which_no_report_comes_is_forgotten_after_many_others() {
    let recent = Recent::default();
    let silent = ordinary();
    recent.remember(silent.clone());
    for _ in 0..1 << 16 {
        let message = ordinary();
        recent.remember(message.clone());
        recent.forget(message.id);
    }

    assert_eq!(recent.find(silent.id), None);
}

#[test]
fn a_message_is_remembered_by_the_name_that_its_provider_gave_it() {
    let recent = Recent::default();
    let named = |reference: &str| {
        let outcome =
            Outcome::Accepted { reference: Some(reference.into()), follow_up: FollowUp::Report };
        let attempts = vec![Attempt::start("first", NOW).end(NOW, &outcome)];
        Message { attempts, ..ordinary() }
    };
    let (one, other) = (named("ref-1"), named("ref-2"));
    recent.remember(one.clone());
    recent.remember(other.clone());
    let find =
        |provider, reference: &str| recent.find_named(provider, &About::Vendors(reference.into()));

    assert_eq!(find("first", "ref-1"), Some(one.clone()));
    assert_eq!(find("first", "ref-2"), Some(other.clone()));
    assert_eq!(find("second", "ref-1"), None);
    assert_eq!(recent.find_named("first", &About::Ours(other.id)), Some(other));
    recent.forget(one.id);
    assert_eq!(find("first", "ref-1"), None);
}

/// A message of which seven find room.
fn long() -> Message {
    let mut message = ordinary();
    Arc::make_mut(&mut message.draft).body = "x".repeat(2 << 20);
    message
}
