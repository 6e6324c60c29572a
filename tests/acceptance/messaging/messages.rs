//! Messages, from sending to their final status.

use acceptance::{Answer, World, unique_id};
use serde_json::{Value, json};

use crate::shared::settings::PRODUCTION;

fn sms(to: &str) -> Value {
    json!({"channel": "SMS", "to": to, "body": "Akwaaba"})
}

fn in_background(mut message: Value) -> Value {
    message["async"] = json!(true);
    message
}

#[tokio::test]
async fn a_message_of_every_channel_is_delivered_and_paid_for() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let caller = tenant.owner();
    let mut cost = 0.0;
    for (channel, to) in [
        ("SMS", "0241234567"),
        ("WHATSAPP", "+233241234567"),
        ("EMAIL", "kofi@example.com"),
        ("PUSH", "device-token-1"),
        ("VOICE", "0302123456"),
    ] {
        let message = json!({"channel": channel, "to": to, "body": "Akwaaba"});
        let answer = caller.post("/messages/send", message).await;
        let sent = answer.data(201);
        assert_eq!((&sent["channel"], &sent["status"]), (&json!(channel), &json!("SENT")));
        cost += sent["cost"].as_f64().unwrap();

        let delivered = caller.message_that_is("DELIVERED", &sent["id"]).await;
        assert!(delivered["deliveredAt"].is_string());
        assert_eq!(delivered["attempts"].as_array().unwrap().len(), 1);
    }

    assert!((tenant.balance().await - (10.0 - cost)).abs() < 1e-9);
    tenant.assert_ledger_adds_up().await;
}

#[tokio::test]
async fn an_asynchronous_message_is_queued_and_then_delivered() {
    let world = World::shared().await;
    let key = world.tenant().await.live_key().await;

    let answer = key.post("/messages/send", in_background(sms("024 123 4567"))).await;

    let queued = answer.data(202);
    assert_eq!(queued["status"], "QUEUED");
    assert_eq!(queued["recipient"], "+233241234567");
    assert_eq!(queued["cost"], 0.035);
    let delivered = key.message_that_is("DELIVERED", &queued["id"]).await;
    assert_eq!(delivered["provider"], "simulated-sms");
}

#[tokio::test]
async fn its_organization_finds_a_message_by_either_identifier() {
    let world = World::shared().await;
    let (own, other) = (world.tenant().await, world.tenant().await);
    let answer = own.owner().post("/messages/send", sms("0241234567")).await;
    let sent = answer.data(201);
    let path = |field: &str| format!("/messages/{}", sent[field].as_str().unwrap());

    for path in [path("id"), path("internalMessageId")] {
        assert_eq!(own.owner().get(&path).await.data(200)["id"], sent["id"]);
        other.owner().get(&path).await.fails(404, "NOT_FOUND");
    }
}

#[tokio::test]
async fn every_segment_of_a_text_is_paid_for() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    for (body, segments) in [("a".repeat(161), 2), ("ɛ".repeat(71), 2), ("€".repeat(80), 1)] {
        let message = json!({"channel": "SMS", "to": "0241234567", "body": body});
        let answer = tenant.owner().post("/messages/send", message).await;
        let sent = answer.data(201);
        assert_eq!(sent["segments"], segments);
        let cost = sent["cost"].as_f64().unwrap();
        assert!((cost - 0.035 * f64::from(segments)).abs() < 1e-9);
    }
}

#[tokio::test]
async fn sandbox_messages_simulate_every_outcome_for_free() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let key = tenant.api_key(json!({"name": "test"})).await;
    for (to, status) in
        [("0240000000", "FAILED"), ("0240000001", "SENT"), ("0241234567", "DELIVERED")]
    {
        let answer = key.post("/messages/send", in_background(sms(to))).await;
        let queued = answer.data(202);
        assert_eq!((&queued["isSandbox"], &queued["cost"]), (&json!(true), &json!(0.0)));
        let message = key.message_that_is(status, &queued["id"]).await;
        assert_eq!(message["provider"], "sandbox");
    }
    assert!((tenant.balance().await - 10.0).abs() < 1e-9);
}

#[tokio::test]
async fn a_permanent_failure_is_refunded_once() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let answer = tenant.owner().post("/messages/send", sms("0240000000")).await;
    let failed = tenant.owner().message_that_is("FAILED", &answer.data(201)["id"]).await;

    assert_eq!(failed["errorCode"], "UNDELIVERED");
    assert_eq!((&failed["refunded"], &failed["cost"]), (&json!(true), &json!(0.035)));
    assert!((tenant.balance().await - 10.0).abs() < 1e-9);
    tenant.assert_ledger_adds_up().await;
    assert_eq!(tenant.refunds().await, 1);
}

