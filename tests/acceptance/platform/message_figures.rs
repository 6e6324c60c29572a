//! Numbers of messages by time and one property.

use acceptance::{Caller, Tenant, World, until_some};
use app::clock::SystemClock;
use chrono::{DateTime, TimeDelta, Utc};
use ports::shared::clock::Clock;
use serde_json::{Value, json};

/// Price of a text of one segment to Ghana, in GHS.
const PRICE: f64 = 0.035;

async fn figures(tenant: &Tenant<'_>, query: &str) -> Value {
    tenant.owner().get(&format!("/analytics/messages?{query}")).await.data(200).clone()
}

/// Returns value, sent, delivered and failed of each row.
async fn rows(tenant: &Tenant<'_>, by: &str) -> Value {
    let found = figures(tenant, &format!("by={by}")).await;
    assert_eq!(found["by"], by);
    let rows = found["figures"].as_array().unwrap().iter();
    rows.map(|row| json!([row["value"], row["sent"], row["delivered"], row["failed"]])).collect()
}

/// Sends a text, and waits until it has that status.
async fn send(caller: &Caller, status: &str, to: &str, template: Option<&Value>) -> Value {
    let mut message = json!({"channel": "SMS", "to": to, "async": true});
    match template {
        Some(template) => message["templateId"] = template.clone(),
        None => message["body"] = json!("Akwaaba"),
    }
    let answer = caller.post("/messages/send", message).await;
    caller.message_that_is(status, &answer.data(202)["id"]).await
}

#[tokio::test]
async fn messages_are_counted_by_channel_country_provider_and_error() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let owner = tenant.owner();
    let delivered = send(&owner, "DELIVERED", "0241234567", None).await;
    send(&owner, "DELIVERED", "0241234568", None).await;
    let failed = send(&owner, "FAILED", "0240000000", None).await;
    let sandbox = tenant.api_key(json!({"name": "test"})).await;
    send(&sandbox, "DELIVERED", "0241234567", None).await;

    assert_eq!(rows(&tenant, "channel").await, json!([["SMS", 3, 2, 1]]));
    assert_eq!(rows(&tenant, "country").await, json!([["GH", 3, 2, 1]]));
    assert_eq!(rows(&tenant, "provider").await, json!([[delivered["provider"], 3, 2, 1]]));
    assert_eq!(rows(&tenant, "errorCode").await, json!([[failed["errorCode"], 1, 0, 1]]));
    for by in ["campaign", "event", "template"] {
        assert_eq!(rows(&tenant, by).await, json!([]), "{by}");
    }
    let found = figures(&tenant, "").await;
    let totals = &found["totals"];
    assert_eq!((&found["by"], &found["interval"]), (&json!("channel"), &json!("day")));
    assert_eq!((&totals["sent"], &totals["pending"]), (&json!(3), &json!(0)));
    assert_eq!((&totals["segments"], &found["currency"]), (&json!(3), &json!("GHS")));
    assert!((totals["cost"].as_f64().unwrap() - 2.0 * PRICE).abs() < 1e-9, "{totals}");
    let other = world.tenant().await;
    assert_eq!(rows(&other, "channel").await, json!([]));
}

