//! Short version of the table: the program makes the faults, and fails if anything was lost,
//! doubled or miscounted. It runs the service that was built beside it.

#![expect(clippy::unwrap_used, reason = "a test reports by panicking")]

use std::process::Command;

use testkit::{is_long, requires};

#[track_caller]
fn assert_borne(faults: &[&str]) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_faults"));
    let output = command.arg("--short").args(faults).output().unwrap();
    let (table, told) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    println!("{table}");
    assert!(output.status.success(), "{table}\n{told}");
}

// In short only tests of the process kill and stop the service: here, messages that are in doubt afterwards
// take half a minute.
#[test]
fn nothing_is_lost_or_doubled_when_the_service_or_the_database_or_their_connections_end() {
    assert_borne(if is_long() { &["kill", "stop", "crash", "terminate"] } else { &["terminate"] });
}

#[cfg(target_os = "linux")]
#[test]
fn nothing_is_lost_or_doubled_when_the_primary_dies_and_its_standby_is_promoted() {
    assert_borne(&["standby"]);
}

#[test]
fn nothing_is_lost_or_doubled_when_providers_lie() {
    assert_borne(if is_long() {
        &["slow-provider", "lying-provider"]
    } else {
        &["lying-provider"]
    });
}

#[test]
fn nothing_is_lost_or_doubled_when_redis_is_killed() {
    if requires("redis-server").is_some() {
        assert_borne(&["redis"]);
    }
}
