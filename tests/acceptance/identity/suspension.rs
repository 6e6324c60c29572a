//! Suspension of organizations and its effect on their messages.

use std::time::Duration;

use acceptance::{Caller, Tenant, World, until};
use serde_json::{Value, json};

use crate::{
    providers::vendor::{Installation, Vendor, provider},
    shared::settings::ONE_SECRET,
};

const REASON: &str = "Recipients report that messages ask for PINs.";

async fn suspend(admin: &Caller, tenant: &Tenant<'_>) -> Value {
    let path = format!("/admin/tenants/{}/suspend", tenant.id);
    admin.post(&path, json!({ "reason": REASON })).await.data(200).clone()
}

async fn restore(admin: &Caller, tenant: &Tenant<'_>) -> Value {
    let path = format!("/admin/tenants/{}/restore", tenant.id);
    admin.post(&path, json!({})).await.data(200).clone()
}

fn sms() -> Value {
    json!({"channel": "SMS", "to": "0241234567", "body": "Akwaaba"})
}

/// Returns the number of mails to that address with that subject.
async fn mails(world: &World, address: &str, subject: &str) -> i64 {
    let query = format!(
        "SELECT count(*) FROM delivery_logs WHERE recipient = '{address}' \
            AND subject = 'Your organization {subject}'"
    );
    world.value(&query).await
}

#[tokio::test]
async fn a_suspended_organization_can_read_but_not_send() {
    let (one, other) = World::shared_pair(ONE_SECRET).await;
    let admin = one.administrator().await;
    let (tenant, free) = (one.tenant().await, one.tenant().await);
    tenant.verify_email().await;
    let (owner, elsewhere) = (tenant.owner(), tenant.at(&other).owner());
    let sent = owner.post("/messages/send", sms()).await.data(201)["id"].clone();
    elsewhere.post("/messages/send", sms()).await.data(201);
    let campaign = json!({"name": "Sale", "channel": "SMS", "body": "Sale. Reply STOP to end"});
    let campaign = owner.post("/campaigns", campaign).await.data(201)["id"].clone();
    let campaign = campaign.as_str().unwrap();

    let shown = suspend(&admin, &tenant).await;

    assert_eq!((&shown["id"], &shown["suspensionReason"]), (&json!(tenant.id), &json!(REASON)));
    assert_eq!(suspend(&admin, &tenant).await, shown, "once is enough");
    let name = shown["name"].as_str().unwrap().replace(' ', "%20");
    let listed = admin.get(&format!("/admin/tenants?suspended=true&search={name}")).await;
    assert_eq!(
        (&listed.data(200)[0]["id"], &listed.body["pagination"]["total"]),
        (&shown["id"], &json!(1))
    );
    let refused = owner.post("/messages/send", sms()).await;
    refused.fails(403, "ORGANIZATION_SUSPENDED");
    tokio::time::sleep(Duration::from_secs(1)).await;
    let bulk = json!({"messages": [sms()], "async": true});
    let trigger = json!({"event": "parcel", "to": "0241234567"});
    for (path, body) in [
        ("/messages/send", sms()),
        ("/messages/bulk", bulk),
        ("/events/trigger", trigger),
        (format!("/campaigns/{campaign}/send").as_str(), json!({})),
        (format!("/campaigns/{campaign}/resume").as_str(), json!({})),
    ] {
        elsewhere.post(path, body).await.fails(403, "ORGANIZATION_SUSPENDED");
    }
    let key = tenant.api_key(json!({"name": "sandbox"})).await;
    key.post("/messages/send", sms()).await.fails(403, "ORGANIZATION_SUSPENDED");
    for path in ["/delivery-logs", "/billing/wallet", "/campaigns", "/organizations/current"] {
        elsewhere.get(path).await.data(200);
    }
    owner.get(&format!("/messages/{}", sent.as_str().unwrap())).await.data(200);
    owner.post("/contacts", json!({"firstName": "Ama"})).await.data(201);
    free.owner().post("/messages/send", sms()).await.data(201);
    assert_eq!(mails(&one, &tenant.email, "was suspended").await, 1);

    assert_eq!(restore(&admin, &tenant).await["suspendedAt"], Value::Null);
    restore(&admin, &tenant).await;

    owner.post("/messages/send", sms()).await.data(201);
    let sends = async || elsewhere.post("/messages/send", sms()).await.status == 201;
    until("it sends everywhere", sends).await;
    assert_eq!(mails(&one, &tenant.email, "can send again").await, 1);
    for action in ["suspended", "restored"] {
        let lines = format!(
            "SELECT count(*) FROM audit_log \
             WHERE organization_id = '{}' AND action = 'tenant.{action}'",
            tenant.id
        );
        assert_eq!(one.value(&lines).await, 1, "{action}");
    }
}

#[tokio::test]
async fn a_suspension_needs_a_reason_of_one_line() {
    let world = World::shared().await;
    let (admin, tenant) = (world.administrator().await, world.tenant().await);
    let path = format!("/admin/tenants/{}/suspend", tenant.id);
    let long = "a".repeat(501);
    for body in
        [json!({}), json!({"reason": " "}), json!({"reason": long}), json!({"reason": "a\nb"})]
    {
        let answer = admin.post(&path, body).await;
        let faults = &answer.fails(400, "VALIDATION_ERROR")["fieldErrors"];
        assert!(faults["reason"].is_array(), "{faults}");
    }
    tenant.owner().post("/messages/send", sms()).await.data(201);
}

const QUEUED: &str = "SELECT count(*) FROM delivery_logs \
                      WHERE campaign_id IS NOT NULL AND status IN ('QUEUED', 'PENDING')";
const HELD: &str = "SELECT count(*) FROM delivery_jobs \
                    WHERE held_by = organization_id AND lease IS NULL";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn waiting_messages_are_held_until_the_suspension_ends() {
    const CONTACTS: usize = 30;
    let vendor = Vendor::start().await;
    let url = vendor.url();
    let slow = provider("slow", "africas-talking", &url, 1).with("max_per_second = 5");
    let service = Installation::start(&[slow]).await;
    let world = &service.world;
    let (admin, tenant) = (world.administrator().await, world.tenant().await);
    for contact in 0..CONTACTS {
        let phone = format!("02412345{contact:02}");
        let contact = json!({"firstName": format!("Ama {contact}"), "phone": phone});
        tenant.owner().post("/contacts", contact).await.data(201);
    }
    let body = "{{firstName}}, our sale begins on Saturday. Reply STOP to opt out.";
    let campaign = json!({"name": "Sale", "channel": "SMS", "body": body});
    let id = tenant.owner().post("/campaigns", campaign).await.data(201)["id"].clone();
    let send = format!("/campaigns/{}/send", id.as_str().unwrap());
    tenant.owner().post(&send, json!({})).await.data(200);
    until("some messages are sent", async || vendor.calls() >= 3).await;

    suspend(&admin, &tenant).await;
    let are_held = async || {
        let (queued, held) = (world.value(QUEUED).await, world.value(HELD).await);
        queued > 0 && queued == held
    };
    until("all messages that wait are held back", are_held).await;
    let sent = vendor.calls();
    tokio::time::sleep(Duration::from_secs(3)).await;
    assert_eq!(vendor.calls(), sent, "nothing goes");

    restore(&admin, &tenant).await;
    until("each message went", async || vendor.calls() >= CONTACTS).await;
    until("nothing waits any more", async || world.value(QUEUED).await == 0).await;
    assert_eq!((vendor.calls(), world.value(HELD).await), (CONTACTS, 0));
    assert_eq!(tenant.refunds().await, 0);
    tenant.assert_ledger_adds_up().await;
}
