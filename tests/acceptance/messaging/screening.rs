//! Screening of the texts that an organization sends directly.

use acceptance::{Caller, Tenant, World, until};
use reqwest::Method;
use serde_json::{Value, json};

/// Text that asks for a secret, and scores over 60.
const SCAM: &str = "You have won GHS 5,000 in the MTN promo! Send your MoMo PIN to 0241234567 now to \
                    claim your prize.";

async fn screen(admin: &Caller, tenant: &Tenant<'_>, screening: bool) -> Value {
    let path = format!("/admin/tenants/{}", tenant.id);
    let answer = admin.call(Method::PATCH, &path, Some(json!({"screening": screening}))).await;
    answer.data(200).clone()
}

fn direct(body: &str) -> Value {
    json!({"channel": "SMS", "to": "0241234567", "body": body})
}

async fn send(caller: &Caller, message: Value) -> Value {
    caller.post("/messages/send", message).await.data(201).clone()
}

/// Inserts an approved template and returns its identifier.
async fn template(tenant: &Tenant<'_>, body: &str) -> String {
    let slot = &tenant.id[tenant.id.len() - 3..];
    let id = format!("01a1fe23-0000-7000-8000-000000000{slot}");
    let insert = format!(
        "INSERT INTO templates (id, organization_id, name, channel, category, country_code, language, \
            body, variables, status, created_at) \
         VALUES ('{id}', '{}', 't', 'SMS', 'TRANSACTIONAL', 'GH', 'en', '{body}', '{{}}', 'APPROVED', \
            now())",
        tenant.id
    );
    tenant.world.sql(&insert).await;
    id
}

#[tokio::test]
async fn a_risky_text_of_a_screened_organization_fails_and_is_refunded() {
    let world = World::shared().await;
    let admin = world.administrator().await;
    let (screened, other) = (world.tenant().await, world.tenant().await);
    let before = screened.balance().await;

    let shown = screen(&admin, &screened, true).await;

    assert_eq!((&shown["id"], &shown["screening"]), (&json!(screened.id), &json!(true)));
    assert!(shown["name"].as_str().unwrap().starts_with("Kente"));
    let message = send(&screened.owner(), direct(SCAM)).await;
    assert_eq!(
        (&message["status"], &message["errorCode"]),
        (&json!("FAILED"), &json!("BLOCKED_CONTENT"))
    );
    assert_eq!((&message["refunded"], &message["provider"]), (&json!(true), &Value::Null));
    assert_eq!(message["attempts"], json!([]));
    let reason = message["errorMessage"].as_str().unwrap();
    assert!(reason.starts_with("screening scored the text "), "{reason}");
    until("the refund is in the wallet", async || screened.balance().await >= before).await;
    screened.assert_ledger_adds_up().await;

    assert_ne!(send(&screened.owner(), direct("Akwaaba")).await["status"], "FAILED");
    assert_ne!(send(&other.owner(), direct(SCAM)).await["status"], "FAILED");
    let template = template(&screened, SCAM).await;
    let prepared = json!({"channel": "SMS", "to": "0241234567", "templateId": template});
    let filled = send(&screened.owner(), prepared).await;
    assert_eq!(filled["errorCode"], "BLOCKED_CONTENT", "a template is scored as it is filled");
    let sandbox = screened.api_key(json!({"name": "sandbox"})).await;
    assert_eq!(send(&sandbox, direct(SCAM)).await["errorCode"], "BLOCKED_CONTENT");

    screen(&admin, &screened, false).await;
    assert_ne!(send(&screened.owner(), direct(SCAM)).await["status"], "FAILED");
}

