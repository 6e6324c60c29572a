//! Messages of a campaign that is paused, resumed and cancelled during its delivery.

use std::time::Duration;

use acceptance::{Caller, Tenant, until};
use serde_json::{Value, json};

use crate::providers::vendor::{Installation, Vendor, provider};

const CONTACTS: i64 = 40;

/// Number of campaign messages that no provider has and that have not failed.
const QUEUED: &str = "SELECT count(*) FROM delivery_logs \
                      WHERE campaign_id IS NOT NULL AND status IN ('QUEUED', 'PENDING')";
/// Number of held jobs.
const HELD: &str = "SELECT count(*) FROM delivery_jobs \
                    WHERE held_by IS NOT NULL AND lease IS NULL AND due_at = 'infinity'";
const CANCELLED: &str = "SELECT count(*) FROM delivery_logs \
                         WHERE status = 'FAILED' AND error_code = 'CANCELLED'";
const SETTLED: &str = "SELECT count(*) FROM campaigns WHERE settled_at IS NOT NULL";

/// Sends a campaign to all contacts, with a different text in each message, and returns its identifier.
async fn campaign(tenant: &Tenant<'_>) -> String {
    for contact in 0..CONTACTS {
        let phone = format!("02412345{contact:02}");
        let contact = json!({"firstName": format!("Ama {contact}"), "phone": phone});
        tenant.owner().post("/contacts", contact).await.data(201);
    }
    let campaign = json!({
        "name": "Sale", "channel": "SMS",
        "body": "{{firstName}}, our sale begins on Saturday. Reply STOP to opt out.",
    });
    let made = tenant.owner().post("/campaigns", campaign).await.data(201).clone();
    let id = made["id"].as_str().unwrap().to_owned();
    act(&tenant.owner(), &id, "send").await;
    id
}

async fn act(caller: &Caller, id: &str, action: &str) -> Value {
    let answer = caller.post(&format!("/campaigns/{id}/{action}"), json!({})).await;
    answer.data(200).clone()
}

/// Waits until all waiting messages of the campaign are held.
async fn until_held(service: &Installation) {
    let is_held = async || {
        let (queued, held) = (service.world.value(QUEUED).await, service.world.value(HELD).await);
        queued > 0 && queued == held
    };
    until("all messages that wait are held back", is_held).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_paused_campaign_resumes_or_is_refunded_when_cancelled() {
    let vendor = Vendor::start().await;
    let url = vendor.url();
    let slow = provider("slow", "africas-talking", &url, 1).with("max_per_second = 5");
    let service = Installation::start(&[slow]).await;
    let tenant = service.world.tenant().await;
    let before = tenant.balance().await;
    let id = campaign(&tenant).await;
    until("some messages are sent", async || vendor.calls() >= 3).await;

    assert_eq!(act(&tenant.owner(), &id, "pause").await["status"], "PAUSED");
    until_held(&service).await;
    let sent = vendor.calls();
    let receipt = json!({"channel": "SMS", "to": "0241234567", "body": "Thank you."});
    let receipt = tenant.owner().post("/messages/send", receipt).await.data(201).clone();
    tenant.owner().message_that_is("SENT", &receipt["id"]).await;
    tokio::time::sleep(Duration::from_secs(2)).await;
    assert_eq!(vendor.calls(), sent + 1, "nothing goes but the receipt");
    assert_eq!(service.world.value(SETTLED).await, 0);

    act(&tenant.owner(), &id, "resume").await;
    until("it goes on", async || vendor.calls() > sent + 3).await;

    assert_eq!(act(&tenant.owner(), &id, "cancel").await["status"], "CANCELLED");
    until("nothing waits any more", async || service.world.value(QUEUED).await == 0).await;
    let calls = i64::try_from(vendor.calls()).unwrap();
    let cancelled = service.world.value(CANCELLED).await;
    assert_eq!((calls - 1) + cancelled, CONTACTS, "each message went, or was cancelled, once");
    assert!(cancelled > 0);
    until("the campaign is settled", async || service.world.value(SETTLED).await == 1).await;
    until("all are refunded", async || tenant.refunds().await == cancelled).await;
    let price = receipt["cost"].as_f64().unwrap();
    #[expect(clippy::cast_precision_loss, reason = "there are few")]
    let spent = calls as f64 * price;
    let is_paid = async || (before - tenant.balance().await - spent).abs() < 1e-6;
    until("what was sent is paid", is_paid).await;
    tenant.assert_ledger_adds_up().await;
    let shown = tenant.owner().get(&format!("/campaigns/{id}")).await.data(200).clone();
    assert_eq!((&shown["failed"], &shown["sent"]), (&json!(cancelled), &json!(calls - 1)));
    assert_eq!(i64::try_from(vendor.calls()).unwrap(), calls);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_new_instance_holds_and_cancels_a_paused_campaign() {
    let vendor = Vendor::start().await;
    let url = vendor.url();
    let slow = provider("slow", "africas-talking", &url, 1).with("max_per_second = 5");
    let one = Installation::start(&[slow]).await;
    let tenant = one.world.tenant().await;
    let id = campaign(&tenant).await;
    until("some messages are sent", async || vendor.calls() >= 3).await;
    act(&tenant.owner(), &id, "pause").await;
    until_held(&one).await;
    let (sent, held) = (vendor.calls(), one.world.value(HELD).await);

    let other = one.another(&[]).await;
    let tenant = tenant.at(&other.world);
    one.world.stop().await;
    tokio::time::sleep(Duration::from_secs(2)).await;
    assert_eq!((vendor.calls(), other.world.value(HELD).await), (sent, held));
    act(&tenant.owner(), &id, "cancel").await;

    until("all are refunded", async || tenant.refunds().await == held).await;
    until("the campaign is settled", async || other.world.value(SETTLED).await == 1).await;
    assert_eq!((vendor.calls(), other.world.value(CANCELLED).await), (sent, held));
    tenant.assert_ledger_adds_up().await;
}
