//! Organizations, as platform administrators see and change them.

use std::time::Duration;

use acceptance::{Caller, World, until};
use reqwest::Method;
use serde_json::{Value, json};

#[tokio::test]
async fn administrators_see_all_organizations_with_their_wallets() {
    let world = World::start().await;
    let (admin, first) = (world.administrator().await, world.tenant().await);
    let (second, third) = (world.tenant().await, world.tenant().await);
    world.user("kofi@example.com").await;
    let invitation = json!({"email": "kofi@example.com", "role": "VIEWER"});
    first.owner().post("/organizations/invite", invitation).await.data(201);
    first.set_balance(7_500_000).await;

    let page = admin.get("/admin/tenants?limit=2").await;
    let listed = page.data(200).as_array().unwrap().clone();
    assert_eq!(page.body["pagination"]["total"], 3);
    let ids: Vec<_> = listed.iter().map(|it| it["id"].as_str().unwrap()).collect();
    assert_eq!(ids, [third.id.as_str(), second.id.as_str()]);
    let shown = admin.get("/admin/tenants?limit=2&page=2").await.data(200)[0].clone();
    assert_eq!((&shown["id"], &shown["walletBalance"]), (&json!(first.id), &json!(7.5)));
    assert_eq!((&shown["memberCount"], &shown["currency"]), (&json!(2), &json!("GHS")));
    assert_eq!((&shown["suspendedAt"], &shown["limits"]["live"]), (&Value::Null, &Value::Null));
    assert!(shown["name"].as_str().unwrap().starts_with("Kente"));
    assert!(shown["createdAt"].is_string());
    let one = admin.get(&format!("/admin/tenants/{}", first.id)).await.data(200).clone();
    assert_eq!(one, shown);

    let rename = json!({"name": "Adinkra Cloth"});
    second.owner().call(Method::PATCH, "/organizations/current", Some(rename)).await.data(200);
    let found = admin.get("/admin/tenants?search=adinkra").await;
    assert_eq!(
        (&found.data(200)[0]["id"], &found.body["pagination"]["total"]),
        (&json!(second.id), &json!(1))
    );
    admin.get("/admin/tenants?suspended=maybe").await.fails(400, "VALIDATION_ERROR");
    admin.get("/admin/tenants?limit=101").await.fails(400, "VALIDATION_ERROR");
}

#[tokio::test]
async fn only_administrators_see_and_change_platform_data() {
    let world = World::shared().await;
    let (admin, tenant) = (world.administrator().await, world.tenant().await);
    let unknown = "01a1fe23-0000-7000-8000-00000000000f";
    let price = json!({"channel": "SMS", "unitPrice": 1});
    let plan = json!({"name": "Own", "monthlyFee": 1, "includedMessages": 1});
    let (own, nobody) =
        (format!("/admin/tenants/{}", tenant.id), format!("/admin/tenants/{unknown}"));
    for (method, path, body) in [
        (Method::GET, "/admin/tenants".to_owned(), None),
        (Method::GET, own.clone(), None),
        (Method::PATCH, own.clone(), Some(json!({"screening": false}))),
        (Method::POST, format!("{own}/suspend"), Some(json!({"reason": "why"}))),
        (Method::POST, format!("{own}/restore"), None),
        (Method::GET, "/admin/revenue".to_owned(), None),
        (Method::GET, "/admin/pricing".to_owned(), None),
        (Method::POST, "/admin/pricing".to_owned(), Some(price.clone())),
        (Method::PATCH, format!("/admin/pricing/{unknown}"), Some(json!({"unitPrice": 1}))),
        (Method::GET, "/admin/pricing/plans".to_owned(), None),
        (Method::POST, "/admin/pricing/plans".to_owned(), Some(plan.clone())),
        (Method::PATCH, format!("/admin/pricing/plans/{unknown}"), Some(json!({"monthlyFee": 1}))),
    ] {
        tenant.owner().call(method.clone(), &path, body.clone()).await.fails(403, "FORBIDDEN");
        world.call(method, &path, body).await.fails(401, "UNAUTHORIZED");
    }
    admin.get(&nobody).await.fails(404, "NOT_FOUND");
    let reason = json!({"reason": "why"});
    for unknown in [nobody.as_str(), "/admin/tenants/00000000-0000-7000-8000-000000000000"] {
        admin.post(&format!("{unknown}/suspend"), reason.clone()).await.fails(404, "NOT_FOUND");
        admin.call(Method::POST, &format!("{unknown}/restore"), None).await.fails(404, "NOT_FOUND");
    }
}