#[tokio::test]
async fn a_template_of_mostly_placeholders_is_always_scored() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let made = async |request: Value| {
        let template = tenant.owner().post("/templates", request).await.data(201).clone();
        assert_eq!(template["status"], "APPROVED", "{template}");
        template["id"].clone()
    };
    let send = async |template: &Value, text: &str| {
        let variables = json!({"text": text});
        let message = json!({"channel": "SMS", "to": "0241234567", "templateId": template, "variables": variables});
        tenant.owner().post("/messages/send", message).await
    };
    let open = made(json!({"name": "open", "channel": "SMS", "body": "Hi {{text}}"})).await;
    let short = json!({
        "name": "short", "channel": "SMS", "body": "Hi {{text}}", "shortVariables": ["text"],
    });
    let short = made(short).await;

    assert_eq!(send(&open, SCAM).await.data(201)["errorCode"], "BLOCKED_CONTENT");
    assert_ne!(send(&open, "Your parcel has arrived.").await.data(201)["status"], "FAILED");
    let refused = send(&short, SCAM).await;
    let faults = refused.fails(400, "VALIDATION_ERROR");
    assert!(
        faults["fieldErrors"]["variables.text"][0].as_str().unwrap().contains("40"),
        "{faults}"
    );
    assert_ne!(send(&short, "Ama").await.data(201)["status"], "FAILED");
}

#[tokio::test]
async fn screening_covers_groups_and_workers_of_other_instances() {
    let secret = ("ATUMPAN_JWT_SECRET", "a secret that all instances share");
    let one = World::start_with(&[secret, ("ATUMPAN_WORKERS", "0")]).await;
    let other = World::start_on(one.database.clone(), &[secret]).await;
    let admin = one.administrator().await;
    let tenant = one.tenant().await;
    // The other instance caches the organization as it was.
    send(&tenant.at(&other).owner(), direct("Akwaaba")).await;
    screen(&admin, &tenant, true).await;
    tokio::time::sleep(std::time::Duration::from_secs(1)).await;

    let item = |to: u32| json!({"channel": "SMS", "to": format!("024123000{to}"), "body": SCAM});
    let bulk = json!({"messages": (2..9).map(item).collect::<Vec<_>>(), "async": true});
    let accepted = tenant.owner().post("/messages/bulk", bulk).await.data(202).clone();

    for message in accepted.as_array().unwrap() {
        let message = tenant.owner().message_that_is("FAILED", &message["id"]).await;
        assert_eq!(message["errorCode"], "BLOCKED_CONTENT");
    }
    until("all are refunded", async || tenant.refunds().await == 7).await;
    tenant.assert_ledger_adds_up().await;
}

#[tokio::test]
async fn only_administrators_change_screening_and_it_is_audited() {
    let world = World::shared().await;
    let (admin, tenant) = (world.administrator().await, world.tenant().await);
    let path = format!("/admin/tenants/{}", tenant.id);
    let patch = async |caller: &Caller, path: &str, body: Value| {
        caller.call(Method::PATCH, path, Some(body)).await
    };

    patch(&tenant.owner(), &path, json!({"screening": false})).await.fails(403, "FORBIDDEN");
    for body in [json!({"screening": "yes"}), json!({"limits": 5})] {
        patch(&admin, &path, body).await.fails(400, "VALIDATION_ERROR");
    }
    for unknown in
        ["01a1fe23-0000-7000-8000-00000000000f", "00000000-0000-7000-8000-000000000000", "1"]
    {
        let path = format!("/admin/tenants/{unknown}");
        patch(&admin, &path, json!({"screening": true})).await.fails(404, "NOT_FOUND");
    }
    assert_eq!(tenant.count("audit_log").await, 0);
    assert_eq!(patch(&admin, &path, json!({})).await.data(200)["screening"], false);
    assert_eq!(tenant.count("audit_log").await, 0);

    assert_eq!(screen(&admin, &tenant, true).await["screening"], true);

    let line = format!(
        "SELECT count(*) FROM audit_log WHERE action = 'tenant.updated' \
            AND details = '{{\"screening\": \"true\"}}' AND resource_id = organization_id \
            AND organization_id = '{}'",
        tenant.id
    );
    assert_eq!(world.value(&line).await, 1);
    // Changes by the organization itself do not affect screening.
    let settings = json!({"settings": {"allowPremiumNumbers": true}});
    tenant.owner().call(Method::PATCH, "/organizations/current", Some(settings)).await.data(200);
    assert_eq!(patch(&admin, &path, json!({})).await.data(200)["screening"], true);
}
