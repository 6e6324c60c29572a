//! Closing of organizations by their owners, and its end.

use acceptance::{Answer, Tenant, World, until};
use serde_json::{Value, json};

use crate::{
    money::gateway::{assert_amount, call_webhook_signed, exceptions, paid, top_up, with_gateway},
    shared::settings::ONE_SECRET,
};

const CURRENT: &str = "/organizations/current";
const PASSWORD: &str = "correct horse";

async fn close(tenant: &Tenant<'_>, body: Value) -> Answer {
    tenant.owner().post("/organizations/current/close", body).await
}

async fn close_with_balance(tenant: &Tenant<'_>) -> Value {
    close(tenant, json!({"password": PASSWORD, "forfeit": true})).await.data(200).clone()
}

async fn restore(tenant: &Tenant<'_>) -> Answer {
    tenant.owner().post("/organizations/current/restore", json!({})).await
}

fn push() -> Value {
    json!({"channel": "PUSH", "to": "device-1", "body": "Akwaaba", "async": true})
}

#[tokio::test]
async fn an_owner_proves_the_password_and_gives_up_the_balance() {
    let world = World::shared().await;
    let tenant = world.tenant().await;

    for body in [json!({}), json!({"password": "wrong password"})] {
        let answer = close(&tenant, body).await;
        let faults = &answer.fails(400, "VALIDATION_ERROR")["fieldErrors"];
        assert!(faults["password"].is_array(), "{faults}");
    }
    close(&tenant, json!({"password": PASSWORD})).await.fails(409, "WALLET_NOT_EMPTY");
    let open = tenant.owner().get(CURRENT).await.data(200).clone();
    assert_eq!((&open["closedAt"], &open["wallet"]["balance"]), (&Value::Null, &json!(10.0)));

    let closed = close_with_balance(&tenant).await;

    assert!(closed["closedAt"].is_string(), "{closed}");
    assert_amount(tenant.balance().await, 0.0);
    let ledger = tenant.owner().get("/billing/ledger").await.data(200).clone();
    let movement = ledger.as_array().unwrap().iter().find(|it| it["reference"] == "forfeited");
    let movement = movement.unwrap();
    assert_eq!((&movement["kind"], &movement["amount"]), (&json!("CORRECTION"), &json!(-10.0)));
    tenant.assert_ledger_adds_up().await;
    assert_eq!(close_with_balance(&tenant).await["closedAt"], closed["closedAt"], "once");
}

#[tokio::test]
async fn a_closed_organization_accepts_nothing_until_it_is_restored() {
    let world = World::shared().await;
    let (admin, tenant) = (world.administrator().await, world.tenant().await);
    let owner = tenant.owner();
    let key = tenant.api_key(json!({"name": "sandbox"})).await;
    let sent = key.post("/messages/send", push()).await.data(202)["id"].clone();
    let message = format!("/messages/{}", sent.as_str().unwrap());

    let closed_at = close_with_balance(&tenant).await["closedAt"].clone();

    for (path, body) in [
        ("/messages/send", push()),
        ("/events/trigger", json!({"event": "parcel", "to": "0241234567"})),
        ("/contacts", json!({"firstName": "Ama"})),
        ("/api-keys", json!({"name": "another"})),
        ("/billing/top-up", json!({"amount": 5})),
    ] {
        owner.post(path, body).await.fails(403, "ORGANIZATION_CLOSED");
    }
    key.post("/messages/send", push()).await.fails(403, "ORGANIZATION_CLOSED");
    for path in [message.as_str(), "/api-keys/current"] {
        key.get(path).await.fails(403, "ORGANIZATION_CLOSED");
    }
    for path in [CURRENT, "/delivery-logs", "/billing/ledger", "/api-keys", &message] {
        owner.get(path).await.data(200);
    }
    let me = owner.get("/auth/me").await.data(200).clone();
    assert_eq!(me["organizations"][0]["closedAt"], closed_at);
    let shown = admin.get(&format!("/admin/tenants/{}", tenant.id)).await;
    assert_eq!(shown.data(200)["closedAt"], closed_at);

    assert_eq!(restore(&tenant).await.data(200)["closedAt"], Value::Null);
    assert_eq!(restore(&tenant).await.data(200)["closedAt"], Value::Null);

    key.post("/messages/send", push()).await.data(202);
    owner.post("/contacts", json!({"firstName": "Ama"})).await.data(201);
    let audit = owner.get("/organizations/audit").await.data(200).clone();
    for action in ["organization.closed", "organization.restored"] {
        let lines = audit.as_array().unwrap().iter().filter(|it| it["action"] == action);
        assert_eq!(lines.count(), 1, "{action}");
    }
}

#[tokio::test]
async fn a_month_later_nobody_restores_it() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    close_with_balance(&tenant).await;
    let month = "closed_at = now() - interval '30 days'";
    world.sql(&format!("UPDATE organizations SET {month} WHERE id = '{}'", tenant.id)).await;

    restore(&tenant).await.fails(404, "NOT_FOUND");

    assert!(tenant.owner().get(CURRENT).await.data(200)["closedAt"].is_string());
}

#[tokio::test]
async fn its_owners_are_mailed_and_its_campaigns_are_cancelled() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    tenant.verify_email().await;
    let campaign = json!({
        "name": "Sale", "channel": "SMS", "body": "Akwaaba. Reply STOP to opt out",
        "scheduledAt": "2999-01-01T09:00:00Z",
    });
    let owner = tenant.owner();
    let id = owner.post("/campaigns", campaign).await.data(201)["id"].clone();
    let path = format!("/campaigns/{}", id.as_str().unwrap());
    let sent = owner.post(&format!("{path}/send"), json!({})).await;
    assert_eq!(sent.data(200)["status"], "SCHEDULED");

    close_with_balance(&tenant).await;
    close_with_balance(&tenant).await;

    assert_eq!(owner.get(&path).await.data(200)["status"], "CANCELLED");
    let mails = format!(
        "SELECT count(*) FROM delivery_logs WHERE recipient = '{}' \
            AND subject = 'Your organization was closed'",
        tenant.email
    );
    assert_eq!(world.value(&mails).await, 1);
}

#[tokio::test]
async fn a_payment_after_the_closing_is_kept_for_administrators() {
    let world = with_gateway().await;
    let tenant = world.tenant().await;
    let begun = top_up(&tenant.owner(), 5.0).await;
    close_with_balance(&tenant).await;

    call_webhook_signed(&world, &paid(&begun["reference"], 500)).await.data(200);

    assert_eq!(exceptions(&tenant, "ORGANIZATION_CLOSED").await, 1);
    assert_amount(tenant.balance().await, 0.0);
    tenant.assert_ledger_adds_up().await;
}

#[tokio::test]
async fn other_instances_refuse_as_well_within_moments() {
    let (one, other) = World::shared_pair(ONE_SECRET).await;
    let tenant = one.tenant().await;
    let elsewhere = tenant.at(&other);
    elsewhere.owner().post("/messages/send", push()).await.data(202);

    close_with_balance(&tenant).await;

    let refuses = async || elsewhere.owner().post("/messages/send", push()).await.status == 403;
    until("the other instance knows", refuses).await;
}