async fn limit(admin: &Caller, tenant: &str, limits: Value) -> Value {
    let path = format!("/admin/tenants/{tenant}");
    let answer = admin.call(Method::PATCH, &path, Some(json!({ "limits": limits }))).await;
    answer.data(200)["limits"].clone()
}

#[tokio::test]
async fn an_organizations_own_limits_apply_on_every_instance() {
    let secret = ("ATUMPAN_JWT_SECRET", "a secret that all instances share");
    let one = World::start_with(&[secret]).await;
    let other = World::start_on(one.database.clone(), &[secret]).await;
    let admin = one.administrator().await;
    let (tenant, free) = (one.tenant().await, one.tenant().await);
    let (elsewhere, free) = (tenant.at(&other).owner(), free.at(&other).owner());
    let bulk = || {
        let message = json!({"channel": "PUSH", "to": "device-1", "body": "Akwaaba"});
        json!({"messages": vec![message; 20], "async": true})
    };
    elsewhere.post("/messages/bulk", bulk()).await.data(202);

    let live = json!({"perSecond": 1, "burst": 20});
    let limits = limit(&admin, &tenant.id, json!({"live": live, "requests": null})).await;
    let expected = json!({"live": live, "sandbox": null, "requests": null, "invoiceCredit": null});
    assert_eq!(limits, expected);
    tokio::time::sleep(Duration::from_secs(1)).await;
    let mut statuses = Vec::new();
    for _ in 0..3 {
        statuses.push(elsewhere.post("/messages/bulk", bulk()).await.status);
        free.post("/messages/bulk", bulk()).await.data(202);
    }
    assert_eq!(statuses[2], 429, "{statuses:?}");

    assert_eq!(limit(&admin, &tenant.id, json!({"live": null})).await["live"], Value::Null);
    let passes = async || elsewhere.post("/messages/bulk", bulk()).await.status == 202;
    until("it is counted as all others again", passes).await;
    let line = "SELECT count(*) FROM audit_log WHERE action = 'tenant.updated' \
                AND details ->> 'liveLimit' IN ('1/20', 'as for all')";
    assert_eq!(one.value(line).await, 2);
}

#[tokio::test]
async fn an_organization_may_have_its_own_invoice_credit_limit() {
    let world = World::start_with(&[
        ("ATUMPAN_INVOICE_CREDIT", "at-once"),
        ("ATUMPAN_INVOICE_CREDIT_LIMIT_GHS", "100"),
    ])
    .await;
    let (admin, tenant) = (world.administrator().await, world.tenant().await);
    let issue = async |amount: f64| {
        let invoice = json!({"amount": amount, "paymentMethod": "invoice"});
        tenant.owner().post("/billing/top-up", invoice).await.data(200)["status"].clone()
    };
    let before = tenant.balance().await;

    for (limit, amount, status) in [
        (json!(0), 10.0, "PENDING"),
        (json!(20.5), 20.5, "CREDITED"),
        (json!(20.5), 1.0, "PENDING"),
        (Value::Null, 79.5, "CREDITED"),
        (Value::Null, 1.0, "PENDING"),
    ] {
        let limits = self::limit(&admin, &tenant.id, json!({"invoiceCredit": limit})).await;
        assert_eq!(limits["invoiceCredit"].as_f64(), limit.as_f64());
        assert_eq!(issue(amount).await, status, "{amount} within {limit}");
    }

    assert!((tenant.balance().await - before - 100.0).abs() < 1e-9);
    let line = "SELECT count(*) FROM audit_log WHERE action = 'tenant.updated' \
                AND details ->> 'invoiceCreditLimit' IN ('GHS 0.00', 'GHS 20.50', 'as for all')";
    assert_eq!(world.value(line).await, 5);
}

