//! Callbacks of vendors: reports on messages, and texts of recipients.

use std::time::Duration;

use acceptance::{Tenant, until};
use serde_json::{Value, json};

use crate::providers::vendor::{Installation, SECRET, Vendor, provider, sms, token};

const KEPT: &str = "SELECT count(*) FROM unmatched_reports";

async fn one(kind: &str) -> (Vendor, Installation) {
    let vendor = Vendor::start().await;
    let service = Installation::start(&[provider("only", kind, &vendor.url(), 1)]).await;
    (vendor, service)
}

/// Sends a message that a provider accepts, and returns its identifier and the vendor's.
async fn sent(tenant: &Tenant<'_>, message: Value) -> (Value, String) {
    let answer = tenant.owner().post("/messages/send", message).await;
    let sent = answer.data(201);
    assert_eq!(sent["status"], "SENT", "{sent}");
    let reference = sent["attempts"][0]["providerMessageId"].as_str().unwrap();
    (sent["id"].clone(), reference.to_owned())
}

/// Sends a message and returns the answer, with any outcome.
async fn send(tenant: &Tenant<'_>, message: Value) -> Value {
    tenant.owner().post("/messages/send", message).await.data(201).clone()
}

async fn message(tenant: &Tenant<'_>, id: &Value) -> Value {
    let answer = tenant.owner().get(&format!("/messages/{}", id.as_str().unwrap())).await;
    answer.data(200).clone()
}

#[tokio::test]
async fn a_report_needs_the_right_token() {
    let (_vendor, service) = one("africas-talking").await;
    let tenant = service.world.tenant().await;
    let (id, reference) = sent(&tenant, sms()).await;
    let form = [("id", reference.as_str()), ("status", "Success")];

    for wrong in ["", "0123456789abcdef0123456789abcdef", &token("other")] {
        let answer = service.call_back("only", wrong, &form).await;
        answer.fails(401, "INVALID_SIGNATURE");
    }
    assert_eq!(message(&tenant, &id).await["status"], "SENT");

    let answer = service.call_back("only", &token("only"), &form).await;

    assert_eq!(answer.data(200)["received"], true);
    let delivered = message(&tenant, &id).await;
    assert_eq!(delivered["status"], "DELIVERED");
    assert!(delivered["deliveredAt"].is_string());
}

#[tokio::test]
async fn a_signed_report_needs_the_right_signature() {
    let (_vendor, service) = one("twilio").await;
    let tenant = service.world.tenant().await;
    let (id, reference) = sent(&tenant, sms()).await;
    let form = [("MessageSid", reference.as_str()), ("MessageStatus", "delivered")];

    let answer = service.call_back_as_twilio("only", "another secret", &form).await;
    answer.fails(401, "INVALID_SIGNATURE");
    let unsigned = format!("{}/callbacks/providers/only", service.world.url);
    let answer = service.world.send(service.world.http.post(unsigned).form(&form)).await;
    answer.fails(401, "INVALID_SIGNATURE");
    assert_eq!(message(&tenant, &id).await["status"], "SENT");

    let answer = service.call_back_as_twilio("only", SECRET, &form).await;

    assert_eq!(answer.status, 200, "{}", answer.text);
    assert_eq!(message(&tenant, &id).await["status"], "DELIVERED");
}

#[tokio::test]
async fn an_unknown_provider_is_not_found() {
    let (_vendor, service) = one("africas-talking").await;
    for unknown in ["nobody", "sandbox"] {
        let answer = service.call_back(unknown, &token(unknown), &[("id", "1")]).await;
        answer.fails(404, "NOT_FOUND");
    }
    let url = format!("{}/callbacks/providers/simulated-email", service.world.url);
    service.world.send(service.world.http.post(url)).await.fails(404, "NOT_FOUND");
}

/// Statuses in the reports of a message, in every order.
const ORDERS: [[&str; 3]; 6] = [
    ["Sent", "Success", "Failed"],
    ["Success", "Sent", "Failed"],
    ["Success", "Failed", "Sent"],
    ["Sent", "Failed", "Success"],
    ["Failed", "Sent", "Success"],
    ["Failed", "Success", "Sent"],
];

#[tokio::test]
async fn the_first_final_report_wins_in_any_order() {
    let (_vendor, service) = one("africas-talking").await;
    let mut outcomes = Vec::new();
    for order in ORDERS {
        let tenant = service.world.tenant().await;
        let (id, reference) = sent(&tenant, sms()).await;
        for status in order {
            // Each report arrives twice.
            for _ in 0..2 {
                service.report("only", &reference, status).await.data(200);
            }
        }
        let last = message(&tenant, &id).await;
        for status in order {
            service.report("only", &reference, status).await.data(200);
        }

        assert_eq!(message(&tenant, &id).await, last, "{order:?}: repeated ones change nothing");
        let first_final = order.iter().find(|status| **status != "Sent").unwrap();
        let (status, balance) = match *first_final {
            "Success" => ("DELIVERED", 9.965),
            _ => ("FAILED", 10.0),
        };
        assert_eq!(last["status"], status, "{order:?}");
        assert!((tenant.balance().await - balance).abs() < 1e-9, "{order:?}");
        tenant.assert_ledger_adds_up().await;
        outcomes.push((status, without_its_own(last)));
    }
    for (status, outcome) in &outcomes {
        let same = outcomes.iter().filter(|(other, _)| other == status);
        assert!(same.clone().count() == 3 && same.clone().all(|(_, other)| other == outcome));
    }
    assert_eq!(service.world.value(KEPT).await, 0);
}

