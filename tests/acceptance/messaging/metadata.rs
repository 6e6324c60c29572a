//! Metadata of messages, from the request to the log, exports and webhooks.

use acceptance::{Caller, Receiver, Tenant, World, endpoint_at, until_some};
use serde_json::{Value, json};

fn sms(metadata: &Value) -> Value {
    json!({"channel": "SMS", "to": "0241234567", "body": "Akwaaba", "async": true, "metadata": metadata})
}

async fn shown(caller: &Caller, id: &Value) -> Value {
    let path = format!("/messages/{}", id.as_str().unwrap());
    caller.get(&path).await.data(200).clone()
}

/// Returns the newest messages of the log once there are that many.
async fn logged(tenant: &Tenant<'_>, messages: usize) -> Vec<Value> {
    until_some(&format!("{messages} messages are logged"), async || {
        let answer = tenant.owner().get("/delivery-logs").await;
        let logs = answer.data(200).as_array().unwrap().clone();
        if logs.len() == messages { Ok(logs) } else { Err(answer.text) }
    })
    .await
}

#[tokio::test]
async fn metadata_is_shown_wherever_the_message_is() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let owner = tenant.owner();
    let metadata = json!({"order": "4711", "shop.branch": "Osu", "note": ""});

    let sent = owner.post("/messages/send", sms(&metadata)).await.data(202).clone();
    let item = json!({"channel": "SMS", "to": "0241234568", "body": "Akwaaba"});
    let mut named = item.clone();
    named["metadata"] = json!({"order": "4712"});
    let bulk = json!({"messages": [named, item], "async": true});
    let bulk = owner.post("/messages/bulk", bulk).await.data(202).clone();

    assert_eq!(sent["metadata"], metadata);
    assert_eq!(shown(&owner, &sent["id"]).await["metadata"], metadata);
    assert_eq!(bulk[0]["metadata"], json!({"order": "4712"}));
    assert_eq!(bulk[1]["metadata"], json!({}));
    let logs = logged(&tenant, 3).await;
    let found = logs.iter().find(|log| log["id"] == sent["id"]).unwrap();
    assert_eq!(found["metadata"], metadata);
    let export = owner.get("/delivery-logs/export").await;
    assert_eq!(export.status, 200);
    assert!(export.text.lines().next().unwrap().split(',').any(|column| column == "metadata"));
    assert!(export.text.contains(r#"""order"":""4712"""#), "{}", export.text);
    let without = format!(
        "SELECT count(*) FROM delivery_logs WHERE organization_id = '{}' AND metadata IS NULL",
        tenant.id
    );
    assert_eq!(world.value(&without).await, 1);
}

#[tokio::test]
async fn faults_of_metadata_are_named_by_their_key() {
    let world = World::shared().await;
    let owner = world.tenant().await.owner();
    let many: serde_json::Map<_, _> = (0..21).map(|key| (format!("k{key}"), json!("v"))).collect();
    for (metadata, path) in [
        (json!({"order": "x".repeat(501)}), "metadata.order"),
        (json!({"order": "a\u{0}b"}), "metadata.order"),
        (json!({"order": 4711}), "metadata.order"),
        (json!({("k".repeat(41)): "v"}), "metadata"),
        (json!({" order": "v"}), "metadata"),
        (Value::Object(many), "metadata"),
        (json!(["order"]), "metadata"),
    ] {
        let answer = owner.post("/messages/send", sms(&metadata)).await;
        let details = answer.fails(400, "VALIDATION_ERROR");
        let faults = details["fieldErrors"].as_object().unwrap();
        assert_eq!(faults.keys().collect::<Vec<_>>(), [path], "{details}");
    }
    let mut item = sms(&json!({"order": "x".repeat(501)}));
    item.as_object_mut().unwrap().remove("async");
    let answer = owner.post("/messages/bulk", json!({"messages": [item]})).await;
    let details = answer.fails(400, "VALIDATION_ERROR");
    assert!(details["fieldErrors"]["messages.0.metadata.order"].is_array(), "{details}");
}

#[tokio::test]
async fn other_metadata_is_another_request() {
    let world = World::shared().await;
    let owner = world.tenant().await.owner().with("Idempotency-Key", "order-1");
    let first = owner.post("/messages/send", sms(&json!({"order": "4711"}))).await;

    let again = owner.post("/messages/send", sms(&json!({"order": "4711"}))).await;
    let other = owner.post("/messages/send", sms(&json!({"order": "4712"}))).await;

    assert_eq!(again.data(202)["id"], first.data(202)["id"]);
    other.fails(422, "IDEMPOTENCY_KEY_REUSED");
}

#[tokio::test]
async fn webhooks_tell_metadata() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let receiver = Receiver::taking_everything().await;
    world.sql(&endpoint_at(&tenant.id, &receiver.url)).await;
    let metadata = json!({"order": "4711"});

    // The endpoint is told of messages from the moment on at which the instance knows it.
    until_some("an event tells metadata", async || {
        tenant.owner().post("/messages/send", sms(&metadata)).await.data(202);
        let calls = receiver.received();
        let is_notified = calls.iter().any(|call| call.json()["data"]["metadata"] == metadata);
        if is_notified { Ok(()) } else { Err(format!("{} calls", calls.len())) }
    })
    .await;
}

#[tokio::test]
async fn each_channel_of_a_trigger_has_its_metadata() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let owner = tenant.owner();
    let template = json!({"name": "Parcel", "channel": "SMS", "body": "Akwaaba"});
    let template = owner.post("/templates", template).await.data(201)["id"].clone();
    let event = json!({
        "name": "Parcel", "slug": "parcel", "templateId": template,
        "fallbackRules": {"channels": ["EMAIL"]},
    });
    owner.post("/events", event).await.data(201);
    let contact = json!({"phone": "0240000000", "email": "ama@example.com"});
    let contact = owner.post("/contacts", contact).await.data(201)["id"].clone();
    let metadata = json!({"order": "4711"});

    let trigger =
        json!({"event": "parcel", "contactId": contact, "async": true, "metadata": metadata});
    owner.post("/events/trigger", trigger).await.data(202);

    let logs = logged(&tenant, 2).await;
    assert_eq!((&logs[0]["channel"], &logs[1]["channel"]), (&json!("EMAIL"), &json!("SMS")));
    for log in logs {
        assert_eq!(log["metadata"], metadata);
    }
}

#[tokio::test]
async fn each_message_of_a_campaign_has_its_metadata() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let owner = tenant.owner();
    for phone in ["0241234561", "0241234562"] {
        owner.post("/contacts", json!({"phone": phone})).await.data(201);
    }
    let metadata = json!({"sale": "makola"});
    let campaign = json!({
        "name": "Sale", "channel": "SMS", "body": "Sale. Reply STOP to opt out",
        "metadata": {"sale": "kejetia"},
    });
    let campaign = owner.post("/campaigns", campaign).await.data(201)["id"].clone();
    let path = format!("/campaigns/{}", campaign.as_str().unwrap());
    let changes = Some(json!({"metadata": metadata}));
    let changed = owner.call(reqwest::Method::PATCH, &path, changes).await;
    assert_eq!(changed.data(200)["metadata"], metadata);

    owner.call(reqwest::Method::POST, &format!("{path}/send"), None).await.data(200);

    for log in logged(&tenant, 2).await {
        assert_eq!(log["metadata"], metadata);
    }
}
