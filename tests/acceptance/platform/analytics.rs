//! Figures of sent messages, and recommendations.

use acceptance::{Caller, Tenant, World, until};
use futures_util::future::join_all;
use serde_json::{Value, json};

/// Price of a text of one segment to Ghana, in GHS.
const PRICE: f64 = 0.035;

fn sms(to: &str, body: &str) -> Value {
    json!({"channel": "SMS", "to": to, "body": body, "async": true})
}

/// Sends texts, and waits until all have that status.
async fn send(caller: &Caller, status: &str, messages: Vec<Value>) {
    join_all(messages.into_iter().map(async |message| {
        let answer = caller.post("/messages/send", message).await;
        caller.message_that_is(status, &answer.data(202)["id"]).await
    }))
    .await;
}

async fn get(tenant: &Tenant<'_>, path: &str) -> Value {
    tenant.owner().get(path).await.data(200).clone()
}

#[track_caller]
fn assert_is(found: &Value, expected: f64) {
    assert!((found.as_f64().unwrap() - expected).abs() < 1e-9, "{found} is not {expected}");
}

#[tokio::test]
async fn a_new_organization_has_zeros_and_no_recommendations() {
    let world = World::shared().await;
    let tenant = world.tenant().await;

    let overview = get(&tenant, "/analytics/overview").await;

    for name in ["sent", "delivered", "failed"] {
        assert_eq!(overview[name], 0);
    }
    assert_is(&overview["spend"], 0.0);
    assert_eq!((&overview["deliveryRate"], &overview["currency"]), (&Value::Null, &json!("GHS")));
    let none = json!({"sent": null, "deliveryRate": null, "spend": null});
    assert_eq!(overview["trends"], none);
    let daily = overview["daily"].as_array().unwrap();
    assert_eq!(daily.len(), 30);
    assert_eq!((&daily[0]["date"], &daily[29]["date"]), (&overview["from"], &overview["to"]));
    for path in ["recommendations", "costs", "failures"] {
        assert_eq!(get(&tenant, &format!("/analytics/{path}")).await, json!([]), "{path}");
    }
    assert_eq!(get(&tenant, "/billing/usage").await, json!([]));
}

#[tokio::test]
async fn live_messages_count_at_once_and_refunds_are_not_spent() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let two_segments = "a".repeat(161);
    let delivered = vec![sms("0241234567", "Akwaaba"), sms("0241234567", &two_segments)];
    send(&tenant.owner(), "DELIVERED", delivered).await;
    send(&tenant.owner(), "FAILED", vec![sms("0240000000", "Akwaaba")]).await;
    let sandbox = tenant.api_key(json!({"name": "test"})).await;
    send(&sandbox, "DELIVERED", vec![sms("0241234567", "Akwaaba")]).await;

    let overview = get(&tenant, "/analytics/overview").await;

    let counts = ["sent", "delivered", "failed"].map(|name| overview[name].as_u64().unwrap());
    assert_eq!(counts, [3, 2, 1]);
    assert_is(&overview["deliveryRate"], 2.0 / 3.0);
    assert_is(&overview["spend"], 3.0 * PRICE);
    assert_is(&overview["spend"], 10.0 - tenant.balance().await);
    assert_eq!(overview["daily"][29]["sent"], 3);
    assert_is(&overview["daily"][29]["spend"], 3.0 * PRICE);

    let month = overview["to"].as_str().unwrap()[..7].to_owned();
    for path in ["/analytics/costs", "/billing/usage", "/billing/usage?months=24"] {
        let rows = get(&tenant, path).await;
        let row = &rows[0];
        assert_eq!(rows.as_array().unwrap().len(), 1, "{path}");
        assert_eq!((&row["month"], &row["channel"]), (&json!(month), &json!("SMS")));
        assert_eq!((&row["messages"], &row["segments"]), (&json!(3), &json!(4)));
        assert_is(&row["cost"], 3.0 * PRICE);
    }
    let other = world.tenant().await;
    assert_eq!(get(&other, "/analytics/overview").await["sent"], 0);
}

