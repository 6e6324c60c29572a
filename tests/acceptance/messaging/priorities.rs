//! Order of delivery by priority.

use std::time::{Duration, Instant};

use acceptance::{World, time};
use app::clock::SystemClock;
use chrono::TimeDelta;
use futures_util::{StreamExt, stream};
use ports::shared::clock::Clock;
use serde_json::json;
use testkit::is_long;

/// Number of bulk requests, of a hundred messages each, in short and whole.
const REQUESTS: [usize; 2] = [200, 500];
/// Number of concurrent bulk requests.
const CLIENTS: usize = 16;
/// Number of workers, few enough for the messages to queue up.
const WORKERS: &str = "8";

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_bulk_backlog_delays_a_code_by_less_than_a_second() {
    let usual = [
        ("ATUMPAN_RATE_LIMITS", "off"),
        ("ATUMPAN_TRIAL_CREDIT_GHS", "100000"),
        ("ATUMPAN_JWT_SECRET", "a secret that both instances share"),
    ];
    // An instance with workers would accept no more than it can deliver.
    let accepting = World::start_with(&[&usual[..], &[("ATUMPAN_WORKERS", "0")]].concat()).await;
    let (many, one) = (accepting.tenant().await, accepting.tenant().await);
    let many = many.live_key().await;
    let message = json!({"channel": "SMS", "to": "0241234567", "body": "Akwaaba"});
    let bulk = json!({"messages": vec![message; 100], "async": true});

    let began = Instant::now();
    let requests =
        (0..REQUESTS[usize::from(is_long())]).map(|_| many.post("/messages/bulk", bulk.clone()));
    let loading = stream::iter(requests).buffer_unordered(CLIENTS);
    loading.for_each(async |answer| assert_eq!(answer.status, 202, "{}", answer.text)).await;
    let loaded = began.elapsed();
    let waiting = "SELECT count(*) FROM delivery_logs WHERE status = 'QUEUED'";
    let queued = accepting.value(waiting).await;
    assert!(queued > 10_000, "only {queued} wait");
    let delivering = [&usual[..], &[("ATUMPAN_WORKERS", WORKERS)]].concat();
    let world = World::start_on(accepting.database.clone(), &delivering).await;
    let one = one.at(&world).live_key().await;

    let mut delays = Vec::new();
    for _ in 0..10 {
        let asked = SystemClock.now();
        let code = json!({
            "channel": "SMS", "to": "0241234568", "body": "Your code is 123456",
            "category": "OTP", "async": true,
        });
        let answer = one.post("/messages/send", code).await;
        let delivered = one.message_that_is("DELIVERED", &answer.data(202)["id"]).await;
        delays.push(time(&delivered["attempts"][0]["endedAt"]) - asked);
    }

    assert!(world.value(waiting).await > 5_000, "too few waited meanwhile");
    let slowest = delays.iter().max().copied().unwrap();
    println!("loaded in {loaded:?}, {queued} queued, a code took {slowest} at most: {delays:?}");
    assert!(loaded < Duration::from_secs(120), "{loaded:?}");
    assert!(slowest < TimeDelta::seconds(1), "{delays:?}");
}
