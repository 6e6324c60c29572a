//! The rules of delivery.

mod attempts;
mod doubts;
mod groups;
mod holders;
mod holding;
mod probes;
mod recipients;
mod retry_rules;
mod screening;
mod sent_cache;
mod sessions;
mod traces;
mod validity;

use std::sync::Mutex;

use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    messaging::{
        attempt::{Attempt, AttemptOutcome},
        delivery::{Delivery, DeliveryEvent, FailureCode},
        outcome::{FollowUp, LookUp, Outcome},
        report::Report,
        retry,
    },
    providers::provider::Provider,
    shared::{category::Category, id::Id, money::Money},
};
use ports::shared::mock::{MockClock, MockJobs, MockMessagingProvider};

use super::*;
use crate::{
    providers::provider_registry::{ConfiguredProvider, RouteStep},
    shared::fixtures::{
        NOW, PRICE, accepted, clock, delivering, failure, job, not_accepted, provider, queued,
        tenant, unknown, with,
    },
};

const REPORT_TIMEOUT_OF_FIRST: TimeDelta = TimeDelta::minutes(10);
const REPORT_TIMEOUT_OF_SECOND: TimeDelta = TimeDelta::minutes(20);

/// Two providers, tried in this order. Neither expects to be called.
#[derive(Default)]
struct TwoProviders {
    first: MockMessagingProvider,
    second: MockMessagingProvider,
}

impl TwoProviders {
    fn first_answers(mut self, outcome: Outcome) -> Self {
        self.first.expect_send().once().return_once(|_| outcome);
        self
    }

    fn second_answers(mut self, outcome: Outcome) -> Self {
        self.second.expect_send().once().return_once(|_| outcome);
        self
    }

    fn first_knows(mut self, answer: LookUp) -> Self {
        self.first.expect_look_up().once().return_once(|_| answer);
        self
    }

    fn deliveries(self, jobs: MockJobs, clock: Arc<dyn Clock>) -> Deliveries {
        Deliveries::new(self.deps(jobs, clock))
    }

    fn deps(self, jobs: MockJobs, clock: Arc<dyn Clock>) -> DeliveriesDeps {
        let configured = vec![
            ConfiguredProvider {
                provider: provider("first", 1, REPORT_TIMEOUT_OF_FIRST),
                adapter: Arc::new(self.first),
            },
            ConfiguredProvider {
                provider: provider("second", 2, REPORT_TIMEOUT_OF_SECOND),
                adapter: Arc::new(self.second),
            },
        ];
        let providers = Providers::new(configured, Arc::new(MockMessagingProvider::new()), None);
        delivering(Arc::new(jobs), Arc::new(providers), clock)
    }

    /// The step that ends the work on a job.
    async fn step(self, job: Job) -> JobConcluded {
        self.step_at(clock(), job).await
    }

    async fn step_at(self, clock: Arc<dyn Clock>, job: Job) -> JobConcluded {
        let (jobs, steps) = recording_jobs();

        let message = self.deliveries(jobs, clock).deliver(job).await.unwrap();

        let mut steps = steps.lock().unwrap();
        let step = concluded(steps.pop().unwrap());
        assert_eq!(message, step.message);
        assert!(steps.iter().all(|step| matches!(step, Step::AttemptBegun(_))));
        step
    }
}

/// Jobs whose steps are all written, and the written steps.
fn recording_jobs() -> (MockJobs, Arc<Mutex<Vec<Step>>>) {
    let steps = Arc::new(Mutex::new(Vec::new()));
    let mut jobs = MockJobs::new();
    let written = Arc::clone(&steps);
    jobs.expect_record().returning(move |step| {
        written.lock().unwrap().push(step);
        Ok(Recorded::Done)
    });
    (jobs, steps)
}

fn concluded(step: Step) -> JobConcluded {
    let Step::JobConcluded(concluded) = step else { panic!("{step:?}") };
    concluded
}