/// Counts messages as accepted that many days ago, each for a cedi.
async fn count(tenant: &Tenant<'_>, days_ago: u32, channel: &str, status: &str, messages: u32) {
    let id = &tenant.id;
    let counters = format!(
        "INSERT INTO delivery_log_counters VALUES ('{id}', 'DAY', \
            date_trunc('day', now(), 'UTC') - interval '{days_ago} days', '{channel}', '{status}', \
            false, {messages}, {messages}, {messages} * 1000000)"
    );
    tenant.world.sql(&counters).await;
}

#[tokio::test]
async fn trends_compare_with_the_thirty_days_before() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    count(&tenant, 29, "SMS", "DELIVERED", 150).await;
    count(&tenant, 30, "SMS", "DELIVERED", 50).await;
    count(&tenant, 59, "SMS", "FAILED", 50).await;
    count(&tenant, 60, "EMAIL", "SENT", 7).await;

    let overview = get(&tenant, "/analytics/overview").await;

    assert_eq!((&overview["sent"], &overview["daily"][0]["sent"]), (&json!(150), &json!(150)));
    let trends = &overview["trends"];
    assert_is(&trends["sent"], 50.0);
    assert_is(&trends["deliveryRate"], 100.0);
    assert_is(&trends["spend"], 200.0);
    let rows = get(&tenant, "/analytics/costs?months=4").await;
    let rows = rows.as_array().unwrap();
    let months: Vec<_> = rows.iter().map(|row| row["month"].as_str().unwrap()).collect();
    assert!(months.is_sorted_by(|one, next| one >= next), "{months:?}");
    let sum = |name: &str| rows.iter().map(|row| row[name].as_f64().unwrap()).sum::<f64>();
    assert_is(&json!(sum("messages")), 257.0);
    assert_is(&json!(sum("cost")), 207.0);
}

#[tokio::test]
async fn rejects_months_out_of_range_and_unknown_parameters() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    for path in ["/analytics/costs", "/billing/usage"] {
        for months in ["0", "25", "-1", "1.5", "x", "99999999999999999999"] {
            let answer = tenant.owner().get(&format!("{path}?months={months}")).await;
            let faults = &answer.fails(400, "VALIDATION_ERROR")["fieldErrors"]["months"];
            assert_eq!(faults, &json!(["must be a whole number from 1 to 24"]), "{months}");
        }
        tenant.owner().get(&format!("{path}?months=")).await.data(200);
    }
    for path in
        ["overview?days=7", "recommendations?page=1", "costs?channel=SMS", "failures?limit=9"]
    {
        let answer = tenant.owner().get(&format!("/analytics/{path}")).await;
        answer.fails(400, "VALIDATION_ERROR");
    }
}

#[tokio::test]
async fn failures_are_the_newest_fifty_failed_logs() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    send(&tenant.owner(), "DELIVERED", vec![sms("0241234567", "Akwaaba")]).await;
    send(&tenant.owner(), "FAILED", vec![sms("0240000000", "first"); 3]).await;
    send(&tenant.owner(), "FAILED", vec![sms("0240000000", "later"); 49]).await;
    let sandbox = tenant.api_key(json!({"name": "test"})).await;
    send(&sandbox, "FAILED", vec![sms("0240000000", "last")]).await;

    let failures = get(&tenant, "/analytics/failures").await;

    let failures = failures.as_array().unwrap();
    assert_eq!(failures.len(), 50);
    assert_eq!((&failures[0]["body"], &failures[0]["isSandbox"]), (&json!("last"), &json!(true)));
    for failure in &failures[1..] {
        assert_eq!(failure["body"], "later");
        assert_eq!((&failure["status"], &failure["refunded"]), (&json!("FAILED"), &json!(true)));
    }
}

/// Returns the recommendations as if an hour had passed.
async fn recommended(tenant: &Tenant<'_>) -> Vec<Value> {
    let id = &tenant.id;
    let due = format!("UPDATE recommendations SET due_at = now() WHERE organization_id = '{id}'");
    tenant.world.sql(&due).await;
    get(tenant, "/analytics/recommendations").await.as_array().unwrap().clone()
}

