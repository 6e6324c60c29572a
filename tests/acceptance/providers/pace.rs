//! Rate and concurrency of calls to providers, and groups of messages in one call.

use std::{
    collections::BTreeSet,
    time::{Duration, Instant},
};

use acceptance::{Tenant, until};
use futures_util::future::join_all;
use serde_json::{Value, json};

use crate::providers::{
    failover::id_of,
    vendor::{Call, Installation, Mood, Vendor, provider, sms},
};

/// Tolerance for differences in network latency.
const SLACK: Duration = Duration::from_millis(60);

async fn one(more: &str) -> (Vendor, Installation) {
    let (vendor, more) = (Vendor::start().await, format!("timeout_ms = 2000\n{more}"));
    let url = vendor.url();
    let only = provider("only", "africas-talking", &url, 1).with(&more);
    let service = Installation::start(&[only]).await;
    (vendor, service)
}

fn soon(body: &str) -> Value {
    json!({"channel": "SMS", "to": "0241234567", "body": body, "async": true})
}

/// Returns a bulk request of `count` messages with the same text to different numbers.
fn bulk(count: usize, text: &str, is_async: bool) -> Value {
    let message =
        |number| json!({"channel": "SMS", "to": format!("02412{number:05}"), "body": text});
    let messages: Vec<_> = (0..count).map(message).collect();
    json!({"messages": messages, "async": is_async})
}

/// Waits until that many messages of the tenant have that status.
async fn until_count(tenant: &Tenant<'_>, count: u64, status: &str) {
    let are_there = async || {
        let answer = tenant.owner().get(&format!("/delivery-logs?limit=1&status={status}")).await;
        answer.body["pagination"]["total"] == count
    };
    until(&format!("{count} messages are {status}"), are_there).await;
}

/// Returns the shortest time in which a vendor received one call more than `many`.
fn shortest(calls: &[Call], many: usize) -> Duration {
    let windows = calls.windows(many + 1).map(|calls| calls[many].at - calls[0].at);
    windows.min().unwrap()
}

#[tokio::test]
async fn a_provider_never_exceeds_its_messages_per_second() {
    let (vendor, service) = one("max_per_second = 5").await;
    let tenant = service.world.tenant().await;

    for number in 0..14 {
        tenant.owner().post("/messages/send", soon(&format!("Number {number}"))).await.data(202);
    }
    until_count(&tenant, 14, "SENT").await;

    let calls = vendor.received();
    assert_eq!(calls.len(), 14);
    let shortest = shortest(&calls, 5);
    assert!(shortest + SLACK >= Duration::from_secs(1), "six in {shortest:?}");
}

#[tokio::test]
async fn a_provider_never_exceeds_its_concurrent_calls() {
    const TIME: Duration = Duration::from_millis(300);
    let (vendor, service) = one("max_concurrency = 2").await;
    vendor.now(Mood::TakesAfter(TIME));
    let tenant = service.world.tenant().await;

    for number in 0..8 {
        tenant.owner().post("/messages/send", soon(&format!("Number {number}"))).await.data(202);
    }
    until_count(&tenant, 8, "SENT").await;

    let calls = vendor.received();
    assert_eq!(calls.len(), 8);
    let shortest = shortest(&calls, 2);
    assert!(shortest + SLACK >= TIME, "three in {shortest:?}");
    let took = calls[7].at - calls[0].at;
    assert!(took < TIME * 6, "it may have two at a time: {took:?}");
}

#[tokio::test]
async fn messages_over_a_providers_rate_wait_and_none_fails() {
    let (vendor, service) = one("max_per_second = 40").await;
    let tenant = service.world.tenant().await;
    let owner = tenant.owner();

    for number in 0..260 {
        owner.post("/messages/send", soon(&format!("Number {number}"))).await.data(202);
    }
    until_count(&tenant, 260, "SENT").await;

    let calls = vendor.received();
    let texts: BTreeSet<_> = calls.iter().map(|call| &call.text).collect();
    assert_eq!((calls.len(), texts.len()), (260, 260), "each is handed over once");
    let id = id_of(owner.get("/providers").await.data(200), "only");
    let shown = owner.get(&format!("/providers/{id}")).await;
    assert_eq!(shown.data(200)["healthHistory"], json!([]), "nothing is wrong with the provider");
    tenant.assert_ledger_adds_up().await;
}

