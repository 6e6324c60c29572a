//! Messages in doubt whose provider is busy or closed.

use async_trait::async_trait;
use domain::providers::provider::Check;
use ports::providers::provider::{Admission, Demand, MessagingProvider};

use super::*;

/// A busy provider, which knows of no message.
struct Busy;

#[async_trait]
impl MessagingProvider for Busy {
    fn try_admit(&self, _: Demand) -> Admission {
        Admission::Later
    }

    async fn send(&self, _: &Message) -> Outcome {
        panic!("it has no place");
    }

    async fn look_up(&self, _: &Message) -> LookUp {
        LookUp::NotFound
    }

    async fn check(&self) -> Check {
        panic!("nobody asks");
    }
}

/// Time that a message in doubt for `age` waits for the busy provider.
async fn wait_after(age: TimeDelta, is_closed: bool) -> TimeDelta {
    let (jobs, steps) = recording_jobs();
    let configured = ConfiguredProvider {
        provider: provider("first", 1, REPORT_TIMEOUT_OF_FIRST),
        adapter: Arc::new(Busy),
    };
    let providers = Providers::new(vec![configured], Arc::new(MockMessagingProvider::new()), None);
    let clock: Arc<dyn Clock> = Arc::new(MockClock::at(NOW + age));
    let deliveries = Deliveries::new(delivering(Arc::new(jobs), Arc::new(providers), clock));
    if is_closed {
        let first = RouteStep { provider: "first", is_probe: false };
        let failure = failure(FailureCode::ProviderBalance);
        let empty = Outcome::NotAccepted { failure, retry_after: None };
        deliveries.deps.providers.states().on_outcome(first, &empty, NOW + age).await;
    }
    deliveries.deliver(job(doubted_by("first"), 1)).await.unwrap();
    let step = concluded(steps.lock().unwrap().pop().unwrap());
    assert_eq!(step.message.delivery.status(), Status::Pending, "the doubt is not forgotten");
    step.due_in.unwrap()
}

#[tokio::test]
async fn a_message_in_doubt_waits_some_seconds_for_a_busy_provider() {
    for age in [TimeDelta::zero(), TimeDelta::hours(1)] {
        assert_eq!(wait_after(age, false).await, TimeDelta::seconds(5), "half of ten");
    }
}

#[tokio::test]
async fn the_wait_for_a_closed_provider_grows_with_the_doubt() {
    let seconds = TimeDelta::seconds;
    assert_eq!(wait_after(seconds(0), true).await, seconds(5));
    assert_eq!(wait_after(seconds(40), true).await, seconds(40));
    assert_eq!(wait_after(seconds(3_600), true).await, seconds(600));
}
