//! Limits on the items that organizations store.

use acceptance::World;
use reqwest::Method;
use serde_json::{Value, json};

#[tokio::test]
async fn limits_on_contacts_grow_with_the_first_payment() {
    // The counts of items are wrong afterwards.
    let world = World::start().await;
    let tenant = world.tenant().await;
    let (owner, id) = (tenant.owner(), &tenant.id);
    let limits = async || tenant.owner().get("/organizations/limits").await.data(200).clone();
    let contact = |phone: &str| json!({"phone": phone, "attributes": {"note": "Akwaaba"}});
    let first = owner.post("/contacts", contact("0241000001")).await.data(201).clone();
    let held = limits().await;
    assert_eq!(held["contacts"], json!({"limit": 250_000, "used": 1}));
    assert!(held["contactBytes"]["used"].as_u64().unwrap() > 20, "{held}");

    for (holding, code) in
        [("contacts", "CONTACT_LIMIT_REACHED"), ("bytes", "CONTACT_BYTES_LIMIT_REACHED")]
    {
        let change = |by: &str| {
            format!(
                "UPDATE contact_counts SET {holding} = {holding} {by} WHERE organization_id = '{id}'"
            )
        };
        world.sql(&change("+ 250000000")).await;
        owner.post("/contacts", contact("0241000002")).await.fails(409, code);
        world.sql(&change("- 250000000")).await;
    }
    world
        .sql(&format!(
            "UPDATE contact_counts SET contacts = contacts + 250000 WHERE organization_id = '{id}'"
        ))
        .await;
    let path = format!("/contacts/{}", first["id"].as_str().unwrap());
    owner.call(Method::PATCH, &path, Some(json!({"firstName": "Ama"}))).await.data(200);
    world
        .sql(&format!(
            "INSERT INTO wallet_credits (organization_id, id, kind, reference, amount_micros, \
                created_at, is_entered) \
             VALUES ('{id}', gen_random_uuid(), 'TOP_UP', 'r', 1000000, now(), true)"
        ))
        .await;
    owner.post("/contacts", contact("0241000002")).await.data(201);
    let paid = limits().await;
    assert_eq!(paid["contacts"], json!({"limit": 10_000_000, "used": 250_002}));
}

#[tokio::test]
async fn at_most_fifty_approvals_of_an_organization_wait() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let risky = json!({
        "name": "Due", "channel": "SMS", "body": "Premium due", "category": "INSURANCE",
    });
    let make = async || tenant.owner().post("/templates", risky.clone()).await;
    let mut last = Value::Null;
    for _ in 0..50 {
        last = make().await.data(201).clone();
    }

    make().await.fails(409, "PENDING_APPROVAL_LIMIT_REACHED");

    let path = format!("/templates/{}", last["id"].as_str().unwrap());
    let edit = Some(json!({"body": "Premium due soon"}));
    tenant.owner().call(Method::PATCH, &path, edit).await.data(200);
    let limits = tenant.owner().get("/organizations/limits").await.data(200).clone();
    assert_eq!(limits["pendingApprovals"], json!({"limit": 50, "used": 50}));
    assert_eq!(limits["dailyApprovals"], json!({"limit": 200, "used": 51}));
    let harmless = json!({"name": "Hi", "channel": "SMS", "body": "Your order is ready."});
    tenant.owner().post("/templates", harmless).await.data(201);
}