/// Returns a message without the fields that are unique to it.
fn without_its_own(mut message: Value) -> Value {
    let fields = message.as_object_mut().unwrap();
    for own in ["id", "internalMessageId", "createdAt", "expiresAt", "sentAt", "timeline"] {
        fields.remove(own);
    }
    if let Some(at) = fields.get_mut("deliveredAt") {
        *at = json!(at.is_string());
    }
    for attempt in fields["attempts"].as_array_mut().unwrap() {
        let attempt = attempt.as_object_mut().unwrap();
        for own in ["startedAt", "endedAt", "providerMessageId"] {
            attempt.remove(own);
        }
    }
    message
}

#[tokio::test]
async fn an_early_report_is_kept_and_matched_later() {
    let (_vendor, service) = one("africas-talking").await;
    let tenant = service.world.tenant().await;

    service.report("only", "ATXid_1", "Success").await.data(200);
    service.report("only", "of-nobody", "Success").await.data(200);
    assert_eq!(service.world.value(KEPT).await, 2);

    let answer = tenant.owner().post("/messages/send", sms()).await;
    let id = answer.data(201)["id"].clone();
    assert_eq!(answer.data(201)["attempts"][0]["providerMessageId"], "ATXid_1");
    tenant.owner().message_that_is("DELIVERED", &id).await;
    until("the matched report is gone", async || service.world.value(KEPT).await == 1).await;
    let theirs = format!("{KEPT} WHERE reference = 'of-nobody'");
    assert_eq!(service.world.value(&theirs).await, 1);
}

#[tokio::test]
async fn a_provider_cannot_report_on_the_message_of_another() {
    let vendor = Vendor::start().await;
    let url = vendor.url();
    let service = Installation::start(&[
        provider("first", "africas-talking", &url, 1),
        provider("second", "africas-talking", &url, 2),
        provider("third", "twilio", &url, 3),
    ])
    .await;
    let tenant = service.world.tenant().await;
    let (id, reference) = sent(&tenant, sms()).await;

    service.report("second", &reference, "Failed").await.data(200);
    let path = format!("third?message={}", id.as_str().unwrap());
    let form = [("MessageSid", reference.as_str()), ("MessageStatus", "failed")];
    let answer = service.call_back_as_twilio(&path, SECRET, &form).await;
    assert_eq!(answer.status, 200, "{}", answer.text);

    tokio::time::sleep(Duration::from_millis(1_500)).await;
    assert_eq!(message(&tenant, &id).await["status"], "SENT");
    assert_eq!(service.world.value(KEPT).await, 1, "of those by our own name none is kept");
    service.report("first", &reference, "Success").await.data(200);
    assert_eq!(message(&tenant, &id).await["status"], "DELIVERED");
}

#[tokio::test]
async fn a_stop_suppresses_its_sender_on_that_channel() {
    let (vendor, service) = one("africas-talking").await;
    let (own, other) = (service.world.tenant().await, service.world.tenant().await);
    let receive_text = |text| service.text("only", "+233241234567", text);
    assert_eq!(send(&own, sms()).await["status"], "SENT");

    receive_text("please stop by").await.data(200);
    assert_eq!(send(&own, sms()).await["status"], "SENT");

    for stop in ["Stop!", "UNSUBSCRIBE"] {
        receive_text(stop).await.data(200);
        let balance = own.balance().await;
        let refused = send(&own, sms()).await;
        assert_eq!(refused["status"], "FAILED");
        assert_eq!(refused["errorCode"], "RECIPIENT_SUPPRESSED");
        assert!((own.balance().await - balance).abs() < 1e-9);
        receive_text("start").await.data(200);
        assert_eq!(send(&own, sms()).await["status"], "SENT");
    }

    receive_text("STOP").await.data(200);
    let elsewhere = json!({"channel": "WHATSAPP", "to": "0241234567", "body": "Akwaaba"});
    assert_ne!(send(&own, elsewhere).await["status"], "FAILED", "another channel");
    let another = json!({"channel": "SMS", "to": "0241234568", "body": "Akwaaba"});
    assert_eq!(send(&own, another).await["status"], "SENT", "another recipient");
    let calls = vendor.calls();
    assert_eq!(send(&own, sms()).await["status"], "FAILED");
    assert_eq!(vendor.calls(), calls);
    assert_eq!(send(&other, sms()).await["status"], "SENT", "another organization");
    own.assert_ledger_adds_up().await;
}

