//! The rules of attempts, which are recorded before they begin.

use ports::shared::mock::MockOwnLeases;

use super::*;

/// A message that this process accepted, and that it has not handed over yet.
pub(super) fn planned(provider: &str) -> Message {
    Message { attempts: vec![Attempt::plan(provider, NOW)], ..ordinary() }
}

/// A message whose worker may have begun to hand it over before it died.
fn abandoned() -> Message {
    Message { attempts: vec![Attempt::start("first", NOW)], ..ordinary() }
}

#[tokio::test]
async fn an_attempt_recorded_at_acceptance_needs_no_further_write() {
    let two = TwoProviders::default().first_answers(accepted(FollowUp::Nothing));
    let step = two.step(job(planned("first"), 0)).await;

    assert_eq!(step.from, Status::Queued);
    assert_eq!(tried(&step), [("first", AttemptOutcome::Accepted)]);
}

#[tokio::test]
async fn an_attempt_planned_for_another_provider_is_dropped() {
    let two = TwoProviders::default().first_answers(accepted(FollowUp::Nothing));
    let step = two.step(job(planned("second"), 0)).await;

    assert_eq!(tried(&step), [("first", AttemptOutcome::Accepted)]);
    assert_eq!(step.message.attempts.len(), 1);
}

#[tokio::test]
async fn a_call_interrupted_by_a_crash_is_queried_before_a_resend() {
    let rescued = || job(abandoned(), 0);

    let two = TwoProviders::default().first_knows(LookUp::Found(confirmed()));
    let step = two.step(rescued()).await;
    assert_eq!(step.message.delivery.status(), Status::Delivered);
    assert_eq!(tried(&step), [("first", AttemptOutcome::Unknown)]);

    let two = TwoProviders::default()
        .first_knows(LookUp::NotFound)
        .first_answers(accepted(FollowUp::Nothing));
    let step = two.step(rescued()).await;
    assert_eq!(
        tried(&step),
        [("first", AttemptOutcome::Unknown), ("first", AttemptOutcome::Accepted)]
    );
}

#[tokio::test]
async fn an_abandoned_ordinary_message_waits_for_a_report() {
    let rescued = job(abandoned(), 0);

    let step = TwoProviders::default().first_knows(LookUp::Unavailable).step(rescued).await;

    assert_eq!(step.message.delivery.status(), Status::Pending);
    assert_eq!(step.message.delivery.failure().unwrap().code, FailureCode::UnknownOutcome);
    assert_eq!(step.message.provider.as_deref(), Some("first"));
    assert_eq!((step.due_in, step.rounds), (Some(REPORT_TIMEOUT_OF_FIRST), 1), "the round counts");
}

#[tokio::test]
async fn an_abandoned_code_is_sent_again_at_once() {
    let message = Message { attempts: vec![Attempt::start("first", NOW)], ..queued(Category::Otp) };
    let rescued = job(message, 0);

    let two = TwoProviders::default().first_knows(LookUp::Unavailable);
    let step = two.first_answers(accepted(FollowUp::Nothing)).step(rescued).await;

    assert_eq!((step.message.delivery.status(), step.rounds), (Status::Sent, 2));
}

#[tokio::test]
async fn a_round_is_counted_before_its_call_begins() {
    let begun = Arc::new(Mutex::new(Vec::new()));
    let mut jobs = MockJobs::new();
    let written = Arc::clone(&begun);
    jobs.expect_record().returning(move |step| {
        let is_begun = matches!(step, Step::AttemptBegun(_));
        written.lock().unwrap().push((is_begun, step.rounds().unwrap()));
        Ok(Recorded::Done)
    });
    let two = TwoProviders::default().first_answers(not_accepted()).second_answers(not_accepted());

    two.deliveries(jobs, clock()).deliver(job(ordinary(), 3)).await.unwrap();

    assert_eq!(*begun.lock().unwrap(), [(true, 4), (true, 4), (false, 4)]);
}

#[tokio::test]
async fn a_call_that_panics_leaves_its_message_in_doubt_and_its_worker_alive() {
    let mut two = TwoProviders::default();
    two.first.expect_send().once().returning(|_| panic!("a bug in the adapter"));

    let step = two.step(job(ordinary(), 0)).await;

    assert_eq!(tried(&step), [("first", AttemptOutcome::Unknown)]);
    assert_eq!(step.message.delivery.status(), Status::Pending);
}

/// Steps written for a message that the first provider takes `age` after its acceptance, if
/// attempts are recorded as `becomes` says. True for the beginning of an attempt.
async fn writes(age: TimeDelta, becomes: Recorded) -> Vec<bool> {
    writes_of(age, becomes, |deps| deps).await
}

async fn writes_of(
    age: TimeDelta,
    becomes: Recorded,
    with: impl FnOnce(DeliveriesDeps) -> DeliveriesDeps,
) -> Vec<bool> {
    let kept = Arc::new(Mutex::new(Vec::new()));
    let mut jobs = MockJobs::new();
    let written = Arc::clone(&kept);
    jobs.expect_record().returning(move |step| {
        let is_begun = matches!(step, Step::AttemptBegun(_));
        written.lock().unwrap().push(is_begun);
        Ok(if is_begun { becomes } else { Recorded::Done })
    });
    jobs.expect_find().returning(|_| Ok(None));
    let two = match becomes {
        Recorded::Done => TwoProviders::default().first_answers(accepted(FollowUp::Nothing)),
        Recorded::Stale => TwoProviders::default(),
    };
    let clock: Arc<dyn Clock> = Arc::new(MockClock::at(NOW + age));
    let deliveries = Deliveries::new(with(two.deps(jobs, clock)));
    deliveries.deliver(job(planned("first"), 0)).await.unwrap();
    let kept = kept.lock().unwrap();
    kept.clone()
}

#[tokio::test]
async fn an_old_lease_is_renewed_before_a_call() {
    let (young, old) = (TimeDelta::seconds(30), TimeDelta::seconds(31));
    assert_eq!(writes(young, Recorded::Done).await, [false]);
    assert_eq!(writes(old, Recorded::Done).await, [true, false]);
}

#[tokio::test]
async fn an_uncertain_lease_is_renewed_before_a_call() {
    let age = TimeDelta::seconds(20);
    for (are_certain, expected) in [(true, vec![false]), (false, vec![true, false])] {
        let mut own = MockOwnLeases::new();
        let asked = move |of: &std::time::Duration| *of == age.to_std().unwrap();
        own.expect_are_certain().withf(asked).return_const(are_certain);
        let with = |deps: DeliveriesDeps| DeliveriesDeps { own_leases: Arc::new(own), ..deps };
        assert_eq!(writes_of(age, Recorded::Done, with).await, expected);
    }
}

#[tokio::test]
async fn a_lease_is_renewed_if_the_clock_was_set_back() {
    assert_eq!(writes(TimeDelta::seconds(-1), Recorded::Done).await, [true, false]);
}

#[tokio::test]
async fn a_message_leased_by_another_worker_is_not_handed_over() {
    assert_eq!(writes(TimeDelta::seconds(121), Recorded::Stale).await, [true]);
}
