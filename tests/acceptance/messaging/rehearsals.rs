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

#[tokio::test]
async fn a_sandbox_key_rehearses_its_own_campaigns_and_changes_no_live_one() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let owner = tenant.owner();
    owner.post("/contacts", json!({"phone": "0241234561"})).await.data(201);
    let scopes = ["campaigns:write", "campaigns:read", "delivery-logs:read"];
    let key = tenant.api_key(json!({"name": "k", "scopes": scopes, "isSandbox": true})).await;
    let mut campaign = json!({"name": "Sale", "channel": "SMS", "body": SCAM});
    let live = owner.post("/campaigns", campaign.clone()).await.data(201)["id"].clone();

    let own = key.post("/campaigns", campaign.clone()).await.data(201).clone();
    campaign["isSandbox"] = json!(false);
    key.post("/campaigns", campaign).await.fails(400, "VALIDATION_ERROR");
    assert_eq!(own["isSandbox"], true);
    let path = format!("/campaigns/{}", own["id"].as_str().unwrap());
    key.call(Method::PATCH, &path, Some(json!({"name": "Sales"}))).await.data(200);
    key.call(Method::POST, &format!("{path}/send"), None).await.data(200);

    let log = until_some("the rehearsed message is logged", async || {
        let answer = key.get("/delivery-logs").await;
        answer.data(200).get(0).cloned().ok_or(answer.text)
    })
    .await;
    assert_eq!((&log["isSandbox"], &log["cost"]), (&json!(true), &json!(0.0)));
    let live = format!("/campaigns/{}", live.as_str().unwrap());
    let renamed = json!({"name": "Sales"});
    let refused = key.call(Method::PATCH, &live, Some(renamed)).await;
    refused.fails(403, "LIVE_KEY_REQUIRED");
    for action in ["send", "pause", "resume", "cancel"] {
        let refused = key.call(Method::POST, &format!("{live}/{action}"), None).await;
        refused.fails(403, "LIVE_KEY_REQUIRED");
    }
}

#[tokio::test]
async fn a_key_reaches_messages_of_campaigns_of_its_own_mode_only() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let owner = tenant.owner();
    let scopes = ["campaigns:write", "campaigns:read"];
    let key = async |is_sandbox: bool| {
        tenant.api_key(json!({"name": "k", "scopes": scopes, "isSandbox": is_sandbox})).await
    };
    let (sandbox, live) = (key(true).await, key(false).await);
    let made = async |is_sandbox: bool| {
        let campaign = json!({
            "name": "Sale", "channel": "SMS", "body": "Hi", "isSandbox": is_sandbox,
        });
        let made = owner.post("/campaigns", campaign).await.data(201).clone();
        format!("/campaigns/{}", made["id"].as_str().unwrap())
    };
    let (rehearsal, campaign) = (made(true).await, made(false).await);

    for list in ["recipients", "recipients/export"] {
        sandbox.get(&format!("{campaign}/{list}")).await.fails(404, "NOT_FOUND");
        for (caller, path) in
            [(&sandbox, &rehearsal), (&live, &campaign), (&live, &rehearsal), (&owner, &campaign)]
        {
            assert_eq!(caller.get(&format!("{path}/{list}")).await.status, 200, "{path}/{list}");
        }
    }
    for body in [json!({}), json!({"dryRun": true})] {
        let again = |path: &str| format!("{path}/resend-failed");
        let refused = live.post(&again(&rehearsal), body.clone()).await;
        refused.fails(403, "SANDBOX_KEY_REQUIRED");
        let refused = sandbox.post(&again(&campaign), body).await;
        refused.fails(403, "LIVE_KEY_REQUIRED");
    }
}
