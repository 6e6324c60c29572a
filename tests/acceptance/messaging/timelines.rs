//! Timelines of messages.

use acceptance::{Caller, Receiver, World, endpoint_at, unique_email, until_some};
use serde_json::{Value, json};

fn sms(to: &str) -> Value {
    json!({"channel": "SMS", "to": to, "body": "Akwaaba", "async": true})
}

async fn timeline(caller: &Caller, id: &Value) -> Vec<Value> {
    let path = format!("/messages/{}", id.as_str().unwrap());
    caller.get(&path).await.data(200)["timeline"].as_array().unwrap().clone()
}

/// Returns the kinds of the entries.
fn kinds(timeline: &[Value]) -> Vec<&str> {
    timeline.iter().map(|entry| entry["kind"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn a_message_that_failed_shows_why_and_that_it_was_paid_back() {
    let world = World::shared().await;
    let owner = world.tenant().await.owner();
    let sent = owner.post("/messages/send", sms("0240000000")).await.data(202).clone();
    assert!(sent.get("timeline").is_none(), "{sent}");

    let failed = owner.message_that_is("FAILED", &sent["id"]).await;

    let timeline = failed["timeline"].as_array().unwrap();
    let [accepted, .., report, refund] = timeline.as_slice() else { panic!("{failed}") };
    assert_eq!((&accepted["kind"], &accepted["amount"]), (&json!("ACCEPTED"), &json!(0.035)));
    assert_eq!(accepted["at"], failed["createdAt"]);
    assert_eq!((&report["kind"], &report["code"]), (&json!("REPORT"), &json!("UNDELIVERED")));
    let text = report["text"].as_str().unwrap();
    assert!(text.contains("You were not charged."), "{text}");
    assert_eq!((&refund["kind"], &refund["amount"]), (&json!("REFUNDED"), &json!(0.035)));
    let attempt = timeline.iter().find(|entry| entry["kind"] == "ATTEMPT").unwrap();
    assert_eq!(attempt["provider"], failed["provider"]);
    let log = owner.get("/delivery-logs").await;
    assert!(log.data(200)[0].get("timeline").is_none(), "{}", log.text);
}

#[tokio::test]
async fn messages_of_one_trigger_name_each_other() {
    let world = World::shared().await;
    let owner = world.tenant().await.owner();
    let template = json!({"name": "Parcel", "channel": "SMS", "body": "Akwaaba"});
    let template = owner.post("/templates", template).await.data(201)["id"].clone();
    let event = json!({
        "name": "Parcel", "slug": "parcel", "templateId": template,
        "fallbackRules": {"channels": ["EMAIL"]},
    });
    owner.post("/events", event).await.data(201);
    let contact = json!({"phone": "0240000000", "email": "ama@example.com"});
    let contact = owner.post("/contacts", contact).await.data(201)["id"].clone();
    let trigger = json!({"event": "parcel", "contactId": contact, "async": true});
    let first = owner.post("/events/trigger", trigger).await.data(202).clone();

    let logs = until_some("the second channel is tried", async || {
        let answer = owner.get("/delivery-logs").await;
        let logs = answer.data(200).as_array().unwrap().clone();
        if logs.len() == 2 { Ok(logs) } else { Err(answer.text) }
    })
    .await;

    let (mail, text) = (&logs[0], &logs[1]);
    assert_eq!(text["id"], first["id"]);
    for (message, other) in [(mail, text), (text, mail)] {
        let timeline = timeline(&owner, &message["id"]).await;
        let fallbacks: Vec<_> = timeline.iter().filter(|it| it["kind"] == "FALLBACK").collect();
        assert_eq!(fallbacks.len(), 1, "{timeline:?}");
        assert_eq!(fallbacks[0]["code"], other["channel"]);
        let sentence = fallbacks[0]["text"].as_str().unwrap();
        assert!(sentence.contains(other["internalMessageId"].as_str().unwrap()), "{sentence}");
    }
}

#[tokio::test]
async fn calls_of_webhooks_are_shown_to_those_who_may_read_the_endpoints() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let owner = tenant.owner();
    let email = unique_email("viewer");
    let viewer = world.user(&email).await;
    let invitation = json!({"email": email, "role": "VIEWER"});
    owner.post("/organizations/invite", invitation).await.data(201);
    let viewer = tenant.member(viewer["token"].as_str().unwrap());
    let receiver = Receiver::taking_everything().await;
    world.sql(&endpoint_at(&tenant.id, &receiver.url)).await;
    // The endpoint is called from the moment on at which the instance knows it.
    let id = until_some("the endpoint is called", async || {
        owner.post("/messages/send", sms("0241234567")).await.data(202);
        match receiver.received().first() {
            Some(call) => Ok(call.json()["data"]["id"].clone()),
            None => Err("no call".to_owned()),
        }
    })
    .await;

    let call = until_some("the call is recorded", async || {
        let timeline = timeline(&owner, &id).await;
        let call = timeline.iter().find(|it| it["kind"] == "WEBHOOK" && it["code"] == "204");
        call.cloned().ok_or_else(|| format!("{timeline:?}"))
    })
    .await;

    assert_eq!(call["text"], "Your webhook was called: it answered 204.");
    let seen = timeline(&viewer, &id).await;
    assert!(!kinds(&seen).contains(&"WEBHOOK"), "{seen:?}");
}
