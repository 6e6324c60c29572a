//! Connections that break while jobs are claimed.

use std::time::{Duration, Instant};

use serde_json::json;

use crate::{
    database::Session,
    program::{folder, serve_with},
    vendor::{Mood, Vendor, command_declaring},
};

const REQUESTS: usize = 20;
const MESSAGES: usize = 100 * REQUESTS;
const BREAKING: Duration = Duration::from_secs(4);
/// Timeout of the test: much shorter than a lease.
const TIMEOUT: Duration = Duration::from_secs(40);
/// Breaks the connection of a claim. A claim leases jobs and then reads their messages; while the
/// log is locked, it waits between the two.
const BREAK: &str = "BEGIN; LOCK TABLE delivery_logs; SELECT pg_sleep(0.1); \
                     SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity \
                     WHERE wait_event_type = 'Lock' AND application_name = 'atumpan' \
                     AND query LIKE 'SELECT \"delivery_%'; COMMIT";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn messages_whose_claim_was_lost_are_claimed_again_within_seconds() {
    let folder = folder();
    let vendor = Vendor::start().await;
    vendor.now(Mood::TakesAfter(Duration::from_millis(50)));
    let start = |workers| {
        let mut command = command_declaring(folder.path(), &[vendor.declaration("SMS", "")]);
        command.env("ATUMPAN_TRIAL_CREDIT_GHS", "1000");
        serve_with(command.env("ATUMPAN_WORKERS", workers))
    };
    let mut program = start("0");
    let tenant = program.tenant().await;
    let message = json!({"channel": "SMS", "to": "0241234567", "body": "Akwaaba"});
    for _ in 0..REQUESTS {
        let messages = vec![message.clone(); MESSAGES / REQUESTS];
        let request = json!({"messages": messages, "async": true});
        let (status, answer) = tenant.post(&program, "/messages/bulk", request).await;
        assert_eq!(status, 202, "{answer}");
    }
    program.signal("TERM");
    assert!(program.wait().success());

    let program = start("32");
    let mut session = Session::with_program_in(folder.path());
    let began = Instant::now();
    let mut broken = 0;
    while began.elapsed() < BREAKING || (broken == 0 && began.elapsed() < TIMEOUT) {
        broken += session.number(BREAK);
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    assert!(broken > 0, "no claim was broken");

    let began = Instant::now();
    while tenant.count(&program, "SENT").await < MESSAGES as u64 {
        let leased = session.run("SELECT count(*), count(lease), min(due_at) - now() FROM delivery_jobs WHERE due_at < now() + interval '5 min'");
        assert!(began.elapsed() < TIMEOUT, "{leased:?}");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    assert_eq!(vendor.taken(), MESSAGES);
    session.assert_books_are_exact();
}