fn refund(step: &JobConcluded) -> Money {
    Step::from(step.clone()).refund()
}

fn ordinary() -> Message {
    queued(Category::Transactional)
}

fn doubted_by(provider: &str) -> Message {
    let doubt = Some(failure(FailureCode::UnknownOutcome));
    with(provider, Delivery::Pending { doubt })
}

fn sent_by(provider: &str) -> Message {
    with(provider, Delivery::Sent { at: NOW })
}

fn confirmed() -> DeliveryEvent {
    DeliveryEvent::Confirmed { at: NOW }
}

fn tried(step: &JobConcluded) -> Vec<(&str, AttemptOutcome)> {
    let attempts = step.message.attempts.iter();
    attempts.map(|attempt| (attempt.provider.as_str(), attempt.outcome().unwrap())).collect()
}

#[tokio::test]
async fn the_next_route_is_tried_when_the_first_does_not_accept() {
    let job = job(ordinary(), 0);
    let lease = job.lease;

    let two = TwoProviders::default()
        .first_answers(not_accepted())
        .second_answers(accepted(FollowUp::Report));
    let step = two.step(job).await;

    assert_eq!(step.message.delivery, Delivery::Sent { at: NOW });
    assert_eq!(step.message.provider.as_deref(), Some("second"));
    assert_eq!(
        tried(&step),
        [("first", AttemptOutcome::NotAccepted), ("second", AttemptOutcome::Accepted)]
    );
    assert_eq!((step.from, step.lease, step.rounds), (Status::Pending, lease, 1));
    assert_eq!(step.due_in, Some(REPORT_TIMEOUT_OF_SECOND));
}

#[tokio::test]
async fn a_code_in_doubt_stays_with_the_provider_that_may_have_it() {
    let two = TwoProviders::default().first_answers(unknown()).second_answers(not_accepted());

    let step = two.step(job(queued(Category::Otp), 0)).await;

    assert_eq!(step.message.delivery.status(), Status::Pending);
    assert_eq!(step.message.provider.as_deref(), Some("first"));
    assert_eq!(step.due_in, Some(REPORT_TIMEOUT_OF_FIRST));
}

#[tokio::test]
async fn a_message_that_no_provider_accepts_is_queued_again() {
    let two = TwoProviders::default().first_answers(not_accepted()).second_answers(not_accepted());

    let step = two.step(job(ordinary(), 1)).await;

    assert_eq!(step.message.delivery.status(), Status::Queued);
    assert_eq!(step.rounds, 2);
    assert_eq!(step.due_in, Some(TimeDelta::seconds(4)), "half of the longest wait");
}

#[tokio::test]
async fn no_further_route_is_begun_after_a_minute() {
    let mut times = (0..).map(|call| NOW + TimeDelta::seconds(31 * call));
    let mut clock = MockClock::new();
    clock.expect_now().returning(move || times.next().unwrap());

    let two = TwoProviders::default().first_answers(not_accepted());
    let step = two.step_at(Arc::new(clock), job(ordinary(), 0)).await;

    assert_eq!(tried(&step), [("first", AttemptOutcome::NotAccepted)]);
    assert_eq!(step.message.delivery.status(), Status::Queued);
}

#[tokio::test]
async fn a_sent_message_is_queried_and_never_sent_again() {
    let answers = [
        LookUp::Waiting,
        LookUp::NotFound,
        LookUp::Unavailable,
        LookUp::Found(DeliveryEvent::Accepted { at: NOW }),
    ];
    for answer in answers {
        let step = TwoProviders::default().first_knows(answer).step(job(sent_by("first"), 1)).await;

        assert_eq!(step.message.delivery, Delivery::Sent { at: NOW });
        assert_eq!(step.due_in, Some(REPORT_TIMEOUT_OF_FIRST));
    }
}

