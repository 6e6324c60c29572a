//! Filters of the log of messages, and its parts.

use acceptance::{Caller, Tenant, World, until};
use serde_json::{Value, json};

/// Sends three messages to one number, one that fails and a push, all in the sandbox, and waits until
/// all have a final status.
async fn send_some(tenant: &Tenant<'_>) {
    let key = tenant.api_key(json!({"name": "test"})).await;
    let sms = |to: &str, order: &str| json!({"channel": "SMS", "to": to, "body": "Akwaaba", "metadata": {"order": order}});
    let messages = json!([
        sms("0241234567", "1"),
        sms("+233241234567", "2"),
        {"channel": "VOICE", "to": "0241234567", "body": "Akwaaba"},
        sms("0240000000", "1"),
        {"channel": "PUSH", "to": "device-1", "body": "Akwaaba"},
    ]);
    key.post("/messages/bulk", json!({"messages": messages, "async": true})).await.data(202);
    let have_ended = async || {
        let log = get(&tenant.owner(), "limit=100").await;
        let log = log["data"].as_array().unwrap();
        let is_final = |it: &Value| it["status"] == "DELIVERED" || it["status"] == "FAILED";
        log.len() == 5 && log.iter().all(is_final)
    };
    until("all 5 have come to their end", have_ended).await;
}

/// Returns the whole answer.
async fn get(caller: &Caller, query: &str) -> Value {
    let answer = caller.get(&format!("/delivery-logs?{query}")).await;
    answer.data(200);
    answer.body
}

async fn count(caller: &Caller, query: &str) -> usize {
    get(caller, query).await["data"].as_array().unwrap().len()
}

#[tokio::test]
async fn the_log_is_filtered_by_all_filters_together() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let owner = tenant.owner();
    send_some(&tenant).await;
    let provider = get(&owner, "channel=PUSH").await["data"][0]["provider"].clone();
    let provider = provider.as_str().unwrap();

    for (query, expected) in [
        ("recipient=0241234567", 3),
        ("recipient=%2B233%2024%20123%204567", 3),
        ("recipient=0241234567&channel=SMS", 2),
        ("recipient=0241234567&channel=SMS&metadata[order]=2", 1),
        ("recipient=device-1", 1),
        ("recipient=0249999999", 0),
        ("metadata[order]=1", 2),
        ("metadata%5Border%5D=1&status=FAILED", 1),
        ("metadata[order]=1&metadata[shop]=Osu", 0),
        ("isSandbox=true", 5),
        ("isSandbox=false", 0),
        ("from=2020-01-01T00:00:00Z", 0),
        ("to=2020-01-01T00:00:00Z", 0),
        ("errorCode=NO_ROUTE", 0),
        ("event=order-shipped", 0),
        ("campaignId=01a1fe23-0000-7000-8000-00000000000f", 0),
        (&format!("provider={provider}&channel=PUSH"), 1),
        ("provider=nobody", 0),
    ] {
        assert_eq!(count(&owner, query).await, expected, "{query}");
        let export = owner.get(&format!("/delivery-logs/export?{query}")).await;
        assert_eq!(export.status, 200, "{query}");
        assert_eq!(export.text.lines().count(), expected + 1, "{query}");
    }
    let failed = get(&owner, "status=FAILED").await["data"][0].clone();
    let code = failed["errorCode"].as_str().unwrap();
    assert_eq!(count(&owner, &format!("errorCode={code}")).await, 1);
    assert_eq!((&failed["netCost"], &failed["event"]), (&json!(0.0), &Value::Null));
}

