//! An instance that stops gives back what waits in it.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::{
    providers::attempts,
    vendor::{Installation, Mood, Vendor, provider},
};

const MESSAGES: usize = 8;
/// How long the vendor takes for a message.
const SLOW: Duration = Duration::from_millis(400);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_stopped_instance_had_not_begun_is_sent_at_once_with_a_single_attempt() {
    let vendor = Vendor::start().await;
    vendor.now(Mood::TakesAfter(SLOW));
    let url = vendor.url();
    let only = provider("only", "twilio", &url, 1).with("timeout_ms = 5000");
    let first = Installation::start_with(&[only], &[("ATUMPAN_WORKERS", "1")]).await;
    let tenant = first.world.tenant().await;
    let mut ids: Vec<Value> = Vec::new();
    for number in 0..MESSAGES {
        let text = json!({
            "channel": "SMS", "to": "0241234567", "body": format!("Number {number}"), "async": true,
        });
        let answer = tenant.owner().post("/messages/send", text).await;
        ids.push(answer.data(202)["id"].clone());
    }
    let second = first.another(&[]).await;
    let tenant = tenant.at(&second.world);

    assert!(vendor.calls() < MESSAGES, "some of them still wait");
    first.world.stop().await;

    vendor.now(Mood::Takes);
    let began = Instant::now();
    for id in &ids {
        let sent = tenant.owner().message_that_is("SENT", id).await;
        assert_eq!(attempts(&sent), [("only", "ACCEPTED")]);
    }
    assert!(began.elapsed() < Duration::from_secs(5), "it took {:?}", began.elapsed());
    assert_eq!(vendor.calls(), MESSAGES, "each was handed over once");
}
