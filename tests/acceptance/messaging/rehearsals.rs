//! Rehearsals: messages of sessions that go to the sandbox.

use acceptance::{Tenant, World, until_some};
use reqwest::Method;
use serde_json::{Value, json};

const SCAM: &str = "You won GHS 5,000! Send your MoMo PIN to claim it.";

fn sms() -> Value {
    json!({"channel": "SMS", "to": "0241234567", "body": "Akwaaba", "async": true, "isSandbox": true})
}

async fn event(tenant: &Tenant<'_>) {
    let template = json!({"name": "Parcel", "channel": "SMS", "body": "Akwaaba"});
    let template = tenant.owner().post("/templates", template).await.data(201)["id"].clone();
    let event = json!({"name": "Parcel", "slug": "parcel", "templateId": template});
    tenant.owner().post("/events", event).await.data(201);
}

#[tokio::test]
async fn a_session_rehearses_for_free() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let owner = tenant.owner();
    event(&tenant).await;
    let item = json!({"channel": "SMS", "to": "0241234568", "body": "Akwaaba"});
    let trigger = json!({"event": "parcel", "to": "0241234569", "async": true, "isSandbox": true});

    let sent = owner.post("/messages/send", sms()).await.data(202).clone();
    let bulk = json!({"messages": [item], "async": true, "isSandbox": true});
    let bulk = owner.post("/messages/bulk", bulk).await.data(202)[0].clone();
    let triggered = owner.post("/events/trigger", trigger).await.data(202).clone();

    for message in [sent, bulk, triggered] {
        assert_eq!((&message["isSandbox"], &message["cost"]), (&json!(true), &json!(0.0)));
        let delivered = owner.message_that_is("DELIVERED", &message["id"]).await;
        assert_eq!(delivered["provider"], "sandbox");
    }
    assert!((tenant.balance().await - 10.0).abs() < 1e-9);
    let live = owner.post("/messages/send", json!({
        "channel": "SMS", "to": "0241234567", "body": "Akwaaba", "async": true, "isSandbox": false,
    }));
    assert_eq!(live.await.data(202)["isSandbox"], false);
}

#[tokio::test]
async fn a_key_cannot_leave_its_mode() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    event(&tenant).await;
    let sandbox = tenant.api_key(json!({"name": "sandbox"})).await;
    let live = tenant.live_key().await;
    for (key, own) in [(&sandbox, true), (&live, false)] {
        for path in ["/messages/send", "/messages/bulk", "/events/trigger"] {
            let mut body = match path {
                "/messages/send" => sms(),
                "/messages/bulk" => json!({"messages": [
                    {"channel": "SMS", "to": "0241234567", "body": "Akwaaba"},
                ], "async": true}),
                _ => json!({"event": "parcel", "to": "0241234567", "async": true}),
            };
            body["isSandbox"] = json!(!own);
            let refused = key.post(path, body.clone()).await;
            let details = refused.fails(400, "VALIDATION_ERROR");
            let faults = details["fieldErrors"].as_object().unwrap();
            assert_eq!(faults.keys().collect::<Vec<_>>(), ["isSandbox"], "{details}");
            body["isSandbox"] = json!(own);
            key.post(path, body).await.data(202);
        }
    }
}

#[tokio::test]
async fn keys_of_requests_are_separate_by_mode() {
    let world = World::shared().await;
    let owner = world.tenant().await.owner().with("Idempotency-Key", "order-1");
    let mut live = sms();
    live["isSandbox"] = json!(false);

    let rehearsed = owner.post("/messages/send", sms()).await.data(202)["id"].clone();
    let sent = owner.post("/messages/send", live).await.data(202)["id"].clone();

    assert_ne!(rehearsed, sent);
    assert_eq!(owner.post("/messages/send", sms()).await.data(202)["id"], rehearsed);
}

#[tokio::test]
async fn a_campaign_is_rehearsed_without_approval_and_without_cost() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let owner = tenant.owner();
    owner.post("/contacts", json!({"phone": "0241234561"})).await.data(201);
    let campaign = json!({"name": "Sale", "channel": "SMS", "body": SCAM, "isSandbox": true});
    let campaign = owner.post("/campaigns", campaign).await.data(201).clone();
    assert_eq!(campaign["isSandbox"], true);
    let path = format!("/campaigns/{}", campaign["id"].as_str().unwrap());
    let preview = owner.call(Method::POST, &format!("{path}/preview"), None).await;
    assert_eq!(preview.data(200)["cost"], 0.0);

    owner.call(Method::POST, &format!("{path}/send"), None).await.data(200);

    let log = until_some("the rehearsed message is logged", async || {
        let answer = owner.get("/delivery-logs").await;
        answer.data(200).get(0).cloned().ok_or(answer.text)
    })
    .await;
    assert_eq!((&log["isSandbox"], &log["cost"]), (&json!(true), &json!(0.0)));
    assert!((tenant.balance().await - 10.0).abs() < 1e-9);
}