fn find<'r>(found: &'r [Value], code: &str) -> Option<&'r Value> {
    found.iter().find(|item| item["code"] == code)
}

#[tokio::test]
async fn the_four_best_recommendations_are_computed_hourly() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    assert_eq!(get(&tenant, "/analytics/recommendations").await, json!([]));
    count(&tenant, 3, "SMS", "DELIVERED", 700).await;
    count(&tenant, 3, "SMS", "FAILED", 300).await;
    count(&tenant, 3, "WHATSAPP", "DELIVERED", 990).await;
    count(&tenant, 3, "WHATSAPP", "FAILED", 10).await;
    assert_eq!(get(&tenant, "/analytics/recommendations").await, json!([]), "within the hour");

    let found = recommended(&tenant).await;

    let codes: Vec<_> = found.iter().map(|item| item["code"].as_str().unwrap()).collect();
    assert_eq!(codes, ["WALLET_RUNS_DRY", "WORSE_CHANNEL"]);
    assert_eq!(
        (&found[1]["metric"], &found[1]["messagesAtStake"]),
        (&json!("deliveryRate"), &json!(290))
    );
    assert_is(&found[1]["value"], 0.7);
    assert!(found[0]["message"].as_str().unwrap().contains("GHS 1690.00"), "{found:?}");
    assert!(found.iter().all(|item| item["title"].is_string() && item["evaluatedAt"].is_string()));
    assert_eq!(json!(found), get(&tenant, "/analytics/recommendations").await);

    tenant.set_balance(5_000_000_000).await;
    let expiry = json!({
        "name": "shop", "isSandbox": false,
        "expiresAt": (chrono::DateTime::parse_from_rfc3339(
            found[0]["evaluatedAt"].as_str().unwrap()).unwrap() + chrono::TimeDelta::days(5)).to_rfc3339(),
    });
    let key = tenant.api_key(expiry).await;
    let text = format!("“Akwaaba” {}", "a".repeat(150));
    send(&key, "DELIVERED", vec![sms("0241234567", &text); 5]).await;
    let template = json!({"name": "Parcel", "channel": "SMS", "body": "Akwaaba"});
    let template = tenant.owner().post("/templates", template).await.data(201)["id"].clone();
    let event = json!({"name": "Parcel", "slug": "parcel", "templateId": template});
    let event = tenant.owner().post("/events", event).await.data(201)["id"].clone();
    for _ in 0..10 {
        let trigger = json!({"event": "parcel", "to": "0240000000"});
        tenant.owner().post("/events/trigger", trigger).await.data(201);
    }
    let failed = async || get(&tenant, "/analytics/failures").await.as_array().unwrap().len();
    until("the messages of the event have failed", async || failed().await == 10).await;
    let found = recommended(&tenant).await;
    assert!(find(&found, "WALLET_RUNS_DRY").is_none(), "{found:#?}");
    assert_eq!(found.len(), 4, "of five");
    let stakes: Vec<_> = found.iter().map(|item| item["messagesAtStake"].as_u64()).collect();
    assert!(stakes.is_sorted_by(|one, next| one >= next), "{stakes:?}");
    assert_is(&find(&found, "EVENT_WITHOUT_FALLBACK").unwrap()["value"], 10.0);
    assert_is(&find(&found, "UNREACHABLE_RECIPIENTS").unwrap()["value"], 1.0);
    assert!(find(&found, "COSTLY_CHARACTERS").is_some(), "{found:#?}");

    let fallback = json!({"fallbackRules": {"channels": ["VOICE"]}});
    let path = format!("/events/{}", event.as_str().unwrap());
    tenant.owner().call(reqwest::Method::PATCH, &path, Some(fallback)).await.data(200);
    let found = recommended(&tenant).await;
    assert!(find(&found, "EVENT_WITHOUT_FALLBACK").is_none(), "{found:#?}");
    assert!(find(&found, "API_KEY_EXPIRES").is_some(), "{found:#?}");
}
