//! Providers that hang, fail intermittently, throttle, or are unavailable for long.

use std::time::{Duration, Instant};

use acceptance::{Tenant, time, until};
use chrono::TimeDelta;
use serde_json::{Value, json};

use crate::providers::{
    failover::attempts,
    vendor::{Installation, Mood, Vendor, provider, sms},
};

const REFUNDS: &str = "SELECT coalesce(sum(messages), 0)::bigint FROM ledger \
                       WHERE kind = 'MESSAGE_REFUND'";

async fn count(tenant: &Tenant<'_>, status: &str) -> u64 {
    let answer = tenant.owner().get(&format!("/delivery-logs?limit=1&status={status}")).await;
    answer.body["pagination"]["total"].as_u64().unwrap()
}

async fn until_sent(tenant: &Tenant<'_>, messages: u64) {
    let are_sent = async || count(tenant, "SENT").await == messages;
    until(&format!("{messages} messages are sent"), are_sent).await;
}

/// Starts an installation with one provider.
async fn one(mood: Mood) -> (Vendor, Installation) {
    let vendor = Vendor::start().await;
    vendor.now(mood);
    let service =
        Installation::start(&[provider("only", "africas-talking", &vendor.url(), 1)]).await;
    (vendor, service)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hanging_provider_delays_no_code_on_another_channel() {
    let (hanging, other) = (Vendor::start().await, Vendor::start().await);
    hanging.now(Mood::Silent);
    let (one, two) = (hanging.url(), other.url());
    let service = Installation::start_with(
        &[
            provider("hanging", "africas-talking", &one, 1).with("timeout_ms = 5000"),
            provider("other", "africas-talking", &two, 2),
        ],
        &[("ATUMPAN_WORKERS", "16")],
    )
    .await;
    let (many, few) = (service.world.tenant().await, service.world.tenant().await);
    for number in 0..100 {
        let text = json!({
            "channel": "SMS", "to": "0241234567", "body": format!("Number {number}"), "async": true,
        });
        many.owner().post("/messages/send", text).await.data(202);
    }

    let began = Instant::now();
    let mut slowest = TimeDelta::zero();
    for _ in 0..5 {
        let mail = json!({
            "channel": "EMAIL", "to": "ama@example.com", "body": "123456", "category": "OTP",
            "async": true,
        });
        let answer = few.owner().post("/messages/send", mail).await;
        let delivered = few.owner().message_that_is("DELIVERED", &answer.data(202)["id"]).await;
        let took = time(&delivered["attempts"][0]["endedAt"]) - time(&delivered["createdAt"]);
        slowest = slowest.max(took);
    }
    assert!(slowest < TimeDelta::seconds(1), "a code took {slowest}");
    assert!(began.elapsed() < Duration::from_secs(5), "the hanging provider gave up meanwhile");

    // Messages that the hanging provider may have wait for its report; the others move on.
    let doubtful = hanging.calls() as u64;
    until_sent(&many, 100 - doubtful).await;
    assert_eq!(other.calls() as u64, 100 - doubtful);
    // Those of all workers at most, and a probe now and then.
    assert!(doubtful < 24, "{doubtful} were handed to a provider that hangs");
    let are_pending = async || count(&many, "PENDING").await == doubtful;
    until("those in doubt wait for a report", are_pending).await;
}

#[tokio::test]
async fn messages_get_through_an_intermittently_failing_provider() {
    let vendor = Vendor::start().await;
    vendor.now(Mood::Halts);
    // One call at a time: with several, failures could by chance be noted five in a row, which opens
    // the breaker.
    let url = vendor.url();
    let only = provider("only", "africas-talking", &url, 1).with("max_concurrency = 1");
    let service = Installation::start(&[only]).await;
    let tenant = service.world.tenant().await;
    for number in 0..30 {
        let text = json!({
            "channel": "SMS", "to": "0241234567", "body": format!("Number {number}"), "async": true,
        });
        tenant.owner().post("/messages/send", text).await.data(202);
    }

    // A retried message is `PENDING` for the duration of the call.
    let open = "SELECT count(*) FROM delivery_logs WHERE status IN ('QUEUED', 'PENDING')";
    until("no message is open", async || {
        service.world.sql("UPDATE delivery_jobs SET due_at = now() WHERE lease IS NULL").await;
        service.world.value(open).await == 0
    })
    .await;

    assert_eq!(count(&tenant, "SENT").await, 30, "nothing fails because it needs many rounds");
    let page = tenant.owner().get("/delivery-logs?limit=100").await;
    for message in page.data(200).as_array().unwrap() {
        let attempts = attempts(message);
        let refused = attempts.iter().filter(|it| it.1 == "NOT_ACCEPTED").count();
        assert_eq!((attempts.last(), refused), (Some(&("only", "ACCEPTED")), attempts.len() - 1));
    }
    assert_eq!(service.world.value(REFUNDS).await, 0);
    assert!((tenant.balance().await - (10.0 - 30.0 * 0.035)).abs() < 1e-9);
    tenant.assert_ledger_adds_up().await;
}

#[tokio::test]
async fn a_throttling_provider_gets_no_calls_for_as_long_as_it_asks() {
    let (vendor, service) = one(Mood::Throttles(3)).await;
    let tenant = service.world.tenant().await;

    let answer = tenant.owner().post("/messages/send", sms()).await;

    let waiting = answer.data(201);
    assert_eq!(waiting["status"], "QUEUED");
    assert_eq!(waiting["errorCode"], "PROVIDER_THROTTLED");
    vendor.now(Mood::Takes);
    let sent = tenant.owner().message_that_is("SENT", &waiting["id"]).await;
    assert_eq!(attempts(&sent), [("only", "NOT_ACCEPTED"), ("only", "ACCEPTED")]);
    let wait = time(&sent["attempts"][1]["startedAt"]) - time(&sent["attempts"][0]["endedAt"]);
    assert!(wait >= TimeDelta::seconds(3) && wait < TimeDelta::seconds(6), "{wait}");
    assert_eq!(sent["errorCode"], Value::Null);
}

#[tokio::test]
async fn an_undeliverable_message_expires_and_is_refunded_once() {
    let (vendor, service) = one(Mood::Refuses).await;
    let tenant = service.world.tenant().await;
    let mut text = sms();
    text["validityPeriod"] = json!(3_600);
    let answer = tenant.owner().post("/messages/send", text).await;
    let id = answer.data(201)["id"].as_str().unwrap().to_owned();
    assert_eq!(answer.data(201)["status"], "QUEUED");
    assert!((tenant.balance().await - 9.965).abs() < 1e-9);
    let valid = time(&answer.data(201)["expiresAt"]) - time(&answer.data(201)["createdAt"]);
    assert_eq!(valid, TimeDelta::hours(1));

    service
        .world
        .sql(
            "UPDATE delivery_logs SET expires_at = now(); \
             UPDATE delivery_jobs SET due_at = now() WHERE lease IS NULL",
        )
        .await;
    let failed = tenant.owner().message_that_is("FAILED", &json!(id)).await;

    assert_eq!(failed["errorCode"], "EXPIRED");
    let calls = vendor.calls();
    assert_eq!(attempts(&failed), vec![("only", "NOT_ACCEPTED"); calls]);
    assert_eq!(failed["attemptCount"], calls);
    assert_eq!(service.world.value(REFUNDS).await, 1);
    assert_eq!(service.world.value("SELECT count(*) FROM delivery_jobs").await, 0);
    assert!((tenant.balance().await - 10.0).abs() < 1e-9);
    tenant.assert_ledger_adds_up().await;
}

#[tokio::test]
async fn an_outage_of_the_only_vendor_loses_no_message() {
    const OUTAGE: Duration = Duration::from_secs(10);
    let (vendor, service) = one(Mood::Refuses).await;
    let tenant = service.world.tenant().await;
    let began = Instant::now();
    let mut sent = 0;
    while began.elapsed() < OUTAGE {
        let category = if sent % 4 == 0 { "OTP" } else { "TRANSACTIONAL" };
        let text = json!({
            "channel": "SMS", "to": "0241234567", "body": format!("Number {sent}"),
            "category": category, "async": true,
        });
        tenant.owner().post("/messages/send", text).await.data(202);
        sent += 1;
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    let called = vendor.calls();
    assert!(called < 60, "{called} calls to a vendor that is out of order");

    vendor.now(Mood::Takes);

    until_sent(&tenant, sent).await;
    assert_eq!(count(&tenant, "FAILED").await, 0);
    let tried = "SELECT count(*) FROM delivery_logs WHERE jsonb_array_length(attempts) > 6";
    assert_eq!(service.world.value(tried).await, 0, "an open breaker is no attempt");
    tenant.assert_ledger_adds_up().await;
}

#[tokio::test]
async fn a_backlog_at_a_slow_provider_causes_no_failed_attempt() {
    const MESSAGES: u64 = 600;
    let vendor = Vendor::start().await;
    vendor.now(Mood::TakesAfter(Duration::from_millis(100)));
    let url = vendor.url();
    let only = provider("only", "twilio", &url, 1).with("timeout_ms = 5000");
    let service = Installation::start_with(
        &[only],
        &[("ATUMPAN_WORKERS", "16"), ("ATUMPAN_TRIAL_CREDIT_GHS", "1000")],
    )
    .await;
    let tenant = service.world.tenant().await;
    let message = json!({"channel": "SMS", "to": "0241234567", "body": "Akwaaba"});
    for _ in 0..MESSAGES / 100 {
        let request = json!({"messages": vec![message.clone(); 100], "async": true});
        tenant.owner().post("/messages/bulk", request).await.data(202);
    }

    until_sent(&tenant, MESSAGES).await;

    let tried = "SELECT count(*) FROM delivery_logs WHERE jsonb_array_length(attempts) > 1";
    assert_eq!(service.world.value(tried).await, 0);
    assert_eq!(vendor.calls() as u64, MESSAGES);
}

#[tokio::test]
async fn a_code_is_retried_while_other_messages_fill_the_queue() {
    let (slow, other) = (Vendor::start().await, Vendor::start().await);
    slow.now(Mood::TakesAfter(Duration::from_secs(1)));
    let (one, two) = (slow.url(), other.url());
    let voice = provider("slow", "africas-talking-voice", &one, 1).with("timeout_ms = 5000");
    let service = Installation::start_with(
        &[voice, provider("other", "africas-talking", &two, 1)],
        &[("ATUMPAN_WORKERS", "16"), ("ATUMPAN_TRIAL_CREDIT_GHS", "1000")],
    )
    .await;
    let (many, few) = (service.world.tenant().await, service.world.tenant().await);
    let message = json!({"channel": "SMS", "to": "0241234567", "body": "Akwaaba"});
    let mut waiting = message.clone();
    waiting["channel"] = json!("VOICE");
    for _ in 0..10 {
        let request = json!({"messages": vec![waiting.clone(); 100], "async": true});
        many.owner().post("/messages/bulk", request).await.data(202);
    }
    other.now(Mood::Refuses);
    let mut code = message;
    code["category"] = json!("OTP");
    let answer = few.owner().post("/messages/send", code).await;
    assert_eq!(answer.data(201)["status"], "QUEUED");

    other.now(Mood::Takes);
    let sent = few.owner().message_that_is("SENT", &answer.data(201)["id"]).await;

    assert_eq!(attempts(&sent), [("other", "NOT_ACCEPTED"), ("other", "ACCEPTED")]);
    let open = "SELECT count(*) FROM delivery_logs WHERE status = 'QUEUED' AND channel = 'VOICE'";
    assert!(service.world.value(open).await > 256, "too few waited meanwhile");
}
