//! Messages that go later, and are cancelled or moved before.

use acceptance::{Answer, Caller, Tenant, World, until};
use app::clock::SystemClock;
use chrono::{SecondsFormat, TimeDelta};
use ports::shared::clock::Clock;
use reqwest::Method;
use serde_json::{Value, json};

/// The time after so long, as it is written on the wire.
fn ahead(time: TimeDelta) -> String {
    (SystemClock.now() + time).to_rfc3339_opts(SecondsFormat::Millis, true)
}

fn sms(scheduled_at: &str) -> Value {
    json!({
        "channel": "SMS", "to": "0241234567", "body": "Akwaaba", "scheduledAt": scheduled_at,
    })
}

fn path(message: &Value) -> String {
    format!("/messages/{}", message["id"].as_str().unwrap())
}

async fn cancel(caller: &Caller, message: &Value) -> Answer {
    caller.call(Method::POST, &format!("{}/cancel", path(message)), None).await
}

async fn reschedule(caller: &Caller, message: &Value, at: &str) -> Answer {
    caller.call(Method::PATCH, &path(message), Some(json!({"scheduledAt": at}))).await
}

/// Lets the time of a message come.
async fn pass_time(world: &World, message: &Value) {
    let id = message["id"].as_str().unwrap();
    world
        .sql(&format!(
            "UPDATE delivery_logs SET scheduled_at = now() - interval '1 second' WHERE id = '{id}'; \
             UPDATE scheduled_messages SET due_at = now() - interval '1 second' WHERE id = '{id}'"
        ))
        .await;
}

async fn balance_is(tenant: &Tenant<'_>, expected: f64) {
    until("the balance is right", async || (tenant.balance().await - expected).abs() < 1e-9).await;
}

#[tokio::test]
async fn a_scheduled_message_is_paid_for_at_once_and_goes_when_it_is_due() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let owner = tenant.owner();
    let at = ahead(TimeDelta::days(2));
    for (is_async, code, status) in [(false, 201, "PENDING"), (true, 202, "QUEUED")] {
        let mut message = sms(&at);
        message["async"] = json!(is_async);

        let answer = owner.post("/messages/send", message).await;

        let sent = answer.data(code);
        assert_eq!((&sent["status"], &sent["isScheduled"]), (&json!(status), &json!(true)));
        assert_eq!((&sent["scheduledAt"], &sent["notBefore"]), (&json!(at), &json!(at)));
        let shown = owner.get(&path(sent)).await.data(200).clone();
        assert_eq!((&shown["status"], &shown["isScheduled"]), (&json!(status), &json!(true)));
        pass_time(&world, sent).await;
        let delivered = owner.message_that_is("DELIVERED", &sent["id"]).await;
        assert_eq!(delivered["isScheduled"], json!(false));
    }
    balance_is(&tenant, 10.0 - 0.07).await;
    tenant.assert_ledger_adds_up().await;
}

#[tokio::test]
async fn a_time_is_within_ninety_days_and_in_the_sandbox_within_six() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let (owner, key) = (tenant.owner(), tenant.api_key(json!({"name": "test"})).await);
    let week = ahead(TimeDelta::days(7));
    for at in [
        ahead(TimeDelta::seconds(30)),
        ahead(TimeDelta::days(91)),
        "2030-01-31T09:00:00".to_owned(),
    ] {
        let answer = owner.post("/messages/send", sms(&at)).await;
        let faults = &answer.fails(400, "VALIDATION_ERROR")["fieldErrors"];
        assert!(faults["scheduledAt"].is_array(), "{at}: {faults}");
    }
    owner.post("/messages/send", sms(&week)).await.data(201);
    let refused = key.post("/messages/send", sms(&week)).await;
    assert!(refused.fails(400, "VALIDATION_ERROR")["fieldErrors"]["scheduledAt"].is_array());
    let bulk = json!({"messages": [sms(&week)], "scheduledAt": ahead(TimeDelta::days(91))});
    let refused = owner.post("/messages/bulk", bulk).await;
    let faults = refused.fails(400, "VALIDATION_ERROR")["fieldErrors"].clone();
    assert_eq!(faults.as_object().unwrap().keys().collect::<Vec<_>>(), ["scheduledAt"]);
}