#[tokio::test]
async fn a_provider_that_does_not_know_the_message_is_tried_last() {
    let two = TwoProviders::default()
        .first_knows(LookUp::NotFound)
        .second_answers(not_accepted())
        .first_answers(accepted(FollowUp::Nothing));

    let step = two.step(job(doubted_by("first"), 1)).await;

    assert_eq!(
        tried(&step),
        [("second", AttemptOutcome::NotAccepted), ("first", AttemptOutcome::Accepted)]
    );
    assert_eq!((step.from, step.rounds), (Status::Pending, 2));
}

#[tokio::test]
async fn a_doubt_ends_when_the_provider_knows_of_the_message() {
    let two = TwoProviders::default().first_knows(LookUp::Waiting);

    let step = two.step(job(doubted_by("first"), 1)).await;

    assert_eq!(step.message.delivery, Delivery::Sent { at: NOW });
    assert_eq!((step.message.attempts.len(), step.due_in), (0, Some(REPORT_TIMEOUT_OF_FIRST)));
}

#[tokio::test]
async fn a_worker_that_lost_its_lease_calls_no_provider() {
    let (ours, theirs) = (ordinary(), sent_by("second"));
    let mut jobs = MockJobs::new();
    jobs.expect_record().once().returning(|_| Ok(Recorded::Stale));
    let found = theirs.clone();
    jobs.expect_find().once().return_once(|_| Ok(Some(found)));

    let message =
        TwoProviders::default().deliveries(jobs, clock()).deliver(job(ours, 0)).await.unwrap();

    assert_eq!(message, theirs);
}

fn report(message: &Message, event: DeliveryEvent) -> Report {
    Report { message: message.id, provider: Some("first".into()), event }
}

#[tokio::test]
async fn a_report_is_recorded_without_a_lease() {
    for before in [sent_by("first"), doubted_by("first"), ordinary()] {
        let (from, found) = (before.delivery.status(), before.clone());
        let mut jobs = MockJobs::new();
        jobs.expect_find().once().return_once(|_| Ok(Some(found)));
        let written = move |step: &Step| {
            let Step::ReportApplied(applied) = step else { return false };
            applied.message.delivery.status() == Status::Delivered
                && (applied.from, applied.due_in) == (from, None)
        };
        jobs.expect_record().once().withf(written).returning(|_| Ok(Recorded::Done));

        let deliveries = TwoProviders::default().deliveries(jobs, clock());
        deliveries.report(report(&before, confirmed())).await.unwrap();
    }
}

#[tokio::test]
async fn a_late_repeated_or_unknown_report_changes_nothing() {
    let delivered = with("first", Delivery::Delivered { sent_at: None, at: NOW });
    let failure = failure(FailureCode::Undelivered);
    let failed = with("first", Delivery::Failed { sent_at: None, at: NOW, failure });
    for found in [Some(delivered), Some(failed), None] {
        let report =
            Report { message: Id::new_in(NOW, tenant()), provider: None, event: confirmed() };
        let mut jobs = MockJobs::new();
        jobs.expect_find().once().return_once(|_| Ok(found));
        jobs.expect_record().never();

        TwoProviders::default().deliveries(jobs, clock()).report(report).await.unwrap();
    }
}

#[tokio::test]
async fn a_report_is_applied_again_after_a_concurrent_change() {
    let sent = sent_by("first");
    let mut states = vec![sent.clone(), ordinary()];
    let mut jobs = MockJobs::new();
    jobs.expect_find().times(2).returning(move |_| Ok(states.pop()));
    let from = |status| move |step: &Step| step.previous_status() == status;
    let queued = jobs.expect_record().once().withf(from(Status::Queued));
    queued.returning(|_| Ok(Recorded::Stale));
    let sent_on = jobs.expect_record().once().withf(from(Status::Sent));
    sent_on.returning(|_| Ok(Recorded::Done));

    let deliveries = TwoProviders::default().deliveries(jobs, clock());
    deliveries.report(report(&sent, confirmed())).await.unwrap();
}
