//! Messages that probe a provider.

use domain::providers::breaker::Breaker;
use ports::shared::mock::{MockCallbackRepository, MockDeviceTokens};

use super::*;

const REST: TimeDelta = TimeDelta::seconds(3);

/// Deliveries when the first provider's rest is over.
async fn rested(two: TwoProviders, recipients: Option<Recipients>) -> Deliveries {
    let mut jobs = MockJobs::new();
    jobs.expect_record().returning(|_| Ok(Recorded::Done));
    let deps = two.deps(jobs, Arc::new(MockClock::at(NOW + REST)));
    let deliveries = Deliveries::new(DeliveriesDeps { recipients, ..deps });
    let first = RouteStep { provider: "first", is_probe: false };
    let failure = failure(FailureCode::ProviderBalance);
    let empty = Outcome::NotAccepted { failure, retry_after: None };
    deliveries.deps.providers.states().on_outcome(first, &empty, NOW).await;
    deliveries
}

fn breaker(deliveries: &Deliveries) -> Breaker {
    deliveries.deps.providers.states().of("first").breaker
}

#[tokio::test]
async fn a_probe_closes_the_breaker_or_opens_it_for_longer() {
    let deliveries =
        rested(TwoProviders::default().first_answers(accepted(FollowUp::Nothing)), None).await;
    deliveries.deliver(job(ordinary(), 0)).await.unwrap();
    assert_eq!(breaker(&deliveries), Breaker::CLOSED);

    let two = TwoProviders::default()
        .first_answers(not_accepted())
        .second_answers(accepted(FollowUp::Nothing));
    let deliveries = rested(two, None).await;
    deliveries.deliver(job(ordinary(), 0)).await.unwrap();
    assert_eq!(breaker(&deliveries), Breaker::Open { until: NOW + REST + REST * 2, times: 2 });
}

#[tokio::test]
async fn a_message_that_does_not_reach_the_vendor_probes_nothing() {
    let mut two = TwoProviders::default();
    two.first.expect_session_window().return_const(TimeDelta::hours(24));
    two.first.expect_can_be_answered().return_const(true);
    let mut callbacks = MockCallbackRepository::new();
    callbacks.expect_last_inbound().returning(|_, _| Ok(None));
    let devices = Arc::new(MockDeviceTokens::new());
    let recipients = Recipients { callbacks: Arc::new(callbacks), devices };
    let deliveries = rested(two, Some(recipients)).await;
    let before = breaker(&deliveries);

    let failed = deliveries.deliver(job(ordinary(), 0)).await.unwrap();

    assert_eq!(failed.delivery.failure().unwrap().code, FailureCode::SessionWindowClosed);
    assert_eq!(breaker(&deliveries), before);
    assert!(before.is_probe_due(NOW + REST));
}
