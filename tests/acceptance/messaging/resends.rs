//! Failed messages that are sent again, one or many.

use acceptance::{Caller, Tenant, World, until_some};
use serde_json::{Value, json};

/// Number to which nothing arrives.
const LOST: &str = "0240000000";

fn sms(to: &str, category: &str) -> Value {
    json!({"channel": "SMS", "to": to, "body": "Akwaaba", "category": category})
}

/// Sends a message that fails, and returns its log.
async fn failed(caller: &Caller, category: &str) -> Value {
    let answer = caller.post("/messages/send", sms(LOST, category)).await;
    caller.message_that_is("FAILED", &answer.data(201)["id"]).await
}

fn resend_path(message: &Value) -> String {
    format!("/messages/{}/resend", message["id"].as_str().unwrap())
}

/// Returns the progress of a task once it has ended.
async fn ended(tenant: &Tenant<'_>, id: &Value) -> Value {
    let path = format!("/messages/resend/{}", id.as_str().unwrap());
    until_some("the task has ended", async || {
        let answer = tenant.owner().get(&path).await;
        let task = answer.data(200).clone();
        if task["completedAt"].is_string() { Ok(task) } else { Err(answer.text) }
    })
    .await
}

#[tokio::test]
async fn a_failed_message_is_sent_again_once() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let owner = tenant.owner();
    let first = failed(&owner, "TRANSACTIONAL").await;
    let path = resend_path(&first);

    let answer = owner.post(&path, json!({})).await;
    let again = answer.data(201);
    assert_eq!(again["resentFrom"], first["id"]);
    assert_eq!(again["body"], first["body"]);
    assert_ne!(again["id"], first["id"]);

    owner.post(&path, json!({})).await.fails(409, "ALREADY_RESENT");
    let third = owner.post(&path, json!({"again": true})).await.data(201).clone();
    assert_eq!(third["resentFrom"], first["id"]);
    owner.message_that_is("FAILED", &third["id"]).await;
    tenant.assert_ledger_adds_up().await;
}

#[tokio::test]
async fn a_repeated_request_with_a_key_has_the_first_answer() {
    let world = World::shared().await;
    let owner = world.tenant().await.owner();
    let path = resend_path(&failed(&owner, "TRANSACTIONAL").await);
    let request = json!({"idempotencyKey": "again-1"});

    let first = owner.post(&path, request.clone()).await.data(201)["id"].clone();

    assert_eq!(owner.post(&path, request).await.data(201)["id"], first);
    let other = json!({"idempotencyKey": "again-1", "again": true});
    owner.post(&path, other).await.fails(422, "IDEMPOTENCY_KEY_REUSED");
}

#[tokio::test]
async fn what_has_not_failed_or_is_a_code_is_not_sent_again() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let owner = tenant.owner();
    let code = failed(&owner, "OTP").await;
    let sent = owner.post("/messages/send", sms("0241234567", "REMINDER")).await;
    let sent = sent.data(201).clone();

    owner.post(&resend_path(&code), json!({})).await.fails(409, "NOT_RESENDABLE");
    owner.post(&resend_path(&sent), json!({})).await.fails(409, "MESSAGE_NOT_FAILED");
    let other = world.tenant().await;
    other.owner().post(&resend_path(&sent), json!({})).await.fails(404, "NOT_FOUND");
}

#[tokio::test]
async fn failed_messages_are_counted_and_sent_again_in_the_background() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let owner = tenant.owner();
    let first = failed(&owner, "TRANSACTIONAL").await;
    failed(&owner, "REMINDER").await;
    failed(&owner, "OTP").await;
    let long =
        json!({"from": "2020-01-01T00:00:00Z", "to": "2021-01-01T00:00:00Z", "dryRun": true});
    owner.post("/messages/resend", long).await.fails(400, "VALIDATION_ERROR");
    owner.post("/messages/resend", json!({"dryRun": true})).await.fails(400, "VALIDATION_ERROR");

    let mut request = json!({"from": first["createdAt"], "recipient": LOST, "dryRun": true});
    let forecast = owner.post("/messages/resend", request.clone()).await.data(200).clone();
    assert_eq!(forecast["count"], 3);
    assert_eq!(forecast["isCapped"], false);
    assert_eq!(
        forecast["byReason"],
        json!([{"errorCode": "UNDELIVERED", "count": 3, "resendable": 2}])
    );
    assert!((forecast["cost"].as_f64().unwrap() - 0.07).abs() < 1e-9);

    request["dryRun"] = json!(false);
    let begun = owner.post("/messages/resend", request).await.data(202).clone();
    assert_eq!(begun["count"], 3);
    let task = ended(&tenant, &begun["id"]).await;
    assert_eq!((&task["status"], &task["failure"]), (&json!("COMPLETED"), &Value::Null));
    assert_eq!((&task["resent"], &task["skipped"]), (&json!(2), &json!(1)));
    let resent = format!(
        "SELECT count(*) FROM delivery_logs \
         WHERE organization_id = '{}' AND resent_from IS NOT NULL",
        tenant.id
    );
    assert_eq!(world.value(&resent).await, 2);
    let other = world.tenant().await;
    let path = format!("/messages/resend/{}", begun["id"].as_str().unwrap());
    other.owner().get(&path).await.fails(404, "NOT_FOUND");
}

#[tokio::test]
async fn failed_messages_are_chosen_by_their_metadata() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let owner = tenant.owner();
    let mut from = Value::Null;
    for order in ["4711", "4712"] {
        let mut message = sms(LOST, "REMINDER");
        message["metadata"] = json!({"order": order, "shop": "1"});
        let sent = owner.post("/messages/send", message).await.data(201).clone();
        owner.message_that_is("FAILED", &sent["id"]).await;
        if from.is_null() {
            from = sent["createdAt"].clone();
        }
    }
    let faulty = json!({"from": from, "to": from, "metadata": {"order": "a\nb"}});
    let refused = owner.post("/messages/resend", faulty).await;
    let faults = refused.fails(400, "VALIDATION_ERROR")["fieldErrors"].clone();
    let faults: Vec<_> = faults.as_object().unwrap().keys().cloned().collect();
    assert_eq!(faults, ["metadata.order", "to"]);

    let request = json!({"from": from, "metadata": {"order": "4711"}});
    let begun = owner.post("/messages/resend", request).await.data(202).clone();

    assert_eq!(begun["count"], 1);
    assert_eq!(ended(&tenant, &begun["id"]).await["resent"], 1);
    let again = owner.get("/delivery-logs?metadata[order]=4711").await;
    assert_eq!(again.data(200).as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn a_key_of_the_sandbox_sends_only_sandbox_messages_again() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let live = failed(&tenant.owner(), "REMINDER").await;
    let key = tenant.api_key(json!({"name": "test"})).await;
    let own = failed(&key, "REMINDER").await;

    key.post(&resend_path(&live), json!({})).await.fails(404, "NOT_FOUND");
    let again = key.post(&resend_path(&own), json!({})).await.data(201).clone();
    assert_eq!(again["isSandbox"], true);
    let request = json!({"from": "2026-01-01T00:00:00Z", "isSandbox": false, "dryRun": true});
    key.post("/messages/resend", request).await.fails(400, "VALIDATION_ERROR");
}
