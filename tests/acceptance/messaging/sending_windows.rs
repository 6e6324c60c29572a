//! Quiet hours: the messages that wait for their end, and their administration.

use acceptance::{Answer, Caller, World, time, until};
use app::clock::SystemClock;
use chrono::{DateTime, TimeDelta, Timelike, Utc};
use ports::shared::clock::Clock;
use reqwest::Method;
use serde_json::{Value, json};

const DAYS: [&str; 7] =
    ["MONDAY", "TUESDAY", "WEDNESDAY", "THURSDAY", "FRIDAY", "SATURDAY", "SUNDAY"];

/// Returns a window that opens for an hour every day, next in two hours, and that time.
fn later() -> (Value, DateTime<Utc>) {
    let opens = SystemClock.now() + TimeDelta::hours(2);
    let opens = opens.with_second(0).unwrap().with_nanosecond(0).unwrap();
    let time = |at: DateTime<Utc>| at.format("%H:%M").to_string();
    let window = json!({
        "countryCode": "GH", "category": "MARKETING", "weekdays": DAYS, "opens": time(opens),
        "closes": time(opens + TimeDelta::hours(1)), "source": "the regulator", "isActive": true,
    });
    (window, opens)
}

fn message(to: &str, category: &str) -> Value {
    json!({"channel": "SMS", "to": to, "body": "Akwaaba", "category": category})
}

async fn send(caller: &Caller, to: &str, category: &str) -> Value {
    caller.post("/messages/send", message(to, category)).await.data(201).clone()
}

async fn patch(admin: &Caller, id: &str, changes: Value) -> Answer {
    admin.call(Method::PATCH, &format!("/admin/sending-windows/{id}"), Some(changes)).await
}

/// Asserts that the message waits for that time, and is valid for a day from then.
#[track_caller]
fn assert_put_off(message: &Value, opening: DateTime<Utc>) {
    assert_eq!((&message["status"], &message["refunded"]), (&json!("QUEUED"), &json!(false)));
    assert_eq!(time(&message["notBefore"]), opening);
    assert_eq!(time(&message["expiresAt"]), opening + TimeDelta::hours(24));
}

#[tokio::test]
async fn only_promotions_wait_for_the_end_of_quiet_hours() {
    let world = World::start().await;
    let (admin, tenant) = (world.administrator().await, world.tenant().await);
    let (window, opening) = later();
    let window = admin.post("/admin/sending-windows", window).await.data(201).clone();

    let waiting = send(&tenant.owner(), "0241234567", "MARKETING").await;
    assert_put_off(&waiting, opening);
    for (to, category) in [
        ("0241234567", "TRANSACTIONAL"),
        ("0241234567", "OTP"),
        // No window applies to Nigeria.
        ("+2348031234567", "MARKETING"),
    ] {
        let gone = send(&tenant.owner(), to, category).await;
        assert_eq!(
            (&gone["attemptCount"], &gone["notBefore"]),
            (&json!(1), &Value::Null),
            "{gone}"
        );
    }
    let sandbox = tenant.api_key(json!({"name": "sandbox"})).await;
    assert_eq!(send(&sandbox, "0241234567", "MARKETING").await["attemptCount"], 1);
    let messages = [message("0241234561", "MARKETING"), message("0241234562", "MARKETING")];
    let bulk = tenant.owner().post("/messages/bulk", json!({"messages": messages})).await;
    for message in bulk.data(201).as_array().unwrap() {
        assert_put_off(message, opening);
    }

    patch(&admin, window["id"].as_str().unwrap(), json!({"isActive": false})).await.data(200);
    assert_eq!(send(&tenant.owner(), "0241234567", "MARKETING").await["attemptCount"], 1);
    // Waiting messages still wait for the end of the quiet hours.
    let shown = tenant.owner().get(&format!("/messages/{}", waiting["id"].as_str().unwrap())).await;
    assert_put_off(shown.data(200), opening);
    world.sql("UPDATE delivery_jobs SET due_at = now() WHERE NOT is_follow_up").await;
    let delivered = tenant.owner().message_that_is("DELIVERED", &waiting["id"]).await;
    assert_eq!(delivered["attemptCount"], 1);
    tenant.assert_ledger_adds_up().await;
}

#[tokio::test]
async fn every_instance_applies_a_new_window_within_seconds() {
    let secret = ("ATUMPAN_JWT_SECRET", "a secret that all instances share");
    let one = World::start_with(&[secret]).await;
    let other = World::start_on(one.database.clone(), &[secret]).await;
    let (admin, tenant) = (one.administrator().await, one.tenant().await);
    let (window, opening) = later();
    admin.post("/admin/sending-windows", window).await.data(201);
    let there = tenant.at(&other).owner();
    let is_known =
        async || send(&there, "0241234567", "MARKETING").await["notBefore"] != Value::Null;
    until("the other instance knows the window", is_known).await;

    let mut message = message("0241234567", "MARKETING");
    message["async"] = json!(true);
    let accepted = there.post("/messages/send", message).await.data(202).clone();

    let path = format!("/messages/{}", accepted["id"].as_str().unwrap());
    let is_put_off = async || there.get(&path).await.data(200)["notBefore"] != Value::Null;
    until("a worker has put the message off", is_put_off).await;
    assert_put_off(there.get(&path).await.data(200), opening);
}