#[tokio::test]
async fn a_whatsapp_text_needs_an_open_messaging_window() {
    let (vendor, service) = one("twilio-whatsapp").await;
    let tenant = service.world.tenant().await;
    let text = json!({"channel": "WHATSAPP", "to": "0241234567", "body": "Akwaaba"});

    let answer = tenant.owner().post("/messages/send", text.clone()).await;

    let failed = answer.data(201);
    assert_eq!(failed["status"], "FAILED");
    assert_eq!(failed["errorCode"], "SESSION_WINDOW_CLOSED");
    assert_eq!(vendor.calls(), 0, "the vendor is not asked");
    assert!((tenant.balance().await - 10.0).abs() < 1e-9, "it is refunded");

    let written = |from| [("MessageSid", "SM9"), ("From", from), ("Body", "Hello")];
    let stranger = written("whatsapp:+233241234568");
    service.call_back_as_twilio("only", SECRET, &stranger).await;
    let answer = tenant.owner().post("/messages/send", text.clone()).await;
    assert_eq!(answer.data(201)["status"], "FAILED");

    let recipient = written("whatsapp:+233241234567");
    let answer = service.call_back_as_twilio("only", SECRET, &recipient).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    sent(&tenant, text.clone()).await;
    assert_eq!(vendor.calls(), 1);

    let day = "UPDATE messaging_windows SET heard_at = heard_at - interval '24 hours'";
    service.world.sql(day).await;
    let answer = tenant.owner().post("/messages/send", text).await;
    assert_eq!(answer.data(201)["errorCode"], "SESSION_WINDOW_CLOSED");
    assert_eq!(vendor.calls(), 1);
}

#[tokio::test]
async fn a_signed_whatsapp_webhook_opens_windows_and_reports() {
    let (vendor, service) = one("whatsapp-cloud").await;
    let tenant = service.world.tenant().await;
    let handshake = async |token: &str| {
        let query = format!("hub.mode=subscribe&hub.challenge=1158201444&hub.verify_token={token}");
        service.world.get(&format!("/callbacks/providers/only?{query}")).await
    };
    handshake("guessed").await.fails(401, "INVALID_SIGNATURE");
    assert_eq!(handshake(SECRET).await.text, "1158201444");

    let webhook = |value: Value| json!({"entry": [{"changes": [{"value": value}]}]});
    let hello = json!({"from": "233241234567", "type": "text", "text": {"body": "Hello"}});
    let written = webhook(json!({"messages": [hello]}));
    let text = json!({"channel": "WHATSAPP", "to": "0241234567", "body": "Akwaaba"});
    let answer = service.call_back_as_meta("only", "guessed", &written).await;
    answer.fails(401, "INVALID_SIGNATURE");
    assert_eq!(send(&tenant, text.clone()).await["errorCode"], "SESSION_WINDOW_CLOSED");
    assert_eq!(vendor.calls(), 0);

    service.call_back_as_meta("only", SECRET, &written).await.data(200);
    let (id, reference) = sent(&tenant, text).await;
    let read = webhook(json!({"statuses": [{"id": reference, "status": "read"}]}));
    service.call_back_as_meta("only", "guessed", &read).await.fails(401, "INVALID_SIGNATURE");
    assert_eq!(message(&tenant, &id).await["status"], "SENT");
    service.call_back_as_meta("only", SECRET, &read).await.data(200);
    assert_eq!(message(&tenant, &id).await["status"], "DELIVERED");
}

#[tokio::test]
async fn numbers_of_one_meta_application_share_a_callback_address() {
    let vendor = Vendor::start().await;
    let service = Installation::start(&[
        provider("sending", "whatsapp-cloud", &vendor.url(), 1),
        provider("called", "whatsapp-cloud", &vendor.url(), 2),
    ])
    .await;
    let tenant = service.world.tenant().await;
    let of = |number: &str, mut value: Value| {
        value["metadata"] = json!({"phone_number_id": number});
        json!({"entry": [{"changes": [{"value": value}]}]})
    };
    let hello = json!({"from": "233241234567", "type": "text", "text": {"body": "Hello"}});
    let written = of("1", json!({"messages": [hello]}));
    service.call_back_as_meta("called", SECRET, &written).await.data(200);

    let text = json!({"channel": "WHATSAPP", "to": "0241234567", "body": "Akwaaba"});
    let (id, reference) = sent(&tenant, text).await;
    let read = |number| of(number, json!({"statuses": [{"id": reference, "status": "read"}]}));
    service.call_back_as_meta("called", SECRET, &read("2")).await.data(200);
    assert_eq!(message(&tenant, &id).await["status"], "SENT", "of another number");
    service.call_back_as_meta("called", SECRET, &read("1")).await.data(200);
    assert_eq!(message(&tenant, &id).await["status"], "DELIVERED");
}
