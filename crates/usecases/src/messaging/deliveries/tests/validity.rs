//! The validity of messages, and waits that are not rounds.

use domain::providers::breaker::Breaker;

use super::*;
use crate::shared::fixtures::away;

/// A clock at which messages of `category` have expired.
fn after(category: Category) -> Arc<dyn Clock> {
    Arc::new(MockClock::at(NOW + retry::validity(category)))
}

fn code_of(step: &JobConcluded) -> FailureCode {
    step.message.delivery.failure().unwrap().code
}

/// A message that no provider took in its last round.
fn deferred() -> Message {
    let last_failure = Some(failure(FailureCode::ProviderUnavailable));
    Message { delivery: Delivery::Queued { last_failure }, ..ordinary() }
}

#[tokio::test]
async fn an_expired_message_is_refunded_with_its_last_failure() {
    let step =
        TwoProviders::default().step_at(after(Category::Transactional), job(deferred(), 200)).await;

    assert_eq!((code_of(&step), step.due_in, refund(&step)), (FailureCode::Expired, None, PRICE));
    let message = &step.message.delivery.failure().unwrap().message;
    assert_eq!(message, "it was not handed over in time: it says no");
}

#[tokio::test]
async fn a_message_is_tried_in_any_number_of_rounds_until_it_expires() {
    let two = TwoProviders::default().first_answers(not_accepted()).second_answers(not_accepted());
    let an_hour_on: Arc<dyn Clock> = Arc::new(MockClock::at(NOW + TimeDelta::hours(1)));

    let step = two.step_at(an_hour_on, job(ordinary(), u8::MAX)).await;

    assert_eq!(step.message.delivery.status(), Status::Queued);
    assert_eq!((step.rounds, step.due_in), (u8::MAX, Some(TimeDelta::minutes(5))));
}

#[tokio::test]
async fn an_expired_message_in_doubt_fails_after_three_days() {
    let in_doubt = || {
        let mut message = doubted_by("first");
        let started = Attempt::start("first", NOW);
        message.attempts = vec![started.end(NOW, &unknown())];
        message
    };
    let two = TwoProviders::default().first_knows(LookUp::Unavailable);
    let step = two.step_at(after(Category::Transactional), job(in_doubt(), 1)).await;
    assert_eq!(
        (step.message.delivery.status(), code_of(&step)),
        (Status::Pending, FailureCode::UnknownOutcome)
    );
    assert_eq!(step.due_in, Some(TimeDelta::hours(6)));

    let late: Arc<dyn Clock> = Arc::new(MockClock::at(NOW + retry::MAX_FOLLOW_UP));
    let two = TwoProviders::default().first_knows(LookUp::Unavailable);
    let step = two.step_at(late, job(in_doubt(), 1)).await;
    assert_eq!(step.message.delivery.status(), Status::Failed);
    assert_eq!((code_of(&step), refund(&step)), (FailureCode::UnknownOutcome, PRICE));
}

#[tokio::test]
async fn a_message_refused_after_a_doubt_stays_in_doubt() {
    let mut message = deferred();
    message.attempts = vec![Attempt::start("first", NOW).end(NOW, &unknown())];

    let step =
        TwoProviders::default().step_at(after(Category::Transactional), job(message, 2)).await;

    assert_eq!((step.from, step.message.delivery.status()), (Status::Queued, Status::Pending));
    assert_eq!(step.message.provider.as_deref(), Some("first"));
}

#[tokio::test]
async fn an_expired_message_unknown_to_its_provider_is_refunded() {
    let mut message = doubted_by("first");
    message.attempts = vec![Attempt::start("first", NOW).end(NOW, &unknown())];
    let two = TwoProviders::default().first_knows(LookUp::NotFound);

    let step = two.step_at(after(Category::Transactional), job(message, 1)).await;

    assert_eq!((code_of(&step), refund(&step)), (FailureCode::Expired, PRICE));
}