#[tokio::test]
async fn a_code_cannot_be_scheduled() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let owner = tenant.owner();
    let at = ahead(TimeDelta::days(1));
    let mut code = sms(&at);
    code["category"] = json!("OTP");
    let template = json!({
        "name": "Code", "channel": "SMS", "body": "Code {{code}}", "category": "OTP",
    });
    let template = owner.post("/templates", template).await.data(201)["id"].clone();
    let event = json!({"name": "Login", "slug": "login", "templateId": template});
    owner.post("/events", event).await.data(201);
    let trigger = json!({
        "event": "login", "to": "0241234567", "variables": {"code": "4711"}, "scheduledAt": at,
    });

    for (path, body, field) in [
        ("/messages/send", code.clone(), "scheduledAt"),
        ("/messages/bulk", json!({"messages": [code]}), "messages.0.scheduledAt"),
        ("/events/trigger", trigger, "scheduledAt"),
    ] {
        let refused = owner.post(path, body).await;
        let faults = refused.fails(400, "VALIDATION_ERROR")["fieldErrors"].clone();
        assert_eq!(faults.as_object().unwrap().keys().collect::<Vec<_>>(), [field], "{path}");
    }
    assert_eq!(tenant.count("delivery_logs").await, 0);
}

#[tokio::test]
async fn a_bulk_request_has_messages_for_now_and_for_later() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let owner = tenant.owner();
    let (soon, later) = (ahead(TimeDelta::days(1)), ahead(TimeDelta::days(2)));
    let now = json!({"channel": "SMS", "to": "0241234567", "body": "Akwaaba"});

    let mixed = json!({"messages": [sms(&later), now.clone(), sms(&soon)]});
    let mixed = owner.post("/messages/bulk", mixed).await.data(201).clone();
    let all = json!({"messages": [now, sms(&later)], "scheduledAt": soon});
    let all = owner.post("/messages/bulk", all).await.data(201).clone();

    let times = |messages: &Value| -> Vec<Value> {
        messages.as_array().unwrap().iter().map(|it| it["scheduledAt"].clone()).collect()
    };
    assert_eq!(times(&mixed), [json!(later), Value::Null, json!(soon)]);
    assert_eq!(times(&all), [json!(soon), json!(later)]);
    owner.message_that_is("DELIVERED", &mixed[1]["id"]).await;
    assert_eq!(tenant.count("scheduled_messages").await, 4);
    let export = owner.get("/delivery-logs/export").await;
    for (at, count) in [(&soon, 2), (&later, 2)] {
        let cells = format!(",{at},\r\n");
        assert_eq!(export.text.matches(cells.as_str()).count(), count, "{}", export.text);
    }
}

#[tokio::test]
async fn a_cancelled_message_is_refunded_once() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let owner = tenant.owner();
    let sent = owner.post("/messages/send", sms(&ahead(TimeDelta::days(1)))).await;
    let sent = sent.data(201).clone();

    let cancelled = cancel(&owner, &sent).await.data(200).clone();

    let outcome = json!([cancelled["status"], cancelled["errorCode"]]);
    assert_eq!(outcome, json!(["FAILED", "CANCELLED"]));
    assert_eq!((&cancelled["refunded"], &cancelled["isScheduled"]), (&json!(true), &json!(false)));
    assert_eq!(cancel(&owner, &sent).await.data(200), &cancelled, "once is enough");
    balance_is(&tenant, 10.0).await;
    until("it is refunded", async || tenant.refunds().await == 1).await;
    tenant.assert_ledger_adds_up().await;
    let stranger = world.tenant().await;
    cancel(&stranger.owner(), &sent).await.fails(404, "NOT_FOUND");
}

#[tokio::test]
async fn what_a_provider_has_is_neither_cancelled_nor_moved() {
    let world = World::shared().await;
    let owner = world.tenant().await.owner();
    let message = json!({"channel": "SMS", "to": "0241234567", "body": "Akwaaba"});
    let sent = owner.post("/messages/send", message).await.data(201).clone();

    cancel(&owner, &sent).await.fails(409, "MESSAGE_NOT_CANCELLABLE");
    let at = ahead(TimeDelta::days(1));
    reschedule(&owner, &sent, &at).await.fails(409, "MESSAGE_NOT_SCHEDULED");
}

#[tokio::test]
async fn a_scheduled_message_is_moved() {
    let world = World::shared().await;
    let owner = world.tenant().await.owner();
    let sent = owner.post("/messages/send", sms(&ahead(TimeDelta::days(1)))).await;
    let sent = sent.data(201).clone();
    let at = ahead(TimeDelta::days(3));

    let moved = reschedule(&owner, &sent, &at).await.data(200).clone();

    assert_eq!((&moved["scheduledAt"], &moved["notBefore"]), (&json!(at), &json!(at)));
    assert_eq!(owner.get(&path(&sent)).await.data(200)["scheduledAt"], json!(at));
    let refused = reschedule(&owner, &sent, &ahead(TimeDelta::days(91))).await;
    assert!(refused.fails(400, "VALIDATION_ERROR")["fieldErrors"]["scheduledAt"].is_array());
    pass_time(&world, &sent).await;
    owner.message_that_is("DELIVERED", &sent["id"]).await;
}

