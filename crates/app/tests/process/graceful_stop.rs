//! A stop finishes the calls that providers hold.

use std::time::Duration;

use serde_json::{Value, json};
use testkit::{Tenant, text_message, until};
use tokio::task::JoinHandle;

use crate::{
    program::{command, folder, serve_with},
    vendor::{Mood, Vendor, command_declaring},
};

/// Number of requests that wait for their outcome.
const WAITING: usize = 8;
/// Number of messages that workers hand over.
const QUEUED: usize = 40;
const CALL: Duration = Duration::from_secs(4);

/// Sends a text, and waits for its outcome.
async fn send_and_wait(tenant: Tenant, url: String) -> Option<(u16, Value)> {
    let mut message = text_message();
    message["async"] = json!(false);
    tenant.send_message(&url, &message).await
}

async fn assert_all_are_sent(requests: Vec<JoinHandle<Option<(u16, Value)>>>) {
    for request in requests {
        let answer = request.await.unwrap();
        let is_sent = matches!(&answer, Some((201, body)) if body["data"]["status"] == "SENT");
        assert!(is_sent, "{answer:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sigterm_cuts_off_no_call_in_flight() {
    let folder = folder();
    let vendor = Vendor::start().await;
    let start = || {
        let declaration = vendor.declaration("SMS", "timeout_ms = 8000");
        serve_with(&mut command_declaring(folder.path(), &[declaration]))
    };
    let mut program = start();
    let tenant = program.tenant().await;
    let requests = |count: usize| -> Vec<_> {
        (0..count)
            .map(|_| tokio::spawn(send_and_wait(tenant.clone(), program.url.clone())))
            .collect()
    };
    // Connections that are opened by requests serve the workers later.
    vendor.now(Mood::TakesAfter(Duration::from_millis(300)));
    assert_all_are_sent(requests(WAITING + QUEUED)).await;

    // The threads that serve requests end with the last request, while the calls of the workers go
    // on.
    vendor.now(Mood::TakesAfter(CALL / 2));
    let waiting = requests(WAITING);
    let begun = WAITING + QUEUED + WAITING;
    until("the vendor holds the requests' calls", async || vendor.calls() == begun).await;
    vendor.now(Mood::TakesAfter(CALL));
    for number in 0..QUEUED {
        tenant.send_until_accepted(&program.url, &format!("queued-{number}")).await;
    }
    let all = begun + QUEUED;
    until("the vendor holds all calls", async || vendor.calls() == all).await;
    program.signal("TERM");

    assert_all_are_sent(waiting).await;
    assert_eq!(program.wait().code(), Some(0));
    vendor.now(Mood::TakesAfter(Duration::ZERO));
    let program = start();
    tenant.until(&program, "SENT", all as u64).await;
    assert_eq!((vendor.taken_once(), vendor.calls()), (all, all));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn requests_are_taken_after_sigterm_while_load_balancers_learn_to_go_elsewhere() {
    let folder = folder();
    let mut program = serve_with(command(folder.path()).env("ATUMPAN_DRAIN_SECONDS", "5"));
    let tenant = program.tenant().await;
    assert_eq!(program.status("/health/ready").await, 200);

    program.signal("TERM");

    // Each of these requests connects anew.
    until("it is not ready", async || program.status("/health/ready").await == 503).await;
    let health = tenant.http.get(format!("{}/health", program.url)).send().await.unwrap();
    assert_eq!(health.status().as_u16(), 200, "nothing is wrong with it");
    assert_eq!(health.headers()["connection"], "close", "no proxy keeps the connection");
    let answer = tenant.send(&program.url, "drained").await;
    assert!(matches!(answer, Some((202, _))), "{answer:?}");
    assert_eq!(program.wait().code(), Some(0));
    assert_eq!(tenant.send(&program.url, "late").await, None);
}
