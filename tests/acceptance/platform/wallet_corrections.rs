//! Credits and debits of wallets by platform administrators.

use acceptance::{Tenant, World};
use serde_json::{Value, json};

use crate::money::gateway::assert_amount;

const UNKNOWN: &str = "01a1fe23-0000-7000-8000-00000000000f";
const PLATFORM: &str = "00000000-0000-7000-8000-000000000000";

fn path(tenant: &Tenant<'_>, action: &str) -> String {
    format!("/admin/tenants/{}/{action}", tenant.id)
}

fn body(amount: f64) -> Value {
    json!({"amount": amount, "reason": "Goodwill"})
}

#[tokio::test]
async fn a_correction_moves_money_and_shows_in_ledger_and_audit_log() {
    let world = World::shared().await;
    let (admin, tenant) = (world.administrator().await, world.tenant().await);

    let credit = admin.post(&path(&tenant, "credit"), body(2.5)).await.data(201).clone();
    let debit = admin.post(&path(&tenant, "debit"), body(0.035)).await.data(201).clone();

    let expected = json!({
        "id": credit["id"], "amount": 2.5, "balance": 12.5, "currency": "GHS",
        "reason": "Goodwill", "createdAt": credit["createdAt"],
    });
    assert_eq!(credit, expected);
    assert_eq!((&debit["amount"], &debit["balance"]), (&json!(-0.035), &json!(12.465)));
    assert_amount(tenant.balance().await, 12.465);
    let ledger = tenant.owner().get("/billing/ledger").await.data(200).clone();
    let movement = ledger.as_array().unwrap().iter().find(|it| it["id"] == debit["id"]).unwrap();
    assert_eq!(
        (&movement["kind"], &movement["account"], &movement["reference"]),
        (&json!("CORRECTION"), &json!("ADJUSTMENTS"), &json!("Goodwill"))
    );
    let audit = tenant.owner().get("/organizations/audit").await.data(200).clone();
    let lines = audit.as_array().unwrap().iter().filter(|it| it["action"] == "wallet.corrected");
    assert_eq!(lines.count(), 2);
    tenant.assert_ledger_adds_up().await;
}

#[tokio::test]
async fn a_debit_above_the_balance_changes_nothing() {
    let world = World::shared().await;
    let (admin, tenant) = (world.administrator().await, world.tenant().await);

    admin.post(&path(&tenant, "debit"), body(10.01)).await.fails(402, "INSUFFICIENT_BALANCE");

    assert_amount(tenant.balance().await, 10.0);
    assert_eq!(tenant.count("wallet_corrections").await, 0);
    admin.post(&path(&tenant, "debit"), body(10.0)).await.data(201);
    assert_amount(tenant.balance().await, 0.0);
    tenant.assert_ledger_adds_up().await;
}

#[tokio::test]
async fn a_repeated_request_gets_the_first_correction() {
    let world = World::shared().await;
    let (admin, tenant) = (world.administrator().await, world.tenant().await);
    let keyed = admin.with("Idempotency-Key", "goodwill-1");
    let credit = path(&tenant, "credit");

    let first = keyed.post(&credit, body(1.0)).await;
    assert!(!first.headers.contains_key("idempotent-replayed"));
    let again = keyed.post(&credit, body(1.0)).await;
    assert_eq!(again.header("idempotent-replayed"), "true");
    assert_eq!(again.data(201), first.data(201));
    keyed.post(&credit, body(2.0)).await.fails(422, "IDEMPOTENCY_KEY_REUSED");
    keyed.post(&path(&tenant, "debit"), body(1.0)).await.fails(422, "IDEMPOTENCY_KEY_REUSED");
    let long = admin.with("Idempotency-Key", &"k".repeat(256));
    let details = long.post(&credit, body(1.0)).await;
    let details = details.fails(400, "VALIDATION_ERROR").clone();
    assert!(details["fieldErrors"]["idempotencyKey"].is_array());

    assert_amount(tenant.balance().await, 11.0);
}

#[tokio::test]
async fn only_administrators_correct_wallets_of_organizations() {
    let world = World::shared().await;
    let (admin, tenant) = (world.administrator().await, world.tenant().await);
    for action in ["credit", "debit"] {
        let own = path(&tenant, action);
        tenant.owner().post(&own, body(1.0)).await.fails(403, "FORBIDDEN");
        world.post(&own, body(1.0)).await.fails(401, "UNAUTHORIZED");
        for id in [UNKNOWN, PLATFORM, "1"] {
            let path = format!("/admin/tenants/{id}/{action}");
            admin.post(&path, body(1.0)).await.fails(404, "NOT_FOUND");
        }
        for (body, fields) in [
            (json!({}), ["amount", "reason"]),
            (json!({"amount": 0, "reason": " "}), ["amount", "reason"]),
            (json!({"amount": -1, "reason": 7}), ["amount", "reason"]),
            (json!({"amount": 1_000_001, "reason": "a".repeat(201)}), ["amount", "reason"]),
            (json!({"amount": 0.000_000_1, "reason": null}), ["amount", "reason"]),
        ] {
            let refused = admin.post(&own, body.clone()).await;
            let details = refused.fails(400, "VALIDATION_ERROR");
            let found = details["fieldErrors"].as_object().unwrap();
            assert_eq!(found.keys().collect::<Vec<_>>(), fields, "{body}: {}", refused.text);
        }
    }
    assert_amount(tenant.balance().await, 10.0);
}
