//! Ledger of a wallet, as its organization sees it.

use acceptance::{World, until};
use adapters_postgres::PgStore;
use serde_json::{Value, json};

#[tokio::test]
async fn the_ledger_is_listed_newest_first_and_sums_to_the_balance() {
    let world = World::start().await;
    let (tenant, other) = (world.tenant().await, world.tenant().await);
    let owner = tenant.owner();
    until("the trial credit is entered", async || {
        owner.get("/billing/ledger").await.data(200)[0]["sequence"] == 1
    })
    .await;
    for (to, status) in [("0241234567", "DELIVERED"), ("0241230000", "FAILED")] {
        let message = json!({"channel": "SMS", "to": to, "body": "Akwaaba", "async": true});
        let sent = owner.post("/messages/send", message).await;
        owner.message_that_is(status, &sent.data(202)["id"]).await;
    }
    PgStore::connect(&world.database, 1).unwrap().post_journal().await.unwrap();

    let answer = owner.get("/billing/ledger").await;

    let movements = answer.data(200).as_array().unwrap();
    let fields = |movement: &Value| {
        let text = |field: &str| movement[field].as_str().unwrap().to_owned();
        (text("kind"), text("account"), movement["amount"].as_f64(), movement["messages"].as_i64())
    };
    let field = |kind: &str| fields(movements.iter().find(|it| it["kind"] == kind).unwrap());
    let expected = |kind: &str, account: &str, amount, messages| {
        (kind.to_owned(), account.to_owned(), Some(amount), Some(messages))
    };
    assert_eq!(field("MESSAGE_DEBIT"), expected("MESSAGE_DEBIT", "REVENUE", -0.07, 2));
    assert_eq!(field("MESSAGE_REFUND"), expected("MESSAGE_REFUND", "REFUNDS", 0.035, 1));
    let trial = movements.last().unwrap();
    assert_eq!(fields(trial), expected("TRIAL_CREDIT", "TRIAL", 10.0, 0));
    assert_eq!(trial["reference"], "trial");
    assert_eq!(trial["hash"].as_str().unwrap().len(), 64);
    let open = &movements[0];
    assert_eq!(
        (&open["sequence"], &open["hash"], &open["reference"]),
        (&Value::Null, &Value::Null, &Value::Null)
    );
    let sum: f64 = movements.iter().map(|it| it["amount"].as_f64().unwrap()).sum();
    assert!((sum - tenant.balance().await).abs() < 1e-9);
    assert_eq!(answer.body["pagination"]["total"], movements.len());

    let second = owner.get("/billing/ledger?page=2&limit=1").await;
    assert_eq!(second.data(200)[0], movements[1]);
    owner.get("/billing/ledger?limit=101").await.fails(400, "VALIDATION_ERROR");
    let theirs = other.owner().get("/billing/ledger").await;
    assert_eq!(theirs.data(200).as_array().unwrap().len(), 1);
}