#[tokio::test]
async fn an_invalid_limit_is_reported_by_name() {
    let world = World::shared().await;
    let (admin, tenant) = (world.administrator().await, world.tenant().await);
    let path = format!("/admin/tenants/{}", tenant.id);
    for (limits, field) in [
        (json!({"live": {"perSecond": 0, "burst": 5}}), "limits.live.perSecond"),
        (json!({"live": {"perSecond": 1_000_001, "burst": 5}}), "limits.live.perSecond"),
        (json!({"sandbox": {"perSecond": 5}}), "limits.sandbox.burst"),
        (json!({"requests": {"perSecond": "5", "burst": 5}}), "limits.requests.perSecond"),
        (json!({"requests": 5}), "limits.requests"),
        (json!({"invoiceCredit": -0.01}), "limits.invoiceCredit"),
        (json!({"invoiceCredit": 1_000_000.01}), "limits.invoiceCredit"),
        (json!({"invoiceCredit": 0.005}), "limits.invoiceCredit"),
        (json!({"invoiceCredit": "500"}), "limits.invoiceCredit"),
        (json!({"guests": null}), "limits.guests"),
        (json!(5), "limits"),
    ] {
        let body = json!({ "limits": limits });
        let answer = admin.call(Method::PATCH, &path, Some(body)).await;
        let faults = &answer.fails(400, "VALIDATION_ERROR")["fieldErrors"];
        let named: Vec<_> = faults.as_object().unwrap().keys().collect();
        assert_eq!(named, [field], "{limits}");
        assert_eq!(faults[field].as_array().unwrap().len(), 1, "{faults}");
    }
}

#[tokio::test]
async fn revenue_counts_only_messages_that_did_not_fail() {
    let world = World::start().await;
    let (admin, tenant, other) =
        (world.administrator().await, world.tenant().await, world.tenant().await);
    let send = async |to: &str| {
        let message = json!({"channel": "SMS", "to": to, "body": "Akwaaba", "async": true});
        tenant.owner().post("/messages/send", message).await.data(202)["id"].clone()
    };
    let before = admin.get("/admin/revenue").await.data(200).clone();
    assert_eq!((&before["totalRevenue"], &before["messageCount"]), (&json!(0.0), &json!(0)));
    assert_eq!(before["months"].as_array().unwrap().len(), 12);
    let (paid, failed) = (send("0241234567").await, send("0240000000").await);
    tenant.owner().message_that_is("DELIVERED", &paid).await;
    tenant.owner().message_that_is("FAILED", &failed).await;
    let key = tenant.api_key(json!({"name": "sandbox"})).await;
    let rehearsal = json!({"channel": "SMS", "to": "0241234567", "body": "Akwaaba"});
    key.post("/messages/send", rehearsal).await.data(201);

    let revenue = admin.get("/admin/revenue").await.data(200).clone();

    assert_eq!((&revenue["totalRevenue"], &revenue["messageCount"]), (&json!(0.035), &json!(2)));
    assert_eq!(revenue["currency"], "GHS");
    assert_eq!(revenue["months"][0]["revenue"], 0.035);
    assert_eq!(revenue["channels"][0], json!({"channel": "SMS", "revenue": 0.035, "messages": 2}));
    let wallets = tenant.balance().await + other.balance().await;
    assert!((revenue["walletBalances"].as_f64().unwrap() - wallets).abs() < 1e-9);
}