#[tokio::test]
async fn only_administrators_change_windows_and_it_is_audited() {
    let world = World::start().await;
    let (admin, tenant) = (world.administrator().await, world.tenant().await);
    let shipped = admin.get("/admin/sending-windows").await.data(200).clone();
    assert_eq!(shipped.as_array().unwrap().len(), 1);
    let example = &shipped[0];
    assert_eq!((&example["countryCode"], &example["isActive"]), (&json!("GH"), &json!(false)));
    assert_eq!((&example["opens"], &example["closes"]), (&json!("08:00"), &json!("19:00")));
    assert!(example["source"].as_str().unwrap().contains("Telerivet"));

    let night = json!({
        "countryCode": "ng", "category": "REMINDER", "weekdays": ["SUNDAY", "FRIDAY"],
        "opens": "22:00", "closes": "02:00", "utcOffset": "+01:00", "source": "our operator",
    });
    let made = admin.post("/admin/sending-windows", night).await.data(201).clone();
    assert_eq!((&made["countryCode"], &made["isActive"]), (&json!("NG"), &json!(false)));
    assert_eq!(made["weekdays"], json!(["FRIDAY", "SUNDAY"]));
    let id = made["id"].as_str().unwrap();
    let changed = patch(&admin, id, json!({"closes": "24:00", "isActive": true})).await;
    assert_eq!(changed.data(200)["closes"], "24:00");
    assert_eq!(changed.data(200)["utcOffset"], "+01:00");
    let list = admin.get("/admin/sending-windows?limit=1").await;
    assert_eq!(list.data(200)[0], *changed.data(200), "newest first");
    assert_eq!(list.body["pagination"]["total"], 2);

    let path = format!("/admin/sending-windows/{id}");
    assert_eq!(admin.call(Method::DELETE, &path, None).await.data(200)["deleted"], true);
    admin.call(Method::DELETE, &path, None).await.fails(404, "NOT_FOUND");
    patch(&admin, id, json!({"isActive": true})).await.fails(404, "NOT_FOUND");
    for (action, lines) in [("created", 1), ("updated", 1), ("deleted", 1)] {
        let count = format!(
            "SELECT count(*) FROM audit_log WHERE action = 'sending_window.{action}' \
                AND resource_id = '{id}' AND details ->> 'source' = 'our operator'"
        );
        assert_eq!(world.value(&count).await, lines, "{action}");
    }

    for (method, path) in [
        (Method::GET, "/admin/sending-windows"),
        (Method::POST, "/admin/sending-windows"),
        (Method::PATCH, path.as_str()),
        (Method::DELETE, path.as_str()),
    ] {
        let body = (method != Method::GET && method != Method::DELETE).then(|| later().0);
        tenant.owner().call(method, path, body).await.fails(403, "FORBIDDEN");
    }
}

#[tokio::test]
async fn rejects_a_window_that_never_opens_or_delays_urgent_messages() {
    let world = World::shared().await;
    let admin = world.administrator().await;
    for (field, value) in [
        ("category", json!("OTP")),
        ("category", json!("ALERT")),
        ("weekdays", json!([])),
        ("weekdays", json!(["FUNDAY"])),
        ("opens", json!("8:00")),
        ("opens", json!("24:00")),
        ("closes", json!("25:00")),
        ("closes", json!("08:00")),
        ("utcOffset", json!("CET")),
        ("source", json!("")),
        ("countryCode", json!("XX")),
    ] {
        let mut window = later().0;
        window["isActive"] = json!(false);
        (window["opens"], window["closes"]) = (json!("08:00"), json!("19:00"));
        window[field] = value.clone();
        let refused = admin.post("/admin/sending-windows", window).await;
        let faults = &refused.fails(400, "VALIDATION_ERROR")["fieldErrors"];
        let faults = faults.as_object().unwrap();
        let is_named = faults.keys().any(|name| name == field || name.starts_with("weekdays."));
        assert!(is_named, "{field} {value}: {faults:?}");
    }
    let nothing = admin.post("/admin/sending-windows", json!({})).await;
    let faults = nothing.fails(400, "VALIDATION_ERROR")["fieldErrors"].clone();
    assert_eq!(faults.as_object().unwrap().len(), 6, "{faults}");
}
