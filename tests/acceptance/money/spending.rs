//! Daily spending limits, and notification of a low balance.

use acceptance::{Answer, Tenant, World, until};
use chrono::{DateTime, Utc};
use futures_util::future::join_all;
use reqwest::Method;
use serde_json::{Value, json};

const CURRENT: &str = "/organizations/current";
/// Price of a text of one segment to Ghana, in micros.
const PRICE: i64 = 35_000;

fn sms() -> Value {
    json!({"channel": "SMS", "to": "0241234567", "body": "Akwaaba", "async": true})
}

fn prices(count: i64) -> f64 {
    let text = format!("{:.3}", f64::from(i32::try_from(count * PRICE).unwrap()) / 1e6);
    text.parse().unwrap()
}

async fn set(tenant: &Tenant<'_>, settings: Value) -> Answer {
    let body = json!({"settings": settings});
    tenant.owner().call(Method::PATCH, CURRENT, Some(body)).await
}

async fn limit(tenant: &Tenant<'_>, limit: Value) {
    set(tenant, json!({"dailySpendingLimit": limit})).await.data(200);
}

#[tokio::test]
async fn settings_are_validated_stored_and_cleared() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let nothing = json!({
        "allowPremiumNumbers": false, "lowBalanceThreshold": null, "dailySpendingLimit": null,
        "allowedCountries": null, "velocityLimit": null, "optOut": null,
        "timeZone": "Africa/Accra",
    });
    assert_eq!(tenant.owner().get(CURRENT).await.data(200)["settings"], nothing);

    let both = json!({"lowBalanceThreshold": 0, "dailySpendingLimit": 4.35});
    set(&tenant, both).await.data(200);
    let kept = set(&tenant, json!({"allowPremiumNumbers": true})).await.data(200).clone();
    assert_eq!(
        kept["settings"],
        json!({
            "allowPremiumNumbers": true, "lowBalanceThreshold": 0.0, "dailySpendingLimit": 4.35,
            "allowedCountries": null, "velocityLimit": null, "optOut": null,
            "timeZone": "Africa/Accra",
        })
    );

    let wrong = json!({"lowBalanceThreshold": -1, "dailySpendingLimit": 0, "colour": 1});
    let answer = set(&tenant, wrong).await;
    let faults = answer.fails(400, "VALIDATION_ERROR")["fieldErrors"].as_object().unwrap().clone();
    assert_eq!(
        faults.keys().collect::<Vec<_>>(),
        ["settings.colour", "settings.dailySpendingLimit", "settings.lowBalanceThreshold"]
    );
    let answer = set(&tenant, json!({"dailySpendingLimit": "20"})).await;
    answer.fails(400, "VALIDATION_ERROR");

    let cleared = json!({"lowBalanceThreshold": null, "dailySpendingLimit": null});
    let cleared = set(&tenant, cleared).await.data(200)["settings"].clone();
    assert_eq!(cleared["dailySpendingLimit"], Value::Null);
    assert_eq!(cleared["lowBalanceThreshold"], Value::Null);
}

#[tokio::test]
async fn concurrent_clients_spend_exactly_the_daily_limit() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    limit(&tenant, json!(prices(10))).await;
    let key = tenant.live_key().await;

    let answers = join_all((0..64).map(|_| key.post("/messages/send", sms()))).await;

    let (accepted, refused): (Vec<_>, Vec<_>) = answers.iter().partition(|it| it.status == 202);
    assert_eq!(accepted.len(), 10);
    for answer in refused {
        let details = answer.fails(402, "SPENDING_LIMIT_REACHED");
        assert_eq!((&details["required"], &details["limit"]), (&json!(0.035), &json!(0.35)));
        let resets_at: DateTime<Utc> = details["resetsAt"].as_str().unwrap().parse().unwrap();
        assert_eq!(resets_at.time(), chrono::NaiveTime::MIN);
    }
    assert!((tenant.balance().await - (10.0 - prices(10))).abs() < 1e-9);
    assert_eq!(tenant.count("delivery_logs").await, 10);
    tenant.assert_ledger_adds_up().await;
    let spent = format!("SELECT spent_micros FROM wallets WHERE organization_id = '{}'", tenant.id);
    assert_eq!(world.value(&spent).await, 10 * PRICE);
}