#[tokio::test]
async fn unfit_filters_are_named() {
    let world = World::shared().await;
    let owner = world.tenant().await.owner();
    for (query, faulty) in [
        ("recipient=no%20one", "recipient"),
        ("recipient=ama&channel=SMS", "recipient"),
        ("campaignId=x", "campaignId"),
        ("from=yesterday", "from"),
        ("to=2026-01-31T09:00:00", "to"),
        ("errorCode=SAD", "errorCode"),
        ("isSandbox=maybe", "isSandbox"),
        ("event=a%00b", "event"),
        ("provider=a%00b", "provider"),
        ("metadata=x", "metadata"),
        ("metadata[order]=a%00b", "metadata[order]"),
        ("after=x", "after"),
        ("page=1&after=", "after"),
    ] {
        let answer = owner.get(&format!("/delivery-logs?{query}")).await;
        let fields = &answer.fails(400, "VALIDATION_ERROR")["fieldErrors"];
        assert!(fields[faulty].is_array(), "{query}: {fields}");
    }
}

#[tokio::test]
async fn the_log_is_read_in_parts_to_its_end() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let owner = tenant.owner();
    send_some(&tenant).await;

    let first = get(&owner, "limit=2").await;
    let mut seen = first["data"].as_array().unwrap().clone();
    let mut cursor = first["pagination"]["nextCursor"].clone();
    while let Some(after) = cursor.as_str() {
        let part = get(&owner, &format!("limit=2&after={after}")).await;
        seen.extend(part["data"].as_array().unwrap().clone());
        assert_eq!(part["pagination"].as_object().unwrap().len(), 2, "{part}");
        cursor = part["pagination"]["nextCursor"].clone();
    }

    assert_eq!(first["pagination"]["total"], 5);
    assert_eq!(json!(seen), get(&owner, "page=1").await["data"]);
    let beginning = get(&owner, "limit=2&after=").await;
    assert_eq!(beginning["data"], first["data"]);
    assert!(beginning["pagination"].get("total").is_none(), "{beginning}");
    let numbered = get(&owner, "page=1").await;
    assert!(numbered["pagination"].get("nextCursor").is_none(), "{numbered}");
}

#[tokio::test]
async fn a_key_with_the_scope_sees_the_log_of_its_mode() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    send_some(&tenant).await;
    let key = async |is_sandbox: bool| {
        let scopes = ["messages:send", "delivery-logs:read"];
        tenant.api_key(json!({"name": "k", "scopes": scopes, "isSandbox": is_sandbox})).await
    };
    let (sandbox, live) = (key(true).await, key(false).await);
    let usual = tenant.api_key(json!({"name": "usual"})).await;

    assert_eq!((count(&sandbox, "").await, count(&live, "").await), (5, 0));
    assert_eq!(live.get("/delivery-logs/export").await.text.lines().count(), 1);
    let other = sandbox.get("/delivery-logs?isSandbox=false").await;
    assert!(other.fails(400, "VALIDATION_ERROR")["fieldErrors"]["isSandbox"].is_array());
    usual.get("/delivery-logs").await.fails(401, "SESSION_REQUIRED");
}

#[tokio::test]
async fn a_message_of_an_event_names_it_and_the_contact() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let owner = tenant.owner();
    let template = json!({"name": "Parcel", "channel": "SMS", "body": "Akwaaba"});
    let template = owner.post("/templates", template).await.data(201)["id"].clone();
    let event = json!({"name": "Parcel", "slug": "parcel", "templateId": template});
    owner.post("/events", event).await.data(201);
    let contact = owner.post("/contacts", json!({"phone": "0241234567"})).await.data(201).clone();
    let trigger = |recipient: Value| {
        let mut trigger = json!({"event": "parcel", "async": true, "isSandbox": true});
        trigger.as_object_mut().unwrap().extend(recipient.as_object().unwrap().clone());
        trigger
    };

    owner.post("/events/trigger", trigger(json!({"to": "0241234568"}))).await.data(202);
    owner.post("/events/trigger", trigger(json!({"contactId": contact["id"]}))).await.data(202);

    let log = get(&owner, "event=parcel").await["data"].clone();
    assert_eq!((&log[0]["event"], &log[0]["contactId"]), (&json!("parcel"), &contact["id"]));
    assert_eq!((&log[1]["event"], &log[1]["contactId"]), (&json!("parcel"), &Value::Null));
    assert_eq!(count(&owner, "event=other").await, 0);
}
