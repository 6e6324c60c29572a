//! Prices and plans set by administrators, and the resulting costs of messages.

use acceptance::{Caller, World, until};
use reqwest::Method;
use serde_json::{Value, json};

use crate::shared::settings::ONE_SECRET;

async fn patch(admin: &Caller, id: &Value, changes: Value) -> acceptance::Answer {
    let path = format!("/admin/pricing/{}", id.as_str().unwrap());
    admin.call(Method::PATCH, &path, Some(changes)).await
}

/// Returns the cost of an SMS to Ghana for the caller.
async fn cost(caller: &Caller) -> Value {
    let message = json!({"channel": "SMS", "to": "0241234567", "body": "Akwaaba", "async": true});
    caller.post("/messages/send", message).await.data(202)["cost"].clone()
}

#[tokio::test]
async fn a_new_price_applies_at_once_on_every_instance() {
    let (one, other) = World::shared_pair(ONE_SECRET).await;
    let admin = one.administrator().await;
    let (tenant, rest) = (one.tenant().await, one.tenant().await);
    let (here, elsewhere) = (tenant.owner(), tenant.at(&other).owner());
    assert_eq!((cost(&here).await, cost(&elsewhere).await), (json!(0.035), json!(0.035)));

    let price = json!({
        "organizationId": tenant.id, "channel": "SMS", "countryCode": "gh", "unitPrice": 0.02,
    });
    let rule = admin.post("/admin/pricing", price.clone()).await.data(201).clone();

    assert_eq!((&rule["unitPrice"], &rule["countryCode"]), (&json!(0.02), &json!("GH")));
    assert_eq!((&rule["isActive"], &rule["endedAt"]), (&json!(true), &Value::Null));
    assert_eq!((cost(&here).await, cost(&rest.owner()).await), (json!(0.02), json!(0.035)));
    until("the other instance knows", async || cost(&elsewhere).await == 0.02).await;
    admin.post("/admin/pricing", price).await.fails(409, "PRICING_RULE_EXISTS");

    let dearer =
        patch(&admin, &rule["id"], json!({"unitPrice": 0.000_001})).await.data(200).clone();
    assert_ne!(dearer["id"], rule["id"]);
    assert_eq!(cost(&here).await, json!(0.000_001));
    until("the other instance knows", async || cost(&elsewhere).await == 0.000_001).await;
    patch(&admin, &rule["id"], json!({"unitPrice": 1})).await.fails(409, "PRICING_ENDED");
    let shown = tenant.owner().get("/billing/pricing").await.data(200).clone();
    let is_shown = |of: &Value, id: &Value| {
        of["rules"].as_array().unwrap().iter().any(|rule| rule["id"] == *id)
    };
    assert!(is_shown(&shown, &dearer["id"]) && !is_shown(&shown, &rule["id"]));
    let others = rest.owner().get("/billing/pricing").await.data(200).clone();
    assert!(!is_shown(&others, &dearer["id"]));

    patch(&admin, &dearer["id"], json!({"isActive": false})).await.data(200);
    assert_eq!(cost(&here).await, json!(0.035));
    let path = format!("/admin/pricing?organizationId={}", tenant.id);
    let history = admin.get(&path).await.data(200).clone();
    let history: Vec<_> =
        history.as_array().unwrap().iter().map(|it| (&it["id"], &it["isActive"])).collect();
    assert_eq!(history, [(&dearer["id"], &json!(false)), (&rule["id"], &json!(false))]);
    let lines = format!(
        "SELECT count(*) FROM audit_log WHERE organization_id = '{}' AND action LIKE 'pricing_rule.%'",
        tenant.id
    );
    // A rejected duplicate of a price is audited, too.
    assert_eq!(one.value(&lines).await, 4);
    tenant.assert_ledger_adds_up().await;
}

