//! Calls that fail.

use super::*;

/// Sends the next event, and returns the attempt and the change to be written.
fn call_once(
    desk: &mut Desk,
    now: DateTime<Utc>,
    result: WebhookCallResult,
) -> (DeliveryAttempt, Option<EndpointChange>) {
    let call = desk.queues.next_call(now).expect("something is to be told");
    desk.queues.finish(&call, result, now, 0);
    let (mut attempts, mut changes) = desk.write(now);
    assert_eq!(attempts.len(), 1);
    (attempts.remove(0), changes.pop())
}

#[test]
fn a_failed_delivery_is_retried_as_the_receiver_asks() {
    let mut desk = Desk::with(1..=1, &[(1, 1), (2, 2)]);
    desk.read(NOW);
    let (attempt, _) = call_once(&mut desk, NOW, answered(503));
    assert_eq!(attempt.next, AfterAttempt::Retry(TimeDelta::seconds(5)));
    assert_eq!((attempt.earlier, attempt.status_code, attempt.failure), (0, Some(503), None));

    let retry_after = Some(TimeDelta::seconds(90));
    let outcome = CallOutcome::Answered { status: 429, retry_after };
    let result = WebhookCallResult { outcome, took: TimeDelta::zero() };
    let (attempt, _) = call_once(&mut desk, NOW, result);
    assert_eq!(attempt.next, AfterAttempt::Retry(TimeDelta::seconds(90)));
}

#[test]
fn redirects_and_timeouts_fail_for_good_the_eighth_time() {
    let mut desk = Desk::with(1..=1, &[(1, 1), (2, 2)]);
    let due = desk.due.get_mut(&key(1)).unwrap();
    due[1].attempts = 7;
    desk.read(NOW);
    assert!(matches!(call_once(&mut desk, NOW, answered(302)).0.next, AfterAttempt::Retry(_)));
    let (attempt, _) = call_once(&mut desk, NOW, timed_out());
    assert_eq!(
        (attempt.next, attempt.failure),
        (AfterAttempt::Failed, Some(CallFailure::TimedOut))
    );
}

#[test]
fn five_failures_in_a_row_make_the_rest_wait_for_a_probe() {
    let events: Vec<_> = (1..=20).map(|number| (number, number)).collect();
    let mut desk = Desk::with(1..=1, &events);
    desk.read(NOW);
    for _ in 0..5 {
        call_once(&mut desk, NOW, answered(500));
    }
    assert!(desk.calls(at(4)).is_empty());
    assert!(desk.queues.tidy(at(4)).is_empty());
    assert!(desk.calls(at(4)).is_empty());

    desk.queues.tidy(at(5));
    let probe = desk.calls(at(5));
    assert_eq!(probe.len(), 1);
    desk.queues.finish(&probe[0], answered(500), at(5), 0);
    desk.queues.tidy(at(14));
    assert!(desk.calls(at(14)).is_empty(), "it rests longer");

    desk.queues.tidy(at(15));
    let probe = desk.calls(at(15));
    desk.queues.finish(&probe[0], answered(200), at(15), 0);
    assert!(desk.calls(at(15)).len() > 1, "it is well again");
}

#[test]
fn a_new_address_is_called_at_once() {
    let events: Vec<_> = (1..=20).map(|number| (number, number)).collect();
    let mut desk = Desk::with(1..=1, &events);
    desk.read(NOW);
    for _ in 0..5 {
        call_once(&mut desk, NOW, answered(500));
    }
    assert!(desk.calls(at(1)).is_empty());
    let url = "https://other.example.com".to_owned();
    desk.called = Some(CalledEndpoint { url: url.clone(), ..endpoint() });

    desk.read(at(1));

    assert!(desk.calls(at(1)).iter().all(|call| call.call.url == url));
}

#[test]
fn the_first_failure_and_the_next_success_are_recorded() {
    let mut desk = Desk::with(1..=1, &[(1, 1), (2, 2), (3, 3), (4, 4)]);
    desk.read(NOW);
    let change = call_once(&mut desk, at(1), answered(500)).1.unwrap();
    assert_eq!((change.failing_since, change.has_succeeded), (Some(at(1)), false));
    assert_eq!(call_once(&mut desk, at(2), answered(500)).1, None, "that is known");
    let change = call_once(&mut desk, at(3), answered(200)).1.unwrap();
    assert_eq!((change.failing_since, change.has_succeeded), (None, true));
    assert_eq!(call_once(&mut desk, at(4), answered(200)).1, None);
}

#[test]
fn a_success_between_two_failures_is_written_with_them() {
    let mut desk = Desk::with(1..=1, &[(1, 1), (2, 2), (3, 3)]);
    let failing = Failing { since: at(-90_000), notified_at: Some(at(-100)) };
    desk.called = Some(CalledEndpoint { failing: Some(failing), ..endpoint() });
    desk.read(NOW);
    for status in [500, 200, 500] {
        let call = desk.queues.next_call(NOW).unwrap();
        desk.queues.finish(&call, answered(status), NOW, 0);
    }
    let (_, changes) = desk.write(NOW);
    assert_eq!(changes.len(), 1);
    assert_eq!((changes[0].failing_since, changes[0].has_succeeded), (Some(NOW), true));
}

#[test]
fn a_receiver_that_is_gone_is_deactivated() {
    let mut desk = Desk::with(1..=1, &[(1, 1), (2, 2)]);
    desk.read(NOW);

    let (attempt, change) = call_once(&mut desk, NOW, answered(410));

    assert_eq!(attempt.next, AfterAttempt::Failed);
    assert_eq!(change.unwrap().deactivation, Some(Deactivation::Gone));
    assert!(desk.calls(NOW).is_empty());
    assert_eq!(desk.queues.tidy(NOW), [key(1)]);
}

#[test]
fn a_receiver_that_is_gone_takes_nothing_from_a_read_that_began_before() {
    let mut desk = Desk::with(1..=1, &[(1, 1)]);
    desk.read(NOW);
    let call = desk.queues.next_call(NOW).unwrap();
    desk.due.insert(key(1), vec![delivery(key(1), 2, 2)]);
    let requests = desk.queues.requests(at(1));
    assert_eq!(requests.len(), 1);
    let read = requests.iter().map(|request| desk.answer(request, at(1))).collect();

    desk.queues.finish(&call, answered(410), at(1), 0);
    desk.queues.take(&requests, read, at(1));

    desk.write(at(1));
    assert_eq!(desk.queues.tidy(at(1)), [key(1)], "it can be leased anew");
}