#[tokio::test]
async fn a_message_doubted_five_times_is_not_sent_again() {
    let mut message = doubted_by("first");
    let attempt = || Attempt::start("first", NOW).end(NOW, &unknown());
    message.attempts = std::iter::repeat_with(attempt).take(retry::MAX_DOUBTS).collect();
    let two = TwoProviders::default().first_knows(LookUp::Unavailable);

    let step = two.step(job(message, 5)).await;

    assert_eq!(step.message.delivery.status(), Status::Pending);
    assert_eq!((step.message.attempts.len(), step.due_in), (5, Some(REPORT_TIMEOUT_OF_FIRST)));
}

/// Opens the breakers of both providers.
async fn close_all(deliveries: &Deliveries) {
    let failure = failure(FailureCode::ProviderBalance);
    let empty = Outcome::NotAccepted { failure, retry_after: None };
    for name in ["first", "second"] {
        let step = RouteStep { provider: name, is_probe: false };
        deliveries.deps.providers.states().on_outcome(step, &empty, NOW).await;
    }
}

#[tokio::test]
async fn a_message_waits_unwritten_while_all_providers_are_closed() {
    let mut jobs = MockJobs::new();
    jobs.expect_record().never();
    let deliveries = TwoProviders::default().deliveries(jobs, clock());
    close_all(&deliveries).await;
    let ours = job(ordinary(), 0);

    let worked = deliveries.deliver_group(vec![ours.clone()], AdmissionWait::None).await;

    let [Ok(WorkResult::Waiting(waiting))] = &worked[..] else { panic!("{worked:?}") };
    assert_eq!(waiting, &ours);
    let capacity = deliveries
        .deps
        .providers
        .queue_capacity(deliveries.deps.providers.provider_queue(&ours.message), NOW);
    assert_eq!(capacity.capacity, 0);
    let rested = NOW + TimeDelta::seconds(3);
    let capacity = deliveries
        .deps
        .providers
        .queue_capacity(deliveries.deps.providers.provider_queue(&ours.message), rested);
    assert_eq!((capacity.capacity, capacity.wait.is_zero()), (1, true), "one may probe");
}

#[tokio::test]
async fn a_request_leaves_a_waiting_message_to_the_workers() {
    let mut jobs = MockJobs::new();
    jobs.expect_release().once().withf(|jobs| jobs.len() == 1).returning(|_| Ok(()));
    let deliveries = TwoProviders::default().deliveries(jobs, clock());
    close_all(&deliveries).await;

    let message = deliveries.deliver(job(ordinary(), 0)).await.unwrap();

    assert_eq!(message.delivery, Delivery::NEW);
}

#[tokio::test]
async fn a_doubt_is_recorded_while_all_providers_are_closed() {
    let (jobs, steps) = recording_jobs();
    let deliveries =
        TwoProviders::default().first_knows(LookUp::Unavailable).deliveries(jobs, clock());
    close_all(&deliveries).await;

    deliveries.deliver(job(doubted_by("first"), 1)).await.unwrap();

    let steps = steps.lock().unwrap();
    assert_eq!(steps[0].message().delivery.status(), Status::Pending);
    assert_eq!((steps.len(), steps[0].due_in()), (1, Some(TimeDelta::seconds(5))));
}

#[tokio::test]
async fn a_probe_that_failed_to_begin_is_given_back() {
    let mut jobs = MockJobs::new();
    jobs.expect_record().returning(|_| Err(away()));
    let rested = NOW + TimeDelta::seconds(3);
    let deliveries = TwoProviders::default().deliveries(jobs, Arc::new(MockClock::at(rested)));
    close_all(&deliveries).await;

    deliveries.deliver(job(ordinary(), 0)).await.unwrap_err();

    let breaker = deliveries.deps.providers.states().of("first").breaker;
    assert!(matches!(breaker, Breaker::Open { .. }), "{breaker:?}");
    assert!(breaker.is_probe_due(rested));
}