#[tokio::test]
async fn a_repeated_request_returns_its_scheduled_message() {
    let world = World::shared().await;
    let owner = world.tenant().await.owner();
    let mut message = sms(&ahead(TimeDelta::days(1)));
    message["idempotencyKey"] = json!("later");
    let first = owner.post("/messages/send", message.clone()).await.data(201).clone();

    let again = owner.post("/messages/send", message.clone()).await.data(201).clone();

    assert_eq!((&again["id"], &again["status"]), (&first["id"], &json!("PENDING")));
    message["scheduledAt"] = json!(ahead(TimeDelta::days(2)));
    owner.post("/messages/send", message).await.fails(422, "IDEMPOTENCY_KEY_REUSED");
}

#[tokio::test]
async fn a_cancelled_message_ends_its_trigger() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let owner = tenant.owner();
    let template = json!({"name": "Parcel", "channel": "SMS", "body": "It is here."});
    let template = owner.post("/templates", template).await.data(201).clone();
    let event = json!({
        "name": "Parcel", "slug": "parcel", "templateId": template["id"],
        "fallbackRules": {"channels": ["EMAIL"], "afterSeconds": 60},
    });
    owner.post("/events", event).await.data(201);
    let contact = json!({"phone": "0241234567", "email": "ama@example.com"});
    let contact = owner.post("/contacts", contact).await.data(201)["id"].clone();
    let at = ahead(TimeDelta::days(1));
    let trigger = json!({"event": "parcel", "contactId": contact, "scheduledAt": at});

    let sent = owner.post("/events/trigger", trigger).await.data(201).clone();

    assert_eq!((&sent["status"], &sent["scheduledAt"]), (&json!("PENDING"), &json!(at)));
    let waits = format!(
        "SELECT count(*) FROM triggers WHERE organization_id = '{}' AND ended_at IS NULL \
            AND due_at > now() + interval '23 hours' AND expires_at > now() + interval '14 days'",
        tenant.id
    );
    assert_eq!(world.value(&waits).await, 1, "its waits count from its time");
    cancel(&owner, &sent).await.data(200);
    let ended = format!(
        "SELECT count(*) FROM triggers WHERE organization_id = '{}' AND ended_at IS NOT NULL",
        tenant.id
    );
    assert_eq!(world.value(&ended).await, 1);
    assert_eq!(tenant.count("delivery_logs").await, 1);
}

#[tokio::test]
async fn a_template_that_is_withdrawn_meanwhile_stops_the_message() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let owner = tenant.owner();
    let template = json!({"name": "Due", "channel": "SMS", "body": "It is due."});
    let template = owner.post("/templates", template).await.data(201).clone();
    let at = ahead(TimeDelta::days(1));
    let message = json!({
        "channel": "SMS", "to": "0241234567", "templateId": template["id"], "scheduledAt": at,
    });
    let sent = owner.post("/messages/send", message).await.data(201).clone();
    let id = template["id"].as_str().unwrap();
    world.sql(&format!("UPDATE templates SET status = 'REJECTED' WHERE id = '{id}'")).await;

    pass_time(&world, &sent).await;

    let failed = owner.message_that_is("FAILED", &sent["id"]).await;
    assert_eq!(
        (&failed["errorCode"], &failed["refunded"]),
        (&json!("BLOCKED_CONTENT"), &json!(true))
    );
    balance_is(&tenant, 10.0).await;
}

#[tokio::test]
async fn a_template_that_is_deleted_meanwhile_does_not_stop_the_message() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let owner = tenant.owner();
    let template = json!({"name": "Due", "channel": "SMS", "body": "It is due."});
    let template = owner.post("/templates", template).await.data(201).clone();
    let message = json!({
        "channel": "SMS", "to": "0241234567", "templateId": template["id"],
        "scheduledAt": ahead(TimeDelta::days(1)),
    });
    let sent = owner.post("/messages/send", message).await.data(201).clone();
    let id = template["id"].as_str().unwrap();
    let deleted = owner.call(Method::DELETE, &format!("/templates/{id}"), None).await;
    assert_eq!(deleted.status, 204, "{}", deleted.text);

    pass_time(&world, &sent).await;

    let delivered = owner.message_that_is("DELIVERED", &sent["id"]).await;
    assert_eq!(delivered["body"], "It is due.");
}
