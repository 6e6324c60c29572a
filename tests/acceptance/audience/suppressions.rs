//! Suppression lists, as organizations see and change them.

use acceptance::{Caller, Tenant, World};
use reqwest::Method;
use serde_json::{Value, json};

const LIST: &str = "/compliance/suppression";
const UNKNOWN: &str = "/compliance/suppression/01a1fe23-0000-7000-8000-00000000000f";

async fn suppress(tenant: &Tenant<'_>, entry: Value) -> Value {
    tenant.owner().post(LIST, entry).await.data(201).clone()
}

async fn delete(caller: &Caller, entry: &Value) -> u16 {
    let path = format!("{LIST}/{}", entry["id"].as_str().unwrap());
    caller.call(Method::DELETE, &path, None).await.status
}

/// Sends a message and returns its status and its error code.
async fn outcome(tenant: &Tenant<'_>, channel: &str, to: &str, category: &str) -> (Value, Value) {
    let message = json!({"channel": channel, "to": to, "body": "Akwaaba", "category": category});
    let message = tenant.owner().post("/messages/send", message).await.data(201).clone();
    (message["status"].clone(), message["errorCode"].clone())
}

fn suppressed() -> (Value, Value) {
    (json!("FAILED"), json!("RECIPIENT_SUPPRESSED"))
}

#[tokio::test]
async fn an_entry_without_a_channel_applies_to_every_channel() {
    let world = World::shared().await;
    let (own, other) = (world.tenant().await, world.tenant().await);

    let entry = suppress(&own, json!({"phone": "0241234567", "reason": " moved "})).await;

    assert_eq!(
        entry,
        json!({
            "id": entry["id"], "phone": "+233241234567", "email": null, "channel": null,
            "category": null, "reason": "moved", "source": "MANUAL",
            "createdAt": entry["createdAt"],
        })
    );
    for channel in ["SMS", "WHATSAPP", "VOICE"] {
        let found = outcome(&own, channel, "+233 24 123 4567", "OTP").await;
        assert_eq!(found, suppressed(), "{channel}");
        assert_ne!(outcome(&own, channel, "0241234568", "OTP").await, suppressed());
        assert_ne!(outcome(&other, channel, "0241234567", "OTP").await, suppressed());
    }
    assert_eq!(delete(&other.owner(), &entry).await, 404);
    assert_eq!(delete(&own.owner(), &entry).await, 200);
    assert_eq!(delete(&own.owner(), &entry).await, 404);
    assert_ne!(outcome(&own, "SMS", "0241234567", "OTP").await, suppressed());
}

#[tokio::test]
async fn an_entry_may_cover_one_channel_or_one_category() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    suppress(&tenant, json!({"phone": "0241234567", "channel": "SMS"})).await;
    suppress(&tenant, json!({"email": "ama@example.com", "category": "MARKETING"})).await;

    for (channel, to, category, is_suppressed) in [
        ("SMS", "0241234567", "OTP", true),
        ("VOICE", "0241234567", "OTP", false),
        ("EMAIL", "Ama@Example.com", "MARKETING", true),
        ("EMAIL", "ama@example.com", "OTP", false),
    ] {
        let found = outcome(&tenant, channel, to, category).await;
        assert_eq!(found == suppressed(), is_suppressed, "{channel} {to} {category}: {found:?}");
    }
}

#[tokio::test]
async fn a_device_is_suppressed_with_its_contacts_phone_or_email() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    for contact in [
        json!({"phone": "0241234567", "fcmToken": "device-of-ama"}),
        json!({"email": "Kofi@example.com", "fcmToken": "device-of-kofi"}),
        json!({"phone": "0201112223", "fcmToken": "device-of-yaw"}),
    ] {
        tenant.owner().post("/contacts", contact).await.data(201);
    }
    suppress(&tenant, json!({"phone": "0241234567", "channel": "PUSH"})).await;
    suppress(&tenant, json!({"email": "kofi@EXAMPLE.com", "category": "MARKETING"})).await;
    suppress(&tenant, json!({"phone": "0201112223", "channel": "SMS"})).await;

    for (channel, to, category, is_suppressed) in [
        ("PUSH", "device-of-ama", "OTP", true),
        ("SMS", "0241234567", "OTP", false),
        ("PUSH", "device-of-kofi", "MARKETING", true),
        ("PUSH", "device-of-kofi", "ALERT", false),
        ("PUSH", "device-of-yaw", "MARKETING", false),
    ] {
        let found = outcome(&tenant, channel, to, category).await;
        assert_eq!(found == suppressed(), is_suppressed, "{channel} {to} {category}: {found:?}");
    }
}

