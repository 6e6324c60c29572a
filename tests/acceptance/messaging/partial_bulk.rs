//! Bulk requests that are accepted in part.

use acceptance::{Answer, World};
use serde_json::{Value, json};

fn item(to: &str) -> Value {
    json!({"channel": "SMS", "to": to, "body": "Akwaaba"})
}

fn partial(messages: &Value) -> Value {
    json!({"messages": messages, "async": true, "partial": true})
}

/// Returns the identifiers in the places of an answer.
fn ids(answer: &Answer) -> Vec<Value> {
    let places = answer.data(202).as_array().unwrap().iter();
    places.map(|place| place["id"].clone()).collect()
}

#[tokio::test]
async fn the_valid_messages_are_sent_and_the_others_are_named() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let unknown = "01a1fe23-0000-7000-8000-00000000000f";
    let named = json!({"channel": "SMS", "to": "0241234568", "body": "x", "templateId": unknown});
    let messages = json!([
        item("024123"), item("0241234567"), {"channel": "PIGEON", "to": 7, "body": "x"}, named,
        item("0241234569"),
    ]);

    let answer = tenant.owner().post("/messages/bulk", partial(&messages)).await;

    let places = answer.data(202).as_array().unwrap();
    assert_eq!(places.len(), 5);
    assert_eq!(
        (&places[1]["recipient"], &places[1]["status"]),
        (&json!("+233241234567"), &json!("QUEUED"))
    );
    assert!(places[1].get("fieldErrors").is_none());
    assert_eq!(places[4]["recipient"], "+233241234569");
    let wrong = &places[0];
    assert_eq!(
        wrong,
        &json!({
            "id": null, "internalMessageId": null, "status": "FAILED", "channel": "SMS",
            "recipient": "024123", "cost": 0.0, "errorCode": "VALIDATION_ERROR",
            "fieldErrors": wrong["fieldErrors"],
        })
    );
    assert!(wrong["fieldErrors"]["to"].is_array(), "{wrong}");
    let faults = |place: usize| -> Vec<&String> {
        places[place]["fieldErrors"].as_object().unwrap().keys().collect()
    };
    assert_eq!(faults(2), ["channel", "to"]);
    assert_eq!(faults(3), ["templateId"]);
    assert_eq!(tenant.count("delivery_logs").await, 2);
    assert!((tenant.balance().await - (10.0 - 2.0 * 0.035)).abs() < 1e-9);

    let whole = json!({"messages": messages, "async": true});
    let refused = tenant.owner().post("/messages/bulk", whole).await;
    refused.fails(404, "TEMPLATE_NOT_FOUND");
    assert_eq!(tenant.count("delivery_logs").await, 2);
}

#[tokio::test]
async fn wrong_items_alone_are_named_one_by_one() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let request = json!({"messages": [item("1"), item("2")], "partial": true});

    let answer = tenant.owner().post("/messages/bulk", request).await;

    let places = answer.data(201).as_array().unwrap();
    assert!(places.iter().all(|place| place["errorCode"] == "VALIDATION_ERROR"), "{places:?}");
    assert_eq!((places.len(), tenant.count("delivery_logs").await), (2, 0));
}

#[tokio::test]
async fn faults_of_the_request_refuse_all_of_it() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let mut unknown = partial(&json!([item("0241234567")]));
    unknown["colour"] = json!("red");
    for (request, path) in [
        (partial(&json!([])), "messages"),
        (partial(&json!([item("0241234567"), 7])), "messages.1"),
        (unknown, "colour"),
    ] {
        let answer = tenant.owner().post("/messages/bulk", request).await;
        let details = answer.fails(400, "VALIDATION_ERROR");
        assert!(details["fieldErrors"][path].is_array(), "{details}");
    }
    assert_eq!(tenant.count("delivery_logs").await, 0);
}

#[tokio::test]
async fn too_little_money_for_the_valid_messages_refuses_all() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    tenant.set_balance(35_000).await;
    let messages = json!([item("0241234567"), item("1"), item("0241234568")]);

    let answer = tenant.owner().post("/messages/bulk", partial(&messages)).await;

    answer.fails(402, "INSUFFICIENT_BALANCE");
    assert_eq!(tenant.count("delivery_logs").await, 0);
}

#[tokio::test]
async fn a_repetition_answers_the_same_places() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let owner = tenant.owner().with("Idempotency-Key", "list-1");
    let template = json!({"name": "Parcel", "channel": "SMS", "body": "Akwaaba {{name}}"});
    let template = tenant.owner().post("/templates", template).await.data(201)["id"].clone();
    let mut named = item("0241234567");
    named["templateId"] = template.clone();
    named["variables"] = json!({"name": "Ama"});
    let request = partial(&json!([item("1"), named, item("0241234568"), item("2")]));

    let first = owner.post("/messages/bulk", request.clone()).await;
    let again = owner.post("/messages/bulk", request.clone()).await;
    assert_eq!(
        (first.header("idempotent-replayed"), again.header("idempotent-replayed")),
        ("", "true")
    );
    assert_eq!(first.text, again.text);

    // The place of a message stays its own, even if the item would be wrong by now.
    let retire =
        format!("UPDATE templates SET status = 'REJECTED' WHERE organization_id = '{}'", tenant.id);
    world.sql(&retire).await;
    let later = owner.post("/messages/bulk", request.clone()).await;
    assert_eq!(ids(&first), ids(&later));
    assert_eq!(tenant.count("delivery_logs").await, 2);
    let mut whole = request;
    whole["partial"] = json!(false);
    let other = owner.post("/messages/bulk", whole).await;
    other.fails(422, "IDEMPOTENCY_KEY_REUSED");
    assert_eq!(tenant.count("delivery_logs").await, 2);
}
