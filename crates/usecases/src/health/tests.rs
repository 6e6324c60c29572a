//! The rules of health.

use ports::{
    mock::{MockBacklogProbe, MockSharedProbe, MockWorkerProbe},
    store::StoreError,
};

use super::*;
use crate::fixtures::{NOW, away, clock};

const TALLY: Tally = Tally { workers: 4, completed: 7, failed: 1 };

async fn report(backlog: Result<Backlog, StoreError>, shared: Result<&str, &str>) -> HealthReport {
    let mut database = MockBacklogProbe::new();
    database.expect_backlog().once().return_once(|| backlog);
    let mut redis = MockSharedProbe::new();
    let answer = shared.map(str::to_owned).map_err(str::to_owned);
    redis.expect_ping().once().return_once(|| answer);
    let mut workers = MockWorkerProbe::new();
    workers.expect_tally().return_const(TALLY);
    Health::new(Arc::new(database), Arc::new(redis), Arc::new(workers), clock()).check().await
}

fn waiting(oldest: TimeDelta) -> Backlog {
    Backlog { waiting: 3, active: 1, oldest }
}

#[tokio::test]
async fn all_is_well_when_everything_answers_and_nothing_waits_long() {
    let backlog = waiting(TimeDelta::seconds(60));
    let report = report(Ok(backlog), Ok("Redis answers")).await;

    assert!(report.is_ok());
    assert_eq!((report.at, report.backlog, report.tally), (NOW, backlog, TALLY));
}

#[tokio::test]
async fn a_message_that_waits_for_more_than_a_minute_is_trouble() {
    let report = report(Ok(waiting(TimeDelta::seconds(61))), Ok("Redis answers")).await;

    assert!(!report.is_ok());
    assert_eq!(report.workers, Err("a message has waited for 61 s".to_owned()));
    assert!(report.database.is_ok() && report.shared.is_ok());
}

#[tokio::test]
async fn a_database_that_is_away_hides_nothing_but_the_backlog() {
    let report = report(Err(away()), Ok("Redis answers")).await;

    assert!(report.database.is_err() && report.workers.is_err() && report.shared.is_ok());
    assert_eq!((report.backlog, report.tally), (Backlog::default(), TALLY));
}

#[tokio::test]
async fn a_redis_that_is_away_is_trouble() {
    let report = report(Ok(waiting(TimeDelta::zero())), Err("Redis does not answer")).await;

    assert!(!report.is_ok());
    assert!(report.database.is_ok() && report.workers.is_ok());
}