#[tokio::test]
async fn an_address_is_suppressed_with_its_contacts_other_address() {
    let world = World::shared().await;
    let (own, other) = (world.tenant().await, world.tenant().await);
    for tenant in [&own, &other] {
        let ama = json!({"phone": "0241234567", "email": "Ama@example.com"});
        tenant.owner().post("/contacts", ama).await.data(201);
        let kofi = json!({"phone": "0201112223", "email": "kofi@example.com"});
        tenant.owner().post("/contacts", kofi).await.data(201);
    }
    let mails = suppress(&own, json!({"phone": "0241234567", "channel": "EMAIL"})).await;
    suppress(&own, json!({"email": "Kofi@EXAMPLE.com", "channel": "SMS", "category": "OTP"})).await;

    for (channel, to, category, is_suppressed) in [
        ("EMAIL", "Ama@Example.com", "OTP", true),
        ("SMS", "0241234567", "OTP", false),
        ("SMS", "0201112223", "OTP", true),
        ("SMS", "0201112223", "ALERT", false),
        ("VOICE", "0201112223", "OTP", false),
        ("EMAIL", "kofi@example.com", "OTP", false),
    ] {
        let found = outcome(&own, channel, to, category).await;
        assert_eq!(found == suppressed(), is_suppressed, "{channel} {to} {category}: {found:?}");
        assert_ne!(outcome(&other, channel, to, category).await, suppressed(), "{channel} {to}");
    }
    assert_eq!(delete(&own.owner(), &mails).await, 200);
    assert_ne!(outcome(&own, "EMAIL", "ama@example.com", "OTP").await, suppressed());
}

#[tokio::test]
async fn the_list_is_paginated_newest_first_and_searchable() {
    let world = World::shared().await;
    let (own, other) = (world.tenant().await, world.tenant().await);
    let mut entries = Vec::new();
    for entry in [
        json!({"phone": "0241234567", "reason": "100% sure"}),
        json!({"email": "Ama@example.com"}),
        json!({"phone": "0201112223", "email": "kofi@example.com"}),
    ] {
        entries.insert(0, suppress(&own, entry).await);
    }
    suppress(&other, json!({"email": "ama@example.com"})).await;
    let again = suppress(&own, json!({"email": "ama@EXAMPLE.com"})).await;
    assert_eq!(again["id"], entries[1]["id"], "the list has it already");

    for (query, expected, total) in [
        ("", &entries[..], 3),
        ("?limit=2", &entries[..2], 3),
        ("?limit=2&page=2", &entries[2..], 3),
        ("?search=AMA@", &entries[1..2], 1),
        ("?search=%2B23320", &entries[..1], 1),
        ("?search=020-111%202223", &entries[..1], 1),
        ("?search=0%25", &entries[2..], 1),
        ("?search=_", &[], 0),
    ] {
        let answer = own.owner().get(&format!("{LIST}{query}")).await;
        assert_eq!(answer.data(200), &json!(expected), "{query}");
        assert_eq!(answer.body["pagination"]["total"], total, "{query}");
    }
    assert_eq!(delete(&own.owner(), &entries[0]).await, 200);
    assert_eq!(own.owner().get(LIST).await.body["pagination"]["total"], 2);
}

#[tokio::test]
async fn rejects_an_invalid_entry_and_an_unknown_identifier() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    for entry in [
        json!({}),
        json!({"phone": "12"}),
        json!({"email": "nobody"}),
        json!({"channel": "EMAIL"}),
        json!({"channel": "PUSH"}),
        json!({"phone": "12", "channel": "EMAIL"}),
        json!({"phone": "0241234567", "source": "STOP"}),
    ] {
        tenant.owner().post(LIST, entry.clone()).await.fails(400, "VALIDATION_ERROR");
    }
    for path in [UNKNOWN, "/compliance/suppression/1"] {
        tenant.owner().call(Method::DELETE, path, None).await.fails(404, "NOT_FOUND");
    }
    tenant.owner().get(&format!("{LIST}?search=%00")).await.fails(400, "VALIDATION_ERROR");
}
