//! Claiming from a table that has grown since its statements were planned.

use std::{sync::Arc, time::Duration};

use adapters_http::outbound::random::SystemRandom;
use adapters_postgres::{PgInstance, PgJobs, PgStore};
use app::clock::SystemClock;
use domain::money::Money;
use futures_util::future::join_all;
use ports::messages::{ClaimLimits, Intake, Jobs};

use super::intake_fixture::IntakeFixture;

const MANY: usize = 2_000;
/// How many rows were found by the key of the jobs so far.
const FOUND: &str = "SELECT idx_tup_read FROM pg_stat_user_indexes \
                     WHERE indexrelname = 'delivery_jobs_pkey'";
/// How long PostgreSQL keeps what it counted to itself.
const COUNTING: Duration = Duration::from_millis(1_100);

/// Jobs over one connection, so that it plans and counts all there is.
fn jobs(fixture: &IntakeFixture) -> PgJobs {
    let store = PgStore::connect_writers(&fixture.world.url, 1).unwrap();
    let instance = PgInstance::new(store.clone(), Arc::new(SystemRandom));
    PgJobs::start(store, Arc::new(SystemClock), instance, 1)
}

async fn claim(jobs: &PgJobs, limit: usize) {
    assert_eq!(jobs.claim(&ClaimLimits::any(limit)).await.unwrap().len(), limit);
}

#[tokio::test]
async fn a_claim_planned_for_a_single_job_reads_no_more_than_it_takes_of_many() {
    let fixture = IntakeFixture::open(Money::from_cedis(1_000)).await;
    let jobs = jobs(&fixture);
    fixture.intake.accept(fixture.submission(&[fixture.message()])).await.unwrap();
    fixture.world.sql("VACUUM ANALYZE delivery_jobs").await;
    claim(&jobs, 1).await;
    let submissions = (0..MANY / 100).map(|_| {
        let messages: Vec<_> = (0..100).map(|_| fixture.message()).collect();
        fixture.intake.accept(fixture.submission(&messages))
    });
    assert!(join_all(submissions).await.iter().all(Result::is_ok));
    tokio::time::sleep(COUNTING).await;
    claim(&jobs, 1).await;
    let before = fixture.number(FOUND).await;

    for _ in 0..5 {
        claim(&jobs, 10).await;
    }

    tokio::time::sleep(COUNTING).await;
    claim(&jobs, 1).await;
    let read = fixture.number(FOUND).await - before;
    assert!((50..500).contains(&read), "{read} rows were read");
}
