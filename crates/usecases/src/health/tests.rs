//! The rules of health.

use std::collections::BTreeMap;

use ports::{
    health::StoreStats,
    mock::{MockSharedProbe, MockStoreProbe, MockWorkerProbe},
};

use super::*;
use crate::fixtures::{NOW, clock};

const STATS: WorkerStats = WorkerStats { workers: 4, active: 2, completed: 7, failed: 1 };

fn store(database: Result<(), &str>, backlog: Option<Backlog>) -> MockStoreProbe {
    let mut store = MockStoreProbe::new();
    store.expect_stats().once().return_const(StoreStats {
        database: database.map_err(str::to_owned),
        backlog,
        journal_lines: 0,
        oldest_rollup: TimeDelta::zero(),
        partitions_ahead: 3,
        pools: BTreeMap::new(),
    });
    store
}

async fn report(
    database: Result<(), &str>,
    backlog: Option<Backlog>,
    shared: Result<&str, &str>,
) -> HealthReport {
    let store = store(database, backlog);
    let mut redis = MockSharedProbe::new();
    let answer = shared.map(str::to_owned).map_err(str::to_owned);
    redis.expect_ping().once().return_once(|| answer);
    let mut workers = MockWorkerProbe::new();
    workers.expect_stats().return_const(STATS);
    Health::new(Arc::new(store), Arc::new(redis), Arc::new(workers), clock()).check().await
}

fn waiting(oldest: TimeDelta) -> Backlog {
    Backlog { waiting: 3, active: 1, oldest, lanes: BTreeMap::new() }
}

#[tokio::test]
async fn all_is_well_when_everything_answers_and_nothing_waits_long() {
    let backlog = waiting(TimeDelta::seconds(60));
    let report = report(Ok(()), Some(backlog.clone()), Ok("Redis answers")).await;

    assert!(report.is_ok());
    assert_eq!((report.at, report.backlog, report.worker_stats), (NOW, backlog, STATS));
}

#[tokio::test]
async fn a_message_that_waits_for_more_than_a_minute_is_trouble() {
    let report = report(Ok(()), Some(waiting(TimeDelta::seconds(61))), Ok("Redis answers")).await;

    assert!(!report.is_ok());
    assert_eq!(report.workers, Err("a message has waited for 61 s".to_owned()));
    assert!(report.database.is_ok() && report.shared.is_ok());
}

#[tokio::test]
async fn a_database_that_is_away_hides_nothing_but_the_backlog() {
    let report = report(Err("PostgreSQL does not answer"), None, Ok("Redis answers")).await;

    assert_eq!(report.database, Err("PostgreSQL does not answer".to_owned()));
    assert!(!report.is_ok() && report.workers.is_err() && report.shared.is_ok());
    assert_eq!((report.backlog, report.worker_stats), (Backlog::default(), STATS));
}

#[tokio::test]
async fn a_backlog_that_takes_long_to_count_is_no_trouble() {
    let report = report(Ok(()), None, Ok("Redis answers")).await;

    assert!(report.is_ok());
}

#[tokio::test]
async fn a_redis_that_is_away_is_trouble() {
    let report =
        report(Ok(()), Some(waiting(TimeDelta::zero())), Err("Redis does not answer")).await;

    assert!(!report.is_ok());
    assert!(report.database.is_ok() && report.workers.is_ok());
}

#[test]
fn an_instance_is_ready_as_long_as_the_database_takes_its_writes() {
    for (database, is_ready) in [(Ok(()), true), (Err("PostgreSQL does not answer"), false)] {
        let store = Arc::new(store(database, None));
        let (redis, workers) = (MockSharedProbe::new(), MockWorkerProbe::new());
        let health = Health::new(store, Arc::new(redis), Arc::new(workers), clock());

        assert_eq!(health.is_ready(), is_ready);
    }
}