#[tokio::test]
async fn a_code_waits_only_briefly_at_a_saturated_provider() {
    let vendor = Vendor::start().await;
    let (url, more) = (vendor.url(), "timeout_ms = 15000\nmax_per_second = 10");
    let only = provider("only", "africas-talking", &url, 1).with(more);
    let service = Installation::start(&[only]).await;
    let (many, one) = (service.world.tenant().await, service.world.tenant().await);
    for number in 0..100 {
        many.owner().post("/messages/send", soon(&format!("Number {number}"))).await.data(202);
    }

    let mut text = soon("Your code is 123456");
    text["category"] = json!("OTP");
    let (began, earlier) = (Instant::now(), vendor.calls());
    let answer = one.owner().post("/messages/send", text).await;
    one.owner().message_that_is("SENT", &answer.data(202)["id"]).await;

    let took = began.elapsed();
    assert!(took < Duration::from_secs(3), "{took:?}");
    let others = vendor.calls() - earlier - 1;
    assert!(others < 40, "{others} of {} were handed over before it", 100 - earlier);
}

#[tokio::test]
async fn bulk_messages_with_the_same_text_go_in_one_call() {
    for is_async in [true, false] {
        let (vendor, service) = one("").await;
        let tenant = service.world.tenant().await;
        let mut request = bulk(40, "Akwaaba", is_async);
        request["messages"][39]["body"] = json!("Maakye");

        let answer = tenant.owner().post("/messages/bulk", request).await;
        let accepted = answer.data(if is_async { 202 } else { 201 });
        until_count(&tenant, 40, "SENT").await;

        let calls = vendor.received();
        let sizes: Vec<_> = calls.iter().map(|call| (call.to.len(), call.text.as_str())).collect();
        let sizes: BTreeSet<_> = sizes.into_iter().collect();
        assert_eq!(sizes, [(1, "Maakye"), (39, "Akwaaba")].into(), "async: {is_async}");
        assert_eq!(calls.len(), 2);
        assert!((tenant.balance().await - (10.0 - 40.0 * 0.035)).abs() < 1e-9);

        // Each message has its own reference for reports.
        let id = |index: usize| accepted[index]["id"].as_str().unwrap().to_owned();
        let shown = join_all((0..39).map(|index| {
            let path = format!("/messages/{}", id(index));
            let owner = tenant.owner();
            async move { owner.get(&path).await.data(200).clone() }
        }));
        let shown = shown.await;
        let reference = |message: &Value| {
            message["attempts"][0]["providerMessageId"].as_str().unwrap().to_owned()
        };
        let references: BTreeSet<_> = shown.iter().map(reference).collect();
        assert_eq!(references.len(), 39);
        service.report("only", &reference(&shown[7]), "Success").await.data(200);
        until_count(&tenant, 1, "DELIVERED").await;
        tenant.owner().message_that_is("DELIVERED", &shown[7]["id"]).await;
    }
}

#[tokio::test]
async fn a_refused_group_goes_to_the_next_provider_one_by_one() {
    let (first, second) = (Vendor::start().await, Vendor::start().await);
    first.now(Mood::Refuses);
    let (one, other) = (first.url(), second.url());
    let service = Installation::start(&[
        provider("first", "africas-talking", &one, 1),
        provider("second", "africas-talking", &other, 2),
    ])
    .await;
    let tenant = service.world.tenant().await;

    let answer = tenant.owner().post("/messages/bulk", bulk(10, "Akwaaba", true)).await;
    answer.data(202);
    until_count(&tenant, 10, "SENT").await;

    assert_eq!(first.calls(), 1);
    let recipients = second.received().into_iter().flat_map(|call| call.to);
    assert_eq!(recipients.collect::<BTreeSet<_>>().len(), 10);
    assert!((tenant.balance().await - 9.65).abs() < 1e-9);
    let id = id_of(tenant.owner().get("/providers").await.data(200), "first");
    let shown = tenant.owner().get(&format!("/providers/{id}")).await;
    assert_eq!(shown.data(200)["status"], "UP", "one refused call is one failure, not ten");
    assert_eq!(tenant.owner().post("/messages/send", sms()).await.data(201)["status"], "SENT");
    assert_eq!(first.calls(), 2);
    tenant.assert_ledger_adds_up().await;
}
