//! Repeated requests, and the separation of sandbox and live.

use acceptance::{Caller, World, unique_id};
use serde_json::{Value, json};

const REPLAYED: &str = "idempotent-replayed";

fn sms(to: &str) -> Value {
    json!({"channel": "SMS", "to": to, "body": "Akwaaba", "async": true})
}

fn keyed(caller: &Caller, key: &str) -> Caller {
    caller.with("Idempotency-Key", key)
}

#[tokio::test]
async fn the_header_and_the_field_name_the_same_key() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let owner = tenant.owner();
    let mut by_field = sms("0241234567");
    by_field["idempotencyKey"] = json!("order-1");

    let first = owner.post("/messages/send", by_field.clone()).await;
    assert_eq!((first.status, first.headers.get(REPLAYED)), (202, None));

    for (caller, message) in [
        (owner.clone(), by_field.clone()),
        (keyed(&owner, "order-1"), sms("0241234567")),
        (keyed(&owner, "order-1"), by_field.clone()),
    ] {
        let again = caller.post("/messages/send", message).await;
        assert_eq!((again.status, &again.text), (202, &first.text));
        assert_eq!(again.header(REPLAYED), "true");
    }
    for (key, message) in [("order-2", by_field), ("", sms("0241234567"))] {
        let answer = keyed(&owner, key).post("/messages/send", message).await;
        let details = answer.fails(400, "VALIDATION_ERROR");
        assert!(details["fieldErrors"]["idempotencyKey"].is_array(), "{details}");
    }
    let other = keyed(&owner, "order-1").post("/messages/send", sms("0241234568")).await;
    other.fails(422, "IDEMPOTENCY_KEY_REUSED");
    assert_eq!(tenant.count("delivery_logs").await, 1);
}

#[tokio::test]
async fn a_repeated_bulk_request_returns_the_first_messages() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let owner = tenant.owner();
    let items = ["0241234567", "0241234568", "0241234569"]
        .map(|to| json!({"channel": "SMS", "to": to, "body": "Akwaaba"}));
    for is_async in [true, false] {
        let key = format!("list-{is_async}");
        let bulk = json!({"messages": items, "async": is_async});
        let mut by_field = bulk.clone();
        by_field["idempotencyKey"] = json!(key);

        let first = owner.post("/messages/bulk", by_field).await;
        let again = keyed(&owner, &key).post("/messages/bulk", bulk).await;

        let ids = |answer: &acceptance::Answer| -> Vec<Value> {
            let logs = answer.data(if is_async { 202 } else { 201 }).as_array().unwrap().iter();
            logs.map(|log| log["id"].clone()).collect()
        };
        assert_eq!((first.headers.get(REPLAYED), again.header(REPLAYED)), (None, "true"));
        assert_eq!(ids(&first), ids(&again));
        let other = json!({"messages": items[..2], "async": is_async});
        let other = keyed(&owner, &key).post("/messages/bulk", other).await;
        other.fails(422, "IDEMPOTENCY_KEY_REUSED");
    }
    assert_eq!(tenant.count("delivery_logs").await, 6);
    assert!((tenant.balance().await - (10.0 - 6.0 * 0.035)).abs() < 1e-9);
    tenant.assert_ledger_adds_up().await;
}

#[tokio::test]
async fn sandbox_and_live_have_separate_keys() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let sandbox = tenant.api_key(json!({"name": "test"})).await;
    let live = tenant.live_key().await;

    let rehearsed = keyed(&sandbox, "order-77").post("/messages/send", sms("0241234567")).await;
    let sent = keyed(&live, "order-77").post("/messages/send", sms("0241234568")).await;

    assert_eq!(rehearsed.data(202)["isSandbox"], true);
    assert_eq!(sent.data(202)["isSandbox"], false);
    for (caller, to, first) in [(&sandbox, "0241234567", rehearsed), (&live, "0241234568", sent)] {
        let again = keyed(caller, "order-77").post("/messages/send", sms(to)).await;
        assert_eq!(again.text, first.text);
        assert_eq!(again.header(REPLAYED), "true");
    }
}

#[tokio::test]
async fn a_sandbox_key_sees_sandbox_messages_only() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let sandbox = tenant.api_key(json!({"name": "test"})).await;
    let live = tenant.live_key().await;
    let accept = async |caller: &Caller| {
        let answer = caller.post("/messages/send", sms("0241234567")).await;
        format!("/messages/{}", answer.data(202)["internalMessageId"].as_str().unwrap())
    };
    let (rehearsed, sent) = (accept(&sandbox).await, accept(&live).await);

    sandbox.get(&sent).await.fails(404, "NOT_FOUND");
    sandbox.get(&rehearsed).await.data(200);
    for path in [&rehearsed, &sent] {
        live.get(path).await.data(200);
        tenant.owner().get(path).await.data(200);
    }
}

#[tokio::test]
async fn a_replay_is_answered_without_new_validation() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let owner = keyed(&tenant.owner(), "welcome-1");
    let template = unique_id();
    world
        .sql(&format!(
            "INSERT INTO templates (id, organization_id, name, channel, category, body, status, \
             created_at) VALUES ('{template}', '{}', 'hello', 'SMS', 'TRANSACTIONAL', 'Akwaaba', \
             'APPROVED', now())",
            tenant.id
        ))
        .await;
    let message =
        |to: &str| json!({"channel": "SMS", "to": to, "templateId": template, "async": true});
    let first = owner.post("/messages/send", message("0241234567")).await;
    first.data(202);

    for withdrawal in ["UPDATE templates SET status = 'REJECTED'", "DELETE FROM templates"] {
        world.sql(&format!("{withdrawal} WHERE organization_id = '{}'", tenant.id)).await;
        let again = owner.post("/messages/send", message("0241234567")).await;
        assert_eq!((again.status, &again.text), (202, &first.text));
        assert_eq!(again.header(REPLAYED), "true");
        let other = owner.post("/messages/send", message("0241234568")).await;
        other.fails(422, "IDEMPOTENCY_KEY_REUSED");
    }
    let new = keyed(&owner, "welcome-2").post("/messages/send", message("0241234567")).await;
    new.fails(404, "TEMPLATE_NOT_FOUND");
}
