//! Rules of health.

use std::collections::BTreeMap;

use ports::{
    platform::health::StoreStats,
    shared::mock::{MockBackgroundTaskProbe, MockSharedProbe, MockStoreProbe, MockWorkerProbe},
};

use super::*;
use crate::shared::fixtures::{NOW, clock, manual_clock};

const STATS: WorkerStats = WorkerStats { workers: 4, active: 2, completed: 7, failed: 1 };

fn stats(database: Result<(), &str>, backlog: Option<Backlog>) -> StoreStats {
    StoreStats {
        database: database.map_err(str::to_owned),
        is_refused: false,
        backlog,
        journal_lines: 0,
        oldest_rollup: TimeDelta::zero(),
        partitions_ahead: 3,
        pools: BTreeMap::new(),
    }
}

fn store(database: Result<(), &str>, backlog: Option<Backlog>) -> MockStoreProbe {
    let mut store = MockStoreProbe::new();
    store.expect_stats().once().return_const(stats(database, backlog));
    store
}

/// Returns the probe of tasks of which these fail.
fn tasks(failing: &[&'static str]) -> Arc<MockBackgroundTaskProbe> {
    let works = BackgroundTaskState { name: "imports", ..BackgroundTaskState::default() };
    let failing = failing.iter().copied().map(|name| BackgroundTaskState {
        name,
        failing_since: Some(NOW),
        ..BackgroundTaskState::default()
    });
    let mut tasks = MockBackgroundTaskProbe::new();
    tasks.expect_states().return_const(failing.chain([works]).collect::<Vec<_>>());
    Arc::new(tasks)
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
    let (store, redis, workers) = (Arc::new(store), Arc::new(redis), Arc::new(workers));
    Health::new(store, redis, workers, tasks(&["erasure"]), clock()).check().await
}

fn waiting(oldest: TimeDelta) -> Backlog {
    Backlog { waiting: 3, active: 1, oldest, priorities: BTreeMap::new() }
}

#[tokio::test]
async fn all_is_well_when_everything_answers_and_nothing_waits_long() {
    let backlog = waiting(TimeDelta::seconds(60));
    let report = report(Ok(()), Some(backlog.clone()), Ok("Redis answers")).await;

    assert!(report.is_ok());
    assert_eq!((report.at, report.backlog, report.worker_stats), (NOW, backlog, STATS));
}

#[tokio::test]
async fn a_message_waiting_over_a_minute_is_unhealthy() {
    let report = report(Ok(()), Some(waiting(TimeDelta::seconds(61))), Ok("Redis answers")).await;

    assert!(!report.is_ok());
    assert_eq!(report.workers, Err("a message has waited for 61 s".to_owned()));
    assert!(report.database.is_ok() && report.shared.is_ok());
}

#[tokio::test]
async fn an_unavailable_database_hides_only_the_backlog() {
    let report = report(Err("PostgreSQL does not answer"), None, Ok("Redis answers")).await;

    assert_eq!(report.database, Err("PostgreSQL does not answer".to_owned()));
    assert!(!report.is_ok() && report.workers.is_err() && report.shared.is_ok());
    assert_eq!((report.backlog, report.worker_stats), (Backlog::default(), STATS));
}

#[tokio::test]
async fn a_backlog_that_is_slow_to_count_is_healthy() {
    let report = report(Ok(()), None, Ok("Redis answers")).await;

    assert!(report.is_ok());
}

#[tokio::test]
async fn a_background_task_that_fails_is_named_and_leaves_the_service_healthy() {
    let report = report(Ok(()), None, Ok("Redis answers")).await;

    assert!(report.is_ok());
    assert_eq!(report.failing_tasks, ["erasure"]);
}

fn over(stats: StoreStats) -> Health {
    let mut store = MockStoreProbe::new();
    store.expect_stats().return_const(stats);
    let (redis, workers) = (MockSharedProbe::new(), MockWorkerProbe::new());
    Health::new(Arc::new(store), Arc::new(redis), Arc::new(workers), tasks(&[]), clock())
}

#[test]
fn refused_connections_make_an_instance_unready() {
    for (is_refused, is_ready) in [(false, true), (true, false)] {
        let health = over(StoreStats { is_refused, ..stats(Err("it is away"), None) });

        assert_eq!(health.is_ready(), is_ready);
    }
}

#[test]
fn an_instance_that_drains_is_not_ready() {
    let health = over(stats(Ok(()), None));
    let asked_by_requests = health.clone();
    assert!(asked_by_requests.is_ready());

    health.begin_draining();

    assert!(!asked_by_requests.is_ready());
}

#[tokio::test]
async fn redis_is_asked_once_a_second_however_many_ask_for_health() {
    let mut store = MockStoreProbe::new();
    store.expect_stats().return_const(stats(Ok(()), None));
    let mut redis = MockSharedProbe::new();
    redis.expect_ping().times(2).returning(|| Ok("Redis answers".to_owned()));
    let mut workers = MockWorkerProbe::new();
    workers.expect_stats().return_const(STATS);
    let (clock, clock_time) = manual_clock();
    let (store, redis, workers) = (Arc::new(store), Arc::new(redis), Arc::new(workers));
    let health = Health::new(store, redis, workers, tasks(&[]), clock);

    for _ in 0..3 {
        assert!(health.check().await.is_ok());
    }
    *clock_time.lock().unwrap() = NOW + TimeDelta::seconds(1);
    assert!(health.check().await.is_ok());
}
