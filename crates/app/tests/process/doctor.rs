//! `atumpan doctor`: beside a service, before its first start, and without a database.

use std::{
    path::Path,
    process::{Command, Output},
    thread,
    time::Duration,
};

use app::{doctor, embedded::EmbeddedPostgres};
use serde_json::Value;

use crate::{
    database::Session,
    program::{command, empty_folder, folder, run, serve},
};

/// Longest time until a setting of the server holds for new connections, in tenths of a second.
const TENTHS: u32 = 100;

fn examining(folder: &Path) -> Command {
    let mut command = command(folder);
    command.args(["doctor", "--json"]);
    command
}

fn findings(output: &Output) -> Vec<Value> {
    let parsed = serde_json::from_slice(&output.stdout);
    parsed.unwrap_or_else(|error| panic!("{error}: {output:?}"))
}

/// Returns the status of the check with a code.
fn status(findings: &[Value], code: &str) -> String {
    let finding = findings.iter().find(|finding| finding["code"] == code).unwrap();
    finding["status"].as_str().unwrap().to_owned()
}

/// Asserts that a check soon has a status.
#[track_caller]
fn assert_status(command: &mut Command, code: &str, expected: &str) {
    let mut found = String::new();
    for _ in 0..TENTHS {
        found = status(&findings(&run(command)), code);
        if found == expected {
            return;
        }
        thread::sleep(Duration::from_millis(100));
    }
    panic!("{code} is {found}, and not {expected}");
}

#[test]
fn beside_a_service_every_check_of_the_database_passes() {
    let folder = folder();
    let _service = serve(folder.path());

    let output = run(&mut examining(folder.path()));

    let findings = findings(&output);
    let codes: Vec<_> = findings.iter().map(|it| it["code"].as_str().unwrap()).collect();
    assert_eq!(codes, doctor::checks().iter().map(|check| check.code).collect::<Vec<_>>());
    let keys = ["code", "link", "message", "remedy", "status"];
    for finding in &findings {
        assert_eq!(finding.as_object().unwrap().keys().collect::<Vec<_>>(), keys);
        let code = finding["code"].as_str().unwrap();
        let is_of_store = ["database-", "migrations-", "partitions-", "jobs-"]
            .iter()
            .any(|beginning| code.starts_with(beginning));
        assert!(
            !is_of_store || ["ok", "skipped"].iter().any(|it| finding["status"] == *it),
            "{finding}"
        );
    }
    assert_eq!(status(&findings, "database-connections"), "ok");
    assert_eq!(status(&findings, "administrators"), "warn");
    let has_failed = findings.iter().any(|finding| finding["status"] == "fail");
    assert_eq!(output.status.code(), Some(if has_failed { 2 } else { 1 }));
}

#[test]
fn each_fault_of_a_running_database_is_reported() {
    let folder = folder();
    let _service = serve(folder.path());
    let mut session = Session::with_program_in(folder.path());
    let mut doctor = examining(folder.path());

    session.run("SELECT pg_create_physical_replication_slot('unread', true)");
    assert_status(&mut doctor, "database-slots", "warn");

    session.run(
        "INSERT INTO instances (first_lease, last_lease, active, seen_at) \
         SELECT gen_random_uuid(), gen_random_uuid(), 0, now() + interval '5 min' \
         FROM generate_series(1, 5)",
    );
    assert_status(&mut doctor, "database-connections", "fail");
    assert_status(&mut doctor, "redis-shared", "warn");

    session.run(
        "DO $$ BEGIN EXECUTE 'DROP TABLE outbound_events_' || to_char( \
             date_trunc('month', now() AT TIME ZONE 'UTC') + interval '1 month', 'YYYY_MM'); END $$",
    );
    assert_status(&mut doctor, "partitions-ahead", "fail");

    session.run(
        "DELETE FROM __diesel_schema_migrations \
         WHERE version = (SELECT max(version) FROM __diesel_schema_migrations)",
    );
    assert_status(&mut doctor, "migrations-applied", "warn");
    assert_status(&mut doctor, "partitions-ahead", "skipped");
}

#[test]
fn faults_of_the_role_the_encoding_and_the_connection_are_reported() {
    let folder = folder();
    let _service = serve(folder.path());
    let mut session = Session::with_program_in(folder.path());
    session.run("CREATE ROLE ama LOGIN");
    session.run("CREATE DATABASE plain ENCODING 'SQL_ASCII' TEMPLATE template0");
    let url = EmbeddedPostgres::running_url(&folder.path().join(".atumpan")).unwrap();
    let at = |url: String| {
        let mut command = examining(folder.path());
        findings(&run(command.env("DATABASE_URL", url)))
    };

    let of_role = at(url.replace("atumpan@", "ama@"));
    assert_eq!(status(&of_role, "database-reachable"), "ok");
    assert_eq!(status(&of_role, "database-rights"), "fail");
    assert_eq!(status(&of_role, "migrations-applied"), "warn");

    let of_encoding = at(url.replace("/atumpan?", "/plain?"));
    assert_eq!(status(&of_encoding, "database-encoding"), "fail");
    assert_eq!(status(&of_encoding, "migrations-applied"), "warn");

    let with = |option: &str| at(format!("{url}&options=-c%20{option}"));
    assert_eq!(status(&with("lock_timeout%3D0"), "database-options"), "warn");
    assert_eq!(status(&with("synchronous_commit%3Doff"), "database-commits"), "warn");
}

#[test]
fn a_database_that_is_away_is_a_failure_and_its_password_is_not_shown() {
    let folder = empty_folder();
    let mut doctor = command(folder.path());
    doctor.env("DATABASE_URL", "postgres://nobody:s3cret@127.0.0.1:1/nothing").arg("doctor");

    let output = run(&mut doctor);

    assert_eq!(output.status.code(), Some(2));
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("\nfail    database-reachable "), "{text}");
    assert!(text.contains("docs/operations/doctor.md#database-reachable"), "{text}");
    assert!(!text.contains("s3cret") && output.stderr.is_empty(), "{text}");
}

#[test]
fn before_the_first_start_nothing_is_created() {
    let folder = empty_folder();

    let findings = findings(&run(&mut examining(folder.path())));

    assert_eq!(status(&findings, "database-reachable"), "skipped");
    assert_eq!(status(&findings, "settings-valid"), "ok");
    assert!(!folder.path().join(".atumpan").exists());
}

#[test]
fn a_low_limit_of_open_files_is_reported() {
    let folder = empty_folder();
    let program = command(folder.path()).get_program().to_owned();
    let mut limited = testkit::command("sh");
    limited.args(["-c", "ulimit -n 64 && exec \"$0\" doctor --json"]).arg(program);

    let findings = findings(&run(limited.current_dir(folder.path())));

    assert_eq!(status(&findings, "file-descriptors"), "warn");
}
