//! Reports by the holder of a message and by others, and reports that stay out.

use domain::providers::provider::WithoutReport;
use ports::shared::mock::{MockCallbackRepository, MockDeviceTokens};

use super::*;

/// A code with an unknown outcome at `first`, which `second` took.
fn taken_by_second() -> Message {
    let ended = |name, outcome: Outcome| Attempt::start(name, NOW).end(NOW, &outcome);
    let attempts = vec![ended("first", unknown()), ended("second", accepted(FollowUp::Report))];
    Message { attempts, ..sent_by("second") }
}

fn rejected() -> DeliveryEvent {
    DeliveryEvent::Rejected { at: NOW, failure: failure(FailureCode::Undelivered) }
}

#[tokio::test]
async fn a_failure_of_a_former_holder_closes_only_its_attempts() {
    let message = taken_by_second();
    let (id, found) = (message.id, message.clone());
    let mut jobs = MockJobs::new();
    jobs.expect_find().once().return_once(|_| Ok(Some(found)));
    jobs.expect_record().never();
    let mut callbacks = MockCallbackRepository::new();
    let close = callbacks.expect_close_attempts().once();
    close
        .withf(move |organization, message, provider, failure| {
            (*organization, *message) == (tenant(), id)
                && (provider, failure.code) == ("first", FailureCode::Undelivered)
        })
        .returning(|_, _, _, _| Ok(()));
    let recipients =
        Recipients { callbacks: Arc::new(callbacks), devices: Arc::new(MockDeviceTokens::new()) };
    let deps = TwoProviders::default().deps(jobs, clock());
    let deliveries = Deliveries::new(DeliveriesDeps { recipients: Some(recipients), ..deps });

    deliveries.report(report(&message, rejected())).await.unwrap();
}

/// The step of a message without a report, 72 hours after it was sent.
async fn step_after_three_days(without_report: WithoutReport) -> JobConcluded {
    step_at(NOW + retry::MAX_FOLLOW_UP, sent_by("first"), without_report).await
}

/// The step of a message that the only provider has, without news of it.
async fn step_at(
    now: DateTime<Utc>,
    message: Message,
    without_report: WithoutReport,
) -> JobConcluded {
    let mut adapter = MockMessagingProvider::new();
    adapter.expect_look_up().return_const(LookUp::Waiting);
    let provider = Provider { without_report, ..provider("first", 1, REPORT_TIMEOUT_OF_FIRST) };
    let configured = vec![ConfiguredProvider { provider, adapter: Arc::new(adapter) }];
    let providers = Providers::new(configured, Arc::new(MockMessagingProvider::new()), None);
    let (steps, mut jobs) = (Arc::new(Mutex::new(Vec::new())), MockJobs::new());
    let written = Arc::clone(&steps);
    jobs.expect_record().returning(move |step| {
        written.lock().unwrap().push(step);
        Ok(Recorded::Done)
    });
    let clock: Arc<dyn Clock> = Arc::new(MockClock::at(now));
    let deliveries = Deliveries::new(delivering(Arc::new(jobs), Arc::new(providers), clock));
    deliveries.deliver(job(message, 1)).await.unwrap();
    concluded(steps.lock().unwrap().pop().unwrap())
}

#[tokio::test]
async fn a_missing_report_is_handled_as_the_provider_declares() {
    for (without_report, status, code, refunded) in [
        (WithoutReport::Noted, Status::Sent, Some(FailureCode::NoReport), Money::ZERO),
        (WithoutReport::Refunded, Status::Failed, Some(FailureCode::NoReport), PRICE),
        (WithoutReport::Expected, Status::Sent, None, Money::ZERO),
    ] {
        let step = step_after_three_days(without_report).await;

        let code_of_failure = step.message.delivery.failure().map(|failure| failure.code);
        assert_eq!(
            (step.message.delivery.status(), code_of_failure),
            (status, code),
            "{without_report:?}"
        );
        assert_eq!((step.due_in, refund(&step)), (None, refunded), "{without_report:?}");
    }
}

#[tokio::test]
async fn a_provider_that_confirms_a_message_becomes_its_holder() {
    let doubted = Attempt::start("second", NOW).end(NOW, &unknown());
    let attempts = vec![doubted, Attempt::start("first", NOW)];
    let message = Message { attempts, ..doubted_by("second") };

    let step = step_at(NOW, message, WithoutReport::Noted).await;

    assert_eq!(step.message.delivery, Delivery::Sent { at: NOW });
    assert_eq!(step.message.provider.as_deref(), Some("first"));
}

#[tokio::test]
async fn a_sent_message_keeps_the_provider_for_which_it_counts() {
    // The report of the second provider overtook the reply of the first one.
    let doubted = Attempt::start("second", NOW).end(NOW, &unknown());
    let taken = Attempt::start("first", NOW).end(NOW, &accepted(FollowUp::Report));
    let message = Message { attempts: vec![doubted, taken], ..sent_by("second") };

    for (provider, expected) in [(Some("second"), "second"), (None, "first")] {
        let message = Message { provider: provider.map(str::to_owned), ..message.clone() };
        let step = step_at(NOW, message, WithoutReport::Noted).await;
        assert_eq!(step.message.delivery.status(), Status::Sent);
        assert_eq!(step.message.provider.as_deref(), Some(expected));
    }
}

#[tokio::test]
async fn a_report_that_cannot_be_applied_in_three_tries_is_given_up() {
    let sent = sent_by("first");
    let found = sent.clone();
    let mut jobs = MockJobs::new();
    jobs.expect_find().times(4).returning(move |_| Ok(Some(found.clone())));
    jobs.expect_record().times(3).returning(|_| Ok(Recorded::Stale));

    let deliveries = TwoProviders::default().deliveries(jobs, clock());
    deliveries.report(report(&sent, confirmed())).await.unwrap();
}

#[tokio::test]
async fn an_old_report_leaves_time_for_another() {
    let doubted = Message { created_at: NOW - TimeDelta::hours(100), ..doubted_by("first") };
    let found = doubted.clone();
    let mut jobs = MockJobs::new();
    jobs.expect_find().once().return_once(|_| Ok(Some(found)));
    let awaited = |step: &Step| step.due_in() == Some(REPORT_TIMEOUT_OF_FIRST);
    jobs.expect_record().once().withf(awaited).returning(|_| Ok(Recorded::Done));

    let deliveries = TwoProviders::default().deliveries(jobs, clock());
    let accepted = DeliveryEvent::Accepted { at: DateTime::<Utc>::MIN_UTC };
    deliveries.report(report(&doubted, accepted)).await.unwrap();
}