#[tokio::test]
async fn a_suppressed_recipient_fails_free_of_charge() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    world
        .sql(&format!(
            "INSERT INTO suppressions (id, organization_id, phone, channel, created_at) VALUES \
             (gen_random_uuid(), '{}', '+233241234567', 'SMS', now())",
            tenant.id
        ))
        .await;

    let answer = tenant.owner().post("/messages/send", sms("0241234567")).await;

    let failed = answer.data(201);
    assert_eq!(failed["status"], "FAILED");
    assert_eq!(failed["errorCode"], "RECIPIENT_SUPPRESSED");
    assert_eq!(failed["cost"], 0.0);
    let message = json!({"channel": "WHATSAPP", "to": "0241234567", "body": "Akwaaba"});
    assert_eq!(tenant.owner().post("/messages/send", message).await.data(201)["status"], "SENT");
}

#[tokio::test]
async fn a_recipient_without_a_provider_fails_free_of_charge() {
    let world = World::shared_with(PRODUCTION).await;
    let tenant = world.tenant().await;

    let answer = tenant.owner().post("/messages/send", in_background(sms("0241234567"))).await;

    assert_eq!(answer.data(202)["status"], "QUEUED");
    let failed = tenant.owner().message_that_is("FAILED", &answer.data(202)["id"]).await;
    assert_eq!((&failed["errorCode"], &failed["cost"]), (&json!("NO_ROUTE"), &json!(0.0)));
    assert!(tenant.balance().await.abs() < 1e-9);
}

#[tokio::test]
async fn an_approved_template_supplies_the_text() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let (approved, pending) = (unique_id(), unique_id());
    for (id, status) in [(&approved, "APPROVED"), (&pending, "PENDING_APPROVAL")] {
        world
            .sql(&format!(
                "INSERT INTO templates (id, organization_id, name, channel, category, body, status, \
                 created_at) VALUES ('{id}', '{}', 'code', 'SMS', 'OTP', 'Your code is {{{{code}}}}', \
                 '{status}', now())",
                tenant.id
            ))
            .await;
    }
    let message = |template: &str, variables: Value| json!({"channel": "SMS", "to": "0241234567", "templateId": template, "variables": variables});
    let send =
        async |message: Value| -> Answer { tenant.owner().post("/messages/send", message).await };

    let answer = send(message(&approved, json!({"code": "4711"}))).await;
    assert_eq!(answer.data(201)["body"], "Your code is 4711");
    assert_eq!(answer.data(201)["category"], "OTP");
    assert_eq!(answer.data(201)["templateId"], approved.as_str());

    let answer = send(message(&approved, json!({}))).await;
    let details = answer.fails(400, "VALIDATION_ERROR");
    assert!(details["fieldErrors"]["variables"][0].as_str().unwrap().contains("{{code}}"));

    send(message(&pending, json!({"code": "1"}))).await.fails(409, "TEMPLATE_NOT_APPROVED");
    let unknown = "01a1fe23-0000-7000-8000-00000000000f";
    let answer = send(message(unknown, json!({}))).await;
    assert_eq!(answer.fails(404, "TEMPLATE_NOT_FOUND")["templateId"], unknown);
    assert!(answer.text.contains(&format!("template {unknown} not found")), "{}", answer.text);

    let answer = send(message("welcome", json!({}))).await;
    let details = answer.fails(400, "VALIDATION_ERROR");
    let fields: Vec<_> = details["fieldErrors"].as_object().unwrap().keys().collect();
    assert_eq!(fields, ["templateId"], "the template would have given the text");
}

#[tokio::test]
async fn a_bulk_request_keeps_its_order_and_fails_as_a_whole() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let recipients: Vec<String> = (0..100).map(|number| format!("02412345{number:02}")).collect();
    let mut messages: Vec<Value> = recipients.iter().map(|to| sms(to)).collect();

    let bulk = json!({"messages": messages, "async": true});
    let answer = tenant.owner().post("/messages/bulk", bulk).await;
    let accepted = answer.data(202).as_array().unwrap();
    for (message, to) in accepted.iter().zip(&recipients) {
        assert_eq!(message["recipient"], format!("+233{}", &to[1..]));
        assert_eq!(message["status"], "QUEUED");
    }
    for message in accepted {
        tenant.owner().message_that_is("DELIVERED", &message["id"]).await;
    }
    let balance = tenant.balance().await;

    messages[7]["to"] = json!("nobody");
    let answer = tenant.owner().post("/messages/bulk", json!({"messages": messages})).await;
    let details = answer.fails(400, "VALIDATION_ERROR");
    assert!(details["fieldErrors"]["messages.7.to"].is_array());
    assert!((tenant.balance().await - balance).abs() < 1e-9);
    assert_eq!(tenant.count("delivery_logs").await, 100);
}

#[tokio::test]
async fn a_bulk_request_holds_one_to_a_hundred_messages() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    for count in [0, 101] {
        let messages = vec![sms("0241234567"); count];
        let answer = tenant.owner().post("/messages/bulk", json!({"messages": messages})).await;
        let details = answer.fails(400, "VALIDATION_ERROR");
        assert!(details["fieldErrors"]["messages"].is_array());
    }
}

#[tokio::test]
async fn a_synchronous_bulk_request_returns_the_outcomes() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let messages = [sms("0241234567"), sms("0241234568")];
    let answer = tenant.owner().post("/messages/bulk", json!({"messages": messages})).await;
    for message in answer.data(201).as_array().unwrap() {
        assert_eq!(message["status"], "SENT");
    }
}
