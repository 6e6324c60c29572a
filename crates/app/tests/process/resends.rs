//! A crash while failed messages are sent again.

use serde_json::{Value, json};
use testkit::until;

use crate::{
    campaigns::unexplained,
    database::Session,
    program::{command, folder, serve_with},
};

const MESSAGES: i64 = 3_000;
/// Number of messages after which the process is killed.
const KILLED_AFTER: i64 = 300;
const CREDIT: i64 = 1_000;
const RESENT: &str = "SELECT count(*) FROM delivery_logs WHERE resent_from IS NOT NULL";
const OPEN: &str = "SELECT count(*) FROM resend_tasks WHERE completed_at IS NULL";

/// Returns a statement that inserts messages that have failed.
fn failed(organization: &str) -> String {
    format!(
        "INSERT INTO delivery_logs (id, organization_id, channel, status, recipient, country_code, \
            category, priority, body, segments, cost_micros, is_sandbox, is_confidential, error_code, \
            error_message, failed_at, created_at, expires_at) \
         SELECT uuid_v7_in(now() - interval '1 minute', '{organization}'), '{organization}', 'SMS', \
            'FAILED', '+23324' || lpad(number::text, 7, '0'), 'GH', 'TRANSACTIONAL', 2, 'Akwaaba', 1, \
            35000, false, false, 'UNDELIVERED', 'absent', now(), now() - interval '1 minute', now() \
         FROM generate_series(2, {MESSAGES} + 1) AS number"
    )
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_failed_message_is_sent_again_once_through_a_crash() {
    let folder = folder();
    let start = || {
        let mut command = command(folder.path());
        serve_with(command.env("ATUMPAN_TRIAL_CREDIT_GHS", CREDIT.to_string()))
    };
    let program = start();
    let tenant = program.tenant().await;
    let mut session = Session::with_program_in(folder.path());
    session.run(&failed(&tenant.organization));
    let yesterday = session.run(
        "SELECT to_char(now() AT TIME ZONE 'UTC' - interval '1 day', \
            'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"')",
    );

    let request = json!({"from": yesterday[0]});
    let (status, answer) = tenant.post(&program, "/messages/resend", request).await;
    assert_eq!(status, 202, "{answer}");
    let begun: Value = serde_json::from_str(&answer).unwrap();
    let path = format!("/messages/resend/{}", begun["data"]["id"].as_str().unwrap());
    until("some are sent again", async || session.number(RESENT) >= KILLED_AFTER).await;
    let open = session.number(OPEN);
    program.crash();
    assert_eq!(open, 1, "it was killed too late");
    let program = start();
    let mut session = Session::with_program_in(folder.path());
    until("the task has ended", async || session.number(OPEN) == 0).await;

    let ended = tenant.get(&program, &path).await["data"].clone();
    assert_eq!((&ended["status"], &ended["count"]), (&json!("COMPLETED"), &json!(MESSAGES)));
    assert_eq!((&ended["resent"], &ended["skipped"]), (&json!(MESSAGES), &json!(0)));
    let once = "SELECT count(DISTINCT resent_from) FROM delivery_logs";
    assert_eq!((session.number(RESENT), session.number(once)), (MESSAGES, MESSAGES));
    assert_eq!(unexplained(&mut session, &tenant.organization, CREDIT), 0);
    session.assert_books_are_exact();
}
