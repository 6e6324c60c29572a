//! A crash while the scheduled messages of a closed organization are cancelled.

use reqwest::Method;
use serde_json::json;
use testkit::until;

use crate::{
    campaigns::unexplained,
    database::Session,
    program::{command, folder, serve_with},
};

const MESSAGES: i64 = 1_000;
/// Number of messages of a bulk request.
const AT_ONCE: usize = 100;
/// Number of cancelled messages after which the process is killed.
const KILLED_AFTER: i64 = 100;
const CREDIT: i64 = 100;
const CLOSE: &str = "/organizations/current/close";
const CANCELLED: &str =
    "SELECT count(*) FROM delivery_logs WHERE status = 'FAILED' AND error_code = 'CANCELLED'";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_closing_cancels_is_refunded_once_through_a_crash() {
    let folder = folder();
    let start = || {
        let mut command = command(folder.path());
        serve_with(command.env("ATUMPAN_TRIAL_CREDIT_GHS", CREDIT.to_string()))
    };
    let program = start();
    let tenant = program.tenant().await;
    let mut session = Session::with_program_in(folder.path());
    let tomorrow = session.run(
        "SELECT to_char(now() AT TIME ZONE 'UTC' + interval '1 day', \
            'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"')",
    );
    let message = json!({
        "channel": "SMS", "to": "0241234567", "body": "Akwaaba", "scheduledAt": tomorrow[0],
    });
    let mut accepted = 0;
    while accepted < MESSAGES {
        let request = json!({"messages": vec![message.clone(); AT_ONCE], "async": true});
        let (status, answer) = tenant.post(&program, "/messages/bulk", request).await;
        assert_eq!(status, 202, "{answer}");
        accepted = session.number("SELECT count(*) FROM scheduled_messages");
    }
    let close = json!({"password": "correct horse", "forfeit": true});

    let (owner, body) = (tenant.at(&program.url), close.clone());
    let closing =
        tokio::spawn(async move { owner.try_call(Method::POST, CLOSE, Some(&body)).await });
    until("some are cancelled", async || session.number(CANCELLED) >= KILLED_AFTER).await;
    program.crash();
    closing.abort();
    let program = start();
    let mut session = Session::with_program_in(folder.path());
    let left = session.number("SELECT count(*) FROM scheduled_messages");
    assert!(left > 0, "it was killed too late");
    let (status, answer) = tenant.post(&program, CLOSE, close).await;
    assert_eq!(status, 200, "{answer}");

    // A worker cancels those that the first request was at.
    until("all are cancelled", async || session.number(CANCELLED) == MESSAGES).await;
    let forfeited = "SELECT -coalesce(sum(amount_micros), 0)::bigint FROM ledger_entries \
                     WHERE kind = 'CORRECTION'";
    let forfeited = session.number(forfeited);
    assert_eq!(unexplained(&mut session, &tenant.organization, CREDIT), forfeited);
    for table in ["scheduled_messages", "delivery_jobs"] {
        assert_eq!(session.number(&format!("SELECT count(*) FROM {table}")), 0, "{table}");
    }
    session.assert_books_are_exact();
}
