//! Wallets: no message is charged twice or without money.

use acceptance::{Caller, World};
use futures_util::future::join_all;
use serde_json::{Value, json};

/// Price of a text of one segment to Ghana, in micros.
const PRICE: i64 = 35_000;

fn sms(key: Option<&str>, is_async: bool) -> Value {
    let mut message =
        json!({"channel": "SMS", "to": "0241234567", "body": "Akwaaba", "async": is_async});
    if let Some(key) = key {
        message["idempotencyKey"] = json!(key);
    }
    message
}

async fn send_all(caller: &Caller, messages: Vec<Value>) -> Vec<acceptance::Answer> {
    join_all(messages.into_iter().map(|message| caller.post("/messages/send", message))).await
}

#[tokio::test]
async fn a_wallet_never_accepts_more_messages_than_it_pays_for() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    tenant.set_balance(10 * PRICE).await;
    let key = tenant.live_key().await;

    let answers = send_all(&key, vec![sms(None, true); 24]).await;

    let (accepted, refused): (Vec<_>, Vec<_>) =
        answers.iter().partition(|answer| answer.status == 202);
    assert_eq!(accepted.len(), 10);
    for answer in refused {
        let details = answer.fails(402, "INSUFFICIENT_BALANCE");
        assert_eq!(details["required"], 0.035);
    }
    assert!(tenant.balance().await.abs() < 1e-9);
    tenant.assert_ledger_adds_up().await;
    assert_eq!(tenant.count("delivery_logs").await, 10);
}

#[tokio::test]
async fn concurrent_singles_and_bulks_spend_the_whole_wallet() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    tenant.set_balance(50 * PRICE).await;
    let key = tenant.live_key().await;
    let item = json!({"channel": "SMS", "to": "0241234567", "body": "Akwaaba"});
    let bulk = json!({"messages": vec![item; 7], "async": true});

    let bulks = join_all((0..10).map(|_| key.post("/messages/bulk", bulk.clone())));
    let singles = send_all(&key, vec![sms(None, true); 60]);
    let (bulks, singles) = futures_util::future::join(bulks, singles).await;

    let accepted = |answers: &[acceptance::Answer]| {
        assert!(answers.iter().all(|it| it.status == 202 || it.status == 402));
        answers.iter().filter(|answer| answer.status == 202).count()
    };
    assert_eq!(accepted(&bulks) * 7 + accepted(&singles), 50);
    tenant.assert_ledger_adds_up().await;
}

#[tokio::test]
async fn concurrent_requests_with_one_key_make_one_message() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let key = tenant.live_key().await;

    let answers = send_all(&key, vec![sms(Some("order-1"), true); 16]).await;

    for answer in &answers {
        assert_eq!(answer.text, answers[0].text);
        assert_eq!(answer.status, 202);
    }
    key.message_that_is("DELIVERED", &answers[0].data(202)["id"]).await;
    let later = key.post("/messages/send", sms(Some("order-1"), true)).await;
    assert_eq!(later.text, answers[0].text);
    assert!((tenant.balance().await - (10.0 - 0.035)).abs() < 1e-9);
    assert_eq!(tenant.count("delivery_logs").await, 1);
}

#[tokio::test]
async fn synchronous_requests_with_one_key_make_one_message() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let key = tenant.live_key().await;

    let answers = send_all(&key, vec![sms(Some("order-1"), false); 16]).await;

    let mut ids: Vec<_> = answers
        .iter()
        .filter(|answer| answer.status != 409)
        .map(|answer| answer.data(201)["id"].to_string())
        .collect();
    assert!(!ids.is_empty());
    ids.dedup();
    assert_eq!(ids.len(), 1);
    for answer in answers.iter().filter(|answer| answer.status == 409) {
        answer.fails(409, "IDEMPOTENCY_IN_PROGRESS");
        assert_eq!(answer.header("retry-after"), "1");
    }
    let later = key.post("/messages/send", sms(Some("order-1"), false)).await;
    assert_eq!(later.data(201)["id"].to_string(), ids[0]);
    assert!((tenant.balance().await - (10.0 - 0.035)).abs() < 1e-9);
}

#[tokio::test]
async fn a_key_identifies_one_request_of_an_organization_for_a_day() {
    let world = World::shared().await;
    let (own, other) = (world.tenant().await, world.tenant().await);
    let first = own.owner().post("/messages/send", sms(Some("order-1"), true)).await;
    let id = first.data(202)["id"].clone();

    let mut different = sms(Some("order-1"), true);
    different["body"] = json!("Medaase");
    let answer = own.owner().post("/messages/send", different.clone()).await;
    answer.fails(422, "IDEMPOTENCY_KEY_REUSED");
    let answer = other.owner().post("/messages/send", sms(Some("order-1"), true)).await;
    assert_ne!(answer.data(202)["id"], id);

    let id_of_own = &own.id;
    world
        .sql(&format!(
            "UPDATE idempotency_keys SET expires_at = now() WHERE organization_id = '{id_of_own}'"
        ))
        .await;
    let answer = own.owner().post("/messages/send", different).await;
    assert_ne!(answer.data(202)["id"], id);
}

#[tokio::test]
async fn a_new_organization_gets_the_configured_trial_credit() {
    let world = World::start_with(&[("ATUMPAN_TRIAL_CREDIT_GHS", "2.5")]).await;
    let tenant = world.tenant().await;
    assert!((tenant.balance().await - 2.5).abs() < 1e-9);
    tenant.assert_ledger_adds_up().await;
}

#[tokio::test]
async fn the_ledger_refuses_every_change() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    for statement in ["UPDATE ledger_entries SET amount_micros = 0", "DELETE FROM ledger_entries"] {
        let (client, connection) =
            tokio_postgres::connect(&world.database, tokio_postgres::NoTls).await.unwrap();
        tokio::spawn(connection);
        let error = client.batch_execute(statement).await.unwrap_err();
        assert!(error.as_db_error().unwrap().message().contains("append-only"));
    }
    tenant.assert_ledger_adds_up().await;
}

#[tokio::test]
async fn prices_and_plans_are_shown_for_every_channel_and_country() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let answer = tenant.owner().get("/billing/pricing").await;
    let data = answer.data(200);
    let rules = data["rules"].as_array().unwrap();
    for channel in ["SMS", "WHATSAPP", "EMAIL", "PUSH", "VOICE"] {
        let of = |country: Value| {
            rules.iter().any(|it| it["channel"] == channel && it["countryCode"] == country)
        };
        assert!(of(json!("GH")), "{channel}");
        assert!(of(json!("*")) || of(Value::Null), "{channel}");
    }
    assert!(!data["plans"].as_array().unwrap().is_empty());
}
