//! Acceptance when more messages arrive than can be delivered.

use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};

use acceptance::{Caller, World, until};
use futures_util::{StreamExt, future::join3, stream};
use serde_json::{Value, json};
use testkit::is_long;

use crate::providers::vendor::{Installation, Vendor, provider};

/// Number of bulk requests, of a hundred messages each, in short and whole.
const REQUESTS: [usize; 2] = [100, 300];
/// Number of concurrent bulk requests.
const CLIENTS: usize = 16;
/// Maximum number of waiting messages: the permitted backlog, two batches, the messages in flight at
/// workers, and some in between. Without a limit most messages would wait.
const MOST_WAITING: i64 = 8_000;
const WAITING: &str = "SELECT count(*) FROM delivery_logs WHERE status = 'QUEUED'";

fn bulk() -> Value {
    let message = json!({"channel": "SMS", "to": "0241234567", "body": "Akwaaba"});
    json!({"messages": vec![message; 100], "async": true})
}

async fn flood(key: &Caller, requests: usize) {
    let requests = (0..requests).map(|_| key.post("/messages/bulk", bulk()));
    let answers = stream::iter(requests).buffer_unordered(CLIENTS);
    answers.for_each(async |answer| assert_eq!(answer.status, 202, "{}", answer.text)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_flood_waits_for_delivery_and_delays_no_other_tenant() {
    let world = World::start_with(&[
        ("ATUMPAN_WORKERS", "1024"),
        ("ATUMPAN_RATE_LIMITS", "off"),
        ("ATUMPAN_TRIAL_CREDIT_GHS", "100000"),
    ])
    .await;
    let (many, one) = (world.tenant().await, world.tenant().await);
    let (many, one) = (many.live_key().await, one.live_key().await);
    let (is_over, most_waiting, codes) =
        (AtomicBool::new(false), AtomicI64::new(0), AtomicI64::new(0));

    let flooding = async {
        flood(&many, REQUESTS[usize::from(is_long())]).await;
        is_over.store(true, Ordering::Release);
    };
    let watching = async {
        while !is_over.load(Ordering::Acquire) {
            most_waiting.fetch_max(world.value(WAITING).await, Ordering::AcqRel);
        }
    };
    let asking = async {
        while !is_over.load(Ordering::Acquire) {
            let code = json!({
                "channel": "SMS", "to": "0241234568", "body": "Your code is 123456",
                "category": "OTP", "async": true,
            });
            let answer = one.post("/messages/send", code).await;
            one.message_that_is("DELIVERED", &answer.data(202)["id"]).await;
            let others_wait = world.value(WAITING).await > 0;
            let is_overtaking = others_wait || !is_over.load(Ordering::Acquire);
            codes.fetch_add(i64::from(is_overtaking), Ordering::AcqRel);
        }
    };
    join3(flooding, watching, asking).await;

    let (most_waiting, codes) = (most_waiting.into_inner(), codes.into_inner());
    println!("{most_waiting} waited at the most, {codes} codes went before others");
    assert!(most_waiting < MOST_WAITING, "{most_waiting} waited");
    assert!(codes > 0, "no code overtook the flood");
    until("all is delivered", async || world.value(WAITING).await == 0).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn messages_for_a_saturated_provider_slow_no_others() {
    let vendor = Vendor::start().await;
    let url = vendor.url();
    let only = provider("only", "africas-talking", &url, 1).with("max_per_second = 100");
    let service =
        Installation::start_with(&[only], &[("ATUMPAN_TRIAL_CREDIT_GHS", "100000")]).await;
    let (many, one) = (service.world.tenant().await, service.world.tenant().await);
    let (many, one) = (many.live_key().await, one.live_key().await);

    flood(&many, 40).await;
    let waiting = service.world.value(WAITING).await;
    let mail = json!({"channel": "EMAIL", "to": "ama@example.com", "subject": "S", "body": "B", "async": true});
    let answer = one.post("/messages/send", mail).await;
    one.message_that_is("DELIVERED", &answer.data(202)["id"]).await;

    assert!(waiting > 3_000, "only {waiting} wait");
}
