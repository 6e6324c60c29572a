//! Messages without a report: their providers are asked, and they are finally closed.

use acceptance::{Tenant, until};
use serde_json::{Value, json};

use crate::providers::{
    failover::attempts,
    vendor::{Installation, Mood, SECRET, Vendor, provider, sms},
};

async fn one(kind: &str, more: &str) -> (Vendor, Installation) {
    let vendor = Vendor::start().await;
    let url = vendor.url();
    let service = Installation::start(&[provider("only", kind, &url, 1).with(more)]).await;
    (vendor, service)
}

async fn sent(tenant: &Tenant<'_>) -> Value {
    let answer = tenant.owner().post("/messages/send", sms()).await;
    assert_eq!(answer.data(201)["status"], "SENT", "{}", answer.text);
    answer.data(201).clone()
}

/// Simulates the passing of time for every sent message, and makes it due.
async fn pass(service: &Installation, time: &str) {
    service
        .world
        .sql(&format!(
            "UPDATE delivery_logs SET sent_at = sent_at - interval '{time}'; \
             UPDATE delivery_jobs SET due_at = now()"
        ))
        .await;
}

/// Number of minutes until the only job is due; -1 if there is none.
const DUE_IN: &str = "SELECT coalesce(round(extract(epoch FROM min(due_at) - now()) / 60), -1)\
                      ::bigint FROM delivery_jobs WHERE lease IS NULL";
const JOBS: &str = "SELECT count(*) FROM delivery_jobs";
const REFUNDS: &str =
    "SELECT coalesce(sum(messages), 0)::bigint FROM ledger WHERE kind = 'MESSAGE_REFUND'";

#[tokio::test]
async fn asks_the_provider_after_the_report_timeout() {
    let (vendor, service) = one("twilio", "reconcile_after_s = 1").await;
    let tenant = service.world.tenant().await;
    let message = sent(&tenant).await;
    vendor.set_status("delivered");

    let delivered = tenant.owner().message_that_is("DELIVERED", &message["id"]).await;

    assert_eq!(attempts(&delivered), [("only", "ACCEPTED")]);
    assert_eq!((vendor.calls(), vendor.questions()), (1, 1));
    assert_eq!(service.world.value("SELECT count(*) FROM delivery_jobs").await, 0);
    assert!((tenant.balance().await - 9.965).abs() < 1e-9);
}

#[tokio::test]
async fn asks_again_later_if_there_is_nothing_new() {
    let (vendor, service) = one("twilio", "timeout_ms = 500").await;
    let tenant = service.world.tenant().await;
    let message = sent(&tenant).await;
    assert_eq!(service.world.value(DUE_IN).await, 10, "the usual patience");

    pass(&service, "2 hours").await;
    until("it is asked", async || vendor.questions() == 1).await;
    until("it is put off for as long as it was sent", async || {
        service.world.value(DUE_IN).await == 120
    })
    .await;
    pass(&service, "68 hours").await;
    until("it is put off for no more than a while", async || {
        service.world.value(DUE_IN).await == 360
    })
    .await;

    assert_eq!((vendor.calls(), vendor.questions()), (1, 2));
    tenant.owner().message_that_is("SENT", &message["id"]).await;
    assert_eq!(service.world.value(REFUNDS).await, 0);
}

#[tokio::test]
async fn a_message_without_a_report_stays_sent_after_three_days() {
    for kind in ["twilio", "africas-talking"] {
        let (vendor, service) = one(kind, "timeout_ms = 500").await;
        let tenant = service.world.tenant().await;
        let message = sent(&tenant).await;
        assert!((tenant.balance().await - 9.965).abs() < 1e-9);

        pass(&service, "72 hours").await;
        until("its job ends", async || service.world.value(JOBS).await == 0).await;
        let closed = tenant.owner().message_that_is("SENT", &message["id"]).await;

        assert_eq!(closed["errorCode"], "NO_REPORT", "{kind}");
        assert_eq!(closed["errorMessage"], "the provider did not report within 72 hours");
        assert!((tenant.balance().await - 9.965).abs() < 1e-9, "it was carried: {kind}");

        let reference = closed["attempts"][0]["providerMessageId"].as_str().unwrap();
        if kind == "twilio" {
            let form = [("MessageSid", reference), ("MessageStatus", "delivered")];
            let answer = service.call_back_as_twilio("only", SECRET, &form).await;
            assert_eq!(answer.status, 200, "{}", answer.text);
        } else {
            service.report("only", reference, "Success").await.data(200);
        }
        let last = tenant.owner().message_that_is("DELIVERED", &message["id"]).await;
        assert_eq!(last["errorCode"], Value::Null, "{kind}");
        assert_eq!(service.world.value(REFUNDS).await, 0, "{kind}");
        assert_eq!(vendor.calls(), 1);
        tenant.assert_ledger_adds_up().await;
    }
}

#[tokio::test]
async fn a_provider_may_be_configured_to_refund_without_a_report() {
    let (_vendor, service) = one("twilio", "unreported = \"refund\"").await;
    let tenant = service.world.tenant().await;
    let message = sent(&tenant).await;

    pass(&service, "72 hours").await;
    let closed = tenant.owner().message_that_is("FAILED", &message["id"]).await;

    assert_eq!(closed["errorCode"], "NO_REPORT");
    assert!((tenant.balance().await - 10.0).abs() < 1e-9);
    assert_eq!(service.world.value(REFUNDS).await, 1);
    tenant.assert_ledger_adds_up().await;
}

#[tokio::test]
async fn expects_no_report_from_a_provider_without_reports() {
    let (vendor, service) = one("twilio", "reports = false").await;
    let tenant = service.world.tenant().await;

    let message = sent(&tenant).await;

    assert_eq!(message["errorCode"], Value::Null);
    assert_eq!((vendor.questions(), service.world.value(JOBS).await), (0, 0));
    assert_eq!(service.world.value("SELECT count(*) FROM provider_minutes").await, 0);
}

#[tokio::test]
async fn an_uncertain_message_fails_over_after_the_report_timeout() {
    let (first, second) = (Vendor::start().await, Vendor::start().await);
    first.now(Mood::Silent);
    let (one, other) = (first.url(), second.url());
    let service = Installation::start(&[
        provider("first", "africas-talking", &one, 1)
            .with("timeout_ms = 500\nreconcile_after_s = 1"),
        provider("second", "africas-talking", &other, 2),
    ])
    .await;
    let tenant = service.world.tenant().await;

    let answer = tenant.owner().post("/messages/send", sms()).await;

    let waiting = answer.data(201);
    assert_eq!((&waiting["status"], second.calls()), (&json!("PENDING"), 0));
    let sent = tenant.owner().message_that_is("SENT", &waiting["id"]).await;
    assert_eq!(attempts(&sent), [("first", "UNKNOWN"), ("second", "ACCEPTED")]);
    assert_eq!((first.calls(), second.calls()), (1, 1));
    assert!((tenant.balance().await - 9.965).abs() < 1e-9, "it is paid for once");
    tenant.assert_ledger_adds_up().await;
}
