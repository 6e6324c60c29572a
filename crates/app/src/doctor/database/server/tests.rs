//! Tests of the judgement on settings of the server.

use chrono::DateTime;

use super::*;
use crate::doctor::Status;

fn usual() -> ServerState {
    ServerState {
        version: 150_014,
        encoding: "UTF8".to_owned(),
        has_fsync: true,
        has_full_page_writes: true,
        synchronous_commit: "on".to_owned(),
        is_standby: false,
        is_encrypted: false,
        clock: DateTime::UNIX_EPOCH,
    }
}

/// Returns the code and the status of the worst finding about a server in production.
fn worst(server: &ServerState, safety: Safety) -> (&'static str, Status) {
    let findings = examine(server, safety, true);
    let worst = findings.iter().max_by_key(|finding| finding.status).unwrap();
    (worst.check.code, worst.status)
}

#[test]
fn each_setting_that_loses_messages_is_reported() {
    assert_eq!(worst(&usual(), Safety::Safe).1, Status::Ok);
    for (server, code, status) in [
        (ServerState { version: 140_023, ..usual() }, "database-version", Status::Fail),
        (ServerState { version: 190_000, ..usual() }, "database-version", Status::Warn),
        (ServerState { is_standby: true, ..usual() }, "database-writable", Status::Fail),
        (
            ServerState { encoding: "SQL_ASCII".to_owned(), ..usual() },
            "database-encoding",
            Status::Fail,
        ),
        (ServerState { has_fsync: false, ..usual() }, "database-durable", Status::Fail),
        (
            ServerState { synchronous_commit: "off".to_owned(), ..usual() },
            "database-commits",
            Status::Fail,
        ),
    ] {
        assert_eq!(worst(&server, Safety::Safe), (code, status));
    }
}

#[test]
fn a_connection_in_clear_is_reported_in_production() {
    for (safety, status) in [
        (Safety::Safe, Status::Ok),
        (Safety::Unverified, Status::Warn),
        (Safety::Clear, Status::Warn),
    ] {
        assert_eq!(encrypted(&usual(), safety, true).status, status);
        assert_eq!(encrypted(&usual(), safety, false).status, Status::Ok);
    }
}

#[test]
fn clocks_that_differ_by_more_than_the_answer_travelled_are_reported() {
    let judged = |ahead: i64, travel: i64| {
        clock(TimeDelta::milliseconds(ahead), TimeDelta::milliseconds(travel)).status
    };
    assert_eq!(judged(1_500, 10), Status::Ok);
    assert_eq!(judged(-2_500, 10), Status::Warn);
    assert_eq!(judged(2_500, 1_000), Status::Ok);
    assert_eq!(judged(-90_000, 10), Status::Fail);
}

#[test]
fn more_instances_than_the_server_has_room_for_are_reported() {
    let budget = ConnectionBudget {
        of_each: 24,
        instances: 3,
        max_connections: 100,
        reserved: 3,
        others: 5,
        role_limit: None,
        database_limit: None,
    };
    assert_eq!(connections(Ok(budget)).status, Status::Ok);
    let four = ConnectionBudget { instances: 4, ..budget };
    assert_eq!(connections(Ok(four)).status, Status::Fail);
    let refused = StoreError::Internal("permission denied for table instances".into());
    assert_eq!(connections(Err(refused)).status, Status::Warn);
}