#[tokio::test]
async fn rejects_invalid_prices_and_keeps_a_general_price() {
    let world = World::start().await;
    let (admin, tenant) = (world.administrator().await, world.tenant().await);
    let unknown = "01a1fe23-0000-7000-8000-00000000000f";
    for (field, value) in [
        ("unitPrice", json!(-0.01)),
        ("unitPrice", json!(0.000_000_1)),
        ("unitPrice", json!(1_000.01)),
        ("unitPrice", json!("0.02")),
        ("unitPrice", Value::Null),
        ("channel", json!("FAX")),
        ("countryCode", json!("Ghana")),
        ("organizationId", json!(unknown)),
        ("organizationId", json!("x")),
    ] {
        let mut price = json!({"channel": "SMS", "countryCode": "NG", "unitPrice": 0.04});
        price[field] = value;
        let answer = admin.post("/admin/pricing", price.clone()).await;
        let faults = &answer.fails(400, "VALIDATION_ERROR")["fieldErrors"];
        assert_eq!(faults.as_object().unwrap().keys().collect::<Vec<_>>(), [field], "{price}");
    }
    patch(&admin, &json!(unknown), json!({"unitPrice": 1})).await.fails(404, "NOT_FOUND");

    let listed = admin.get("/admin/pricing?channel=SMS&isActive=true").await.data(200).clone();
    assert_eq!(listed.as_array().unwrap().len(), 2);
    let general = listed.as_array().unwrap().iter().find(|it| it["countryCode"].is_null()).unwrap();
    let ended = patch(&admin, &general["id"], json!({"isActive": false})).await;
    ended.fails(409, "GENERAL_PRICE_NEEDED");
    let both = patch(&admin, &general["id"], json!({"isActive": false, "unitPrice": 1})).await;
    both.fails(400, "VALIDATION_ERROR");
    let free = patch(&admin, &general["id"], json!({"unitPrice": 0})).await.data(200).clone();
    assert_eq!((&free["unitPrice"], &free["organizationId"]), (&json!(0.0), &Value::Null));
    let abroad =
        json!({"channel": "SMS", "to": "+2348031234567", "body": "Akwaaba", "async": true});
    assert_eq!(tenant.owner().post("/messages/send", abroad).await.data(202)["cost"], 0.0);
}

#[tokio::test]
async fn plans_are_created_changed_and_ended() {
    let world = World::shared().await;
    let (admin, tenant) = (world.administrator().await, world.tenant().await);
    let plan = json!({
        "name": "Harmattan", "monthlyFee": 99.5, "includedMessages": 500, "features": ["Campaigns"],
    });
    let offered = async || {
        let pricing = tenant.owner().get("/billing/pricing").await.data(200).clone();
        let plans = pricing["plans"].as_array().unwrap().clone();
        plans.into_iter().find(|plan| plan["name"] == "Harmattan")
    };
    let made = admin.post("/admin/pricing/plans", plan.clone()).await.data(201).clone();
    admin.post("/admin/pricing/plans", plan).await.fails(409, "PLAN_EXISTS");
    assert_eq!(offered().await.unwrap()["monthlyFee"], 99.5);
    let change = async |id: &Value, changes: Value| {
        let path = format!("/admin/pricing/plans/{}", id.as_str().unwrap());
        admin.call(Method::PATCH, &path, Some(changes)).await
    };

    let dearer = change(&made["id"], json!({"monthlyFee": 120})).await.data(200).clone();

    assert_eq!(
        (&dearer["includedMessages"], &dearer["features"]),
        (&json!(500), &json!(["Campaigns"]))
    );
    assert_eq!(offered().await.unwrap()["id"], dearer["id"]);
    change(&made["id"], json!({"monthlyFee": 1})).await.fails(409, "PRICING_ENDED");
    let ended = change(&dearer["id"], json!({"isActive": false})).await.data(200).clone();
    assert!(ended["endedAt"].is_string());
    assert!(offered().await.is_none());
    let listed = admin.get("/admin/pricing/plans?isActive=false").await.data(200).clone();
    let listed = listed.as_array().unwrap().iter().filter(|plan| plan["name"] == "Harmattan");
    assert_eq!(listed.map(|plan| &plan["id"]).collect::<Vec<_>>(), [&dearer["id"], &made["id"]]);
    change(&dearer["id"], json!({"isActive": true})).await.data(200);
    assert_eq!(offered().await.unwrap()["monthlyFee"], 120.0);
    let faulty = json!({"name": "", "monthlyFee": -1, "includedMessages": -1, "features": [""]});
    let faults = admin.post("/admin/pricing/plans", faulty).await;
    let faults = faults.fails(400, "VALIDATION_ERROR")["fieldErrors"].as_object().unwrap().clone();
    let named: Vec<_> = faults.keys().collect();
    assert_eq!(named, ["features.0", "includedMessages", "monthlyFee", "name"]);
}