#[tokio::test]
async fn messages_are_counted_by_event_template_and_campaign_with_names() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let owner = tenant.owner();
    let template = json!({"name": "Parcel", "channel": "SMS", "body": "Akwaaba"});
    let template = owner.post("/templates", template).await.data(201)["id"].clone();
    let event = json!({"name": "Arrival", "slug": "arrival", "templateId": template});
    let event = owner.post("/events", event).await.data(201)["id"].clone();
    let trigger = json!({"event": "arrival", "to": "0241234567"});
    owner.post("/events/trigger", trigger).await.data(201);
    send(&owner, "DELIVERED", "0241234567", Some(&template)).await;
    let campaign = json!({"name": "Sale", "channel": "SMS", "body": "Akwaaba. Reply STOP"});
    let campaign = owner.post("/campaigns", campaign).await.data(201)["id"].clone();
    let sent = format!(
        "INSERT INTO message_figures VALUES ('{}', 'CAMPAIGN', date_trunc('hour', now(), 'UTC'), \
            'HOUR', '{}', 7, 5, 1, 7, 210000)",
        tenant.id,
        campaign.as_str().unwrap()
    );
    world.sql(&sent).await;

    until_some("all messages are delivered", async || {
        let found = rows(&tenant, "template").await;
        if found == json!([[template, 2, 2, 0]]) { Ok(()) } else { Err(found.to_string()) }
    })
    .await;
    assert_eq!(rows(&tenant, "event").await, json!([["arrival", 1, 1, 0]]));
    assert_eq!(rows(&tenant, "campaign").await, json!([[campaign, 7, 5, 1]]));
    for (by, name) in [("template", "Parcel"), ("event", "Arrival"), ("campaign", "Sale")] {
        let row = &figures(&tenant, &format!("by={by}")).await["figures"][0];
        assert_eq!((&row["name"], &row["isOther"]), (&json!(name), &json!(false)), "{by}");
    }

    let path = format!("/events/{}", event.as_str().unwrap());
    owner.call(reqwest::Method::DELETE, &path, None).await.data(200);
    let row = &figures(&tenant, "by=event").await["figures"][0];
    assert_eq!((&row["value"], &row["name"]), (&json!("arrival"), &Value::Null));
}

#[tokio::test]
async fn a_period_has_days_or_hours() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let message = send(&tenant.owner(), "DELIVERED", "0241234567", None).await;
    let accepted: DateTime<Utc> = message["createdAt"].as_str().unwrap().parse().unwrap();
    let day = accepted.date_naive();
    let hour = accepted.format("%Y-%m-%dT%H:00:00.000Z").to_string();

    let found = figures(&tenant, &format!("interval=hour&from={day}&to={day}")).await;

    let next = day.succ_opt().unwrap();
    assert_eq!(found["from"], format!("{day}T00:00:00.000Z"));
    assert_eq!(found["to"], format!("{next}T00:00:00.000Z"));
    assert_eq!((&found["figures"][0]["at"], &found["totals"]["sent"]), (&json!(hour), &json!(1)));
    let found = figures(&tenant, &format!("to={hour}")).await;
    let shown = u64::from(hour[11..13] != *"00");
    assert_eq!(found["totals"]["sent"], shown, "the day of `to` is shown as a whole");
    let next = next.succ_opt().unwrap();
    assert_eq!(figures(&tenant, &format!("from={day}&to={next}")).await["totals"]["sent"], 1);
}

#[tokio::test]
async fn rejects_periods_and_properties_that_it_does_not_have() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let month_ago = (SystemClock.now() - TimeDelta::days(30)).date_naive();
    let hours_of_a_month = format!("interval=hour&from={month_ago}");
    for (query, field, fault) in [
        ("by=sender", "by", "must be one of channel, campaign,"),
        ("interval=week", "interval", "must be one of day, hour"),
        ("from=yesterday", "from", "must be a date such as 2026-01-31"),
        ("from=2020-01-01&to=2021-12-31", "from", "must be at most 400 days before `to`"),
        ("from=2026-01-02&to=2026-01-01", "to", "must be after `from`"),
        (hours_of_a_month.as_str(), "from", "must be at most 14 days before"),
    ] {
        let answer = tenant.owner().get(&format!("/analytics/messages?{query}")).await;
        let faults = answer.fails(400, "VALIDATION_ERROR")["fieldErrors"][field].to_string();
        assert!(faults.contains(fault), "{query}: {faults}");
    }
    let answer = tenant.owner().get("/analytics/messages?page=1").await;
    answer.fails(400, "VALIDATION_ERROR");
}