#[tokio::test]
async fn a_bulk_request_over_the_limit_is_rejected_as_a_whole() {
    let world = World::shared().await;
    let (tenant, other) = (world.tenant().await, world.tenant().await);
    limit(&tenant, json!(prices(3))).await;
    let (key, others_key) = (tenant.live_key().await, other.live_key().await);
    let item = json!({"channel": "SMS", "to": "0241234567", "body": "Akwaaba"});
    let bulk = |count: usize| json!({"messages": vec![item.clone(); count], "async": true});

    let refused = key.post("/messages/bulk", bulk(4)).await;
    let details = refused.fails(402, "SPENDING_LIMIT_REACHED");
    assert_eq!((&details["spent"], &details["required"]), (&json!(0.0), &json!(prices(4))));
    let message = &refused.body["error"]["message"];
    assert!(message.as_str().unwrap().contains("midnight UTC"), "{message}");
    key.post("/messages/bulk", bulk(3)).await.data(202);
    key.post("/messages/send", sms()).await.fails(402, "SPENDING_LIMIT_REACHED");
    others_key.post("/messages/send", sms()).await.data(202);

    // Free messages pass.
    let sandbox = tenant.api_key(json!({"name": "sandbox"})).await;
    sandbox.post("/messages/send", sms()).await.data(202);
    let barred = json!({"phone": "0241234567"});
    tenant.owner().post("/compliance/suppression", barred).await.data(201);
    key.post("/messages/send", sms()).await.data(202);
    assert_eq!(tenant.count("delivery_logs").await, 5);
}

#[tokio::test]
async fn a_limit_below_the_spending_rejects_only_new_messages() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let key = tenant.live_key().await;
    for _ in 0..3 {
        key.post("/messages/send", sms()).await.data(202);
    }
    limit(&tenant, json!(prices(1))).await;

    let refused = key.post("/messages/send", sms()).await;
    let details = refused.fails(402, "SPENDING_LIMIT_REACHED");
    assert_eq!((&details["limit"], &details["spent"]), (&json!(0.035), &json!(prices(3))));
    let credit = format!(
        "SELECT balance_micros FROM credit_wallet('{id}', uuid_v7_in(now(), '{id}'), 'TOP_UP', 'r', \
            5000000, now())",
        id = tenant.id
    );
    world.value(&credit).await;
    assert!((tenant.balance().await - (15.0 - prices(3))).abs() < 1e-9);

    limit(&tenant, json!(prices(4))).await;
    key.post("/messages/send", sms()).await.data(202);
    key.post("/messages/send", sms()).await.fails(402, "SPENDING_LIMIT_REACHED");
    limit(&tenant, Value::Null).await;
    key.post("/messages/send", sms()).await.data(202);
    tenant.assert_ledger_adds_up().await;
}

#[tokio::test]
async fn a_refund_does_not_restore_the_daily_limit() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    limit(&tenant, json!(prices(1))).await;
    let key = tenant.live_key().await;
    // The simulated provider rejects such numbers.
    let failing = json!({"channel": "SMS", "to": "0241230000", "body": "Akwaaba", "async": true});
    key.post("/messages/send", failing).await.data(202);
    until("it is refunded", async || (tenant.balance().await - 10.0).abs() < 1e-9).await;

    key.post("/messages/send", sms()).await.fails(402, "SPENDING_LIMIT_REACHED");
    let yesterday = format!(
        "UPDATE wallets SET spent_on = spent_on - 1 WHERE organization_id = '{}'",
        tenant.id
    );
    world.sql(&yesterday).await;
    key.post("/messages/send", sms()).await.data(202);
    key.post("/messages/send", sms()).await.fails(402, "SPENDING_LIMIT_REACHED");
}

#[tokio::test]
async fn a_low_balance_is_mailed_daily_to_verified_addresses() {
    let world = World::start().await;
    let tenant = world.tenant().await;
    let stranger = world.tenant().await;
    tenant.verify_email().await;
    set(&tenant, json!({"lowBalanceThreshold": 5})).await.data(200);
    set(&stranger, json!({"lowBalanceThreshold": 1_000})).await.data(200);
    let mails = "SELECT count(*) FROM delivery_logs WHERE subject = 'Your balance is low'";
    let waiting = "SELECT count(*) FROM notices WHERE ended_at IS NULL";
    let is_low =
        format!("SELECT is_low::int::bigint FROM wallets WHERE organization_id = '{}'", tenant.id);
    // Each instance checks balances when it starts.
    let look = async || World::start_on(world.database.clone(), &[]).await;

    for fall in ["the first", "another", "one after the setting was toggled"] {
        tenant.set_balance(4_999_999).await;
        let (one, other) = Box::pin(futures_util::future::join(look(), look())).await;
        until("the fall is noted", async || world.value(&is_low).await == 1).await;
        until("they are told", async || world.value(waiting).await == 0).await;
        assert_eq!(world.value(mails).await, 1, "{fall}");
        tenant.set_balance(4_000_000).await;
        let third = look().await;
        assert_eq!(world.value(mails).await, 1, "it did not rise in between");
        tenant.set_balance(5_000_000).await;
        let fourth = look().await;
        until("the rise is noted", async || world.value(&is_low).await == 0).await;
        for threshold in [Value::Null, json!(5)] {
            set(&tenant, json!({"lowBalanceThreshold": threshold})).await.data(200);
        }
        for instance in [one, other, third, fourth] {
            instance.stop().await;
        }
    }
}
