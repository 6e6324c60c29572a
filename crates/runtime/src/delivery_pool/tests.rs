//! Test of the end of a pool.

use super::*;
use ports::shared::{
    mock::{MockClock, MockJobs, MockMessagingProvider, MockRandom},
    nobody::Nobody,
    traces::Tracer,
};
use usecases::messaging::deliveries::DeliveriesDeps;

use crate::signals::OwnSignals;

fn idle_pool() -> RunningPool {
    let mut clock = MockClock::new();
    clock.expect_now().return_const(DateTime::UNIX_EPOCH);
    let mut jobs = MockJobs::new();
    jobs.expect_claim().returning(|_| Ok(Vec::new()));
    let (clock, jobs): (Arc<dyn Clock>, Arc<dyn Jobs>) = (Arc::new(clock), Arc::new(jobs));
    let providers = Providers::new(Vec::new(), Arc::new(MockMessagingProvider::new()), None);
    let providers = Arc::new(providers);
    let deliveries = Deliveries::new(DeliveriesDeps {
        jobs: Arc::clone(&jobs),
        own_leases: Arc::new(Nobody),
        providers: Arc::clone(&providers),
        recipients: None,
        policies: None,
        holding: None,
        publisher: None,
        clock: Arc::clone(&clock),
        random: Arc::new(MockRandom::new()),
        tracer: Tracer::default(),
    });
    let signals = Arc::new(OwnSignals::default());
    DeliveryPool::new(2, providers, None, signals, clock).start(&deliveries, jobs)
}

#[tokio::test]
async fn a_pool_without_work_ends_without_waiting_for_any_interval() {
    let pool = idle_pool();
    // By then each task waits for its next interval.
    tokio::time::sleep(BLOCKED_INTERVAL * 5).await;

    let stopped = timeout(STALE_INTERVAL / 2, pool.stop(STALE_INTERVAL)).await;

    assert_eq!(stopped, Ok(true));
}
