//! Who may call what: every operation inside an organization, for every role and for outsiders.

use std::collections::BTreeSet;

use acceptance::{Answer, Caller, Tenant, World, unique_email, unique_id};
use app::clock::SystemClock;
use chrono::TimeDelta;
use ports::clock::Clock;
use reqwest::Method;
use serde_json::{Value, json};

use crate::document::{Operation, operations};

const ROLES: [(char, &str); 6] = [
    ('O', "TENANT_OWNER"),
    ('A', "TENANT_ADMIN"),
    ('C', "CAMPAIGN_MANAGER"),
    ('R', "COMPLIANCE_REVIEWER"),
    ('D', "DEVELOPER"),
    ('V', "VIEWER"),
];
/// It names two things, of which the walk through what was made knows one.
pub(crate) const RETRY: &str = "POST /webhook-endpoints/{id}/deliveries/{deliveryId}/retry";
const UNKNOWN: &str = "01a1fe23-0000-7000-8000-00000000000f";

/// An operation, who may call it by the letters of [`ROLES`], with what, and how it answers them. A
/// text is the file of a form.
pub(crate) type Rule = (&'static str, &'static str, Value, u16);

pub(crate) fn rules() -> Vec<Rule> {
    let mut rules = rules_of_campaigns_and_events();
    rules.extend(rules_of_content());
    rules.extend(rules_of_webhooks());
    rules.extend(other_rules());
    rules
}

fn rules_of_campaigns_and_events() -> Vec<Rule> {
    let campaign = json!({
        "name": "Sale", "channel": "SMS", "body": "Akwaaba. Reply STOP to opt out",
        "scheduledAt": "2999-01-01T09:00:00Z",
    });
    let event = json!({"name": "Parcel", "slug": format!("parcel-{}", unique_id())});
    vec![
        ("GET /campaigns", "OACRDV", Value::Null, 200),
        ("POST /campaigns", "OAC", campaign, 201),
        ("GET /campaigns/{id}", "OACRDV", Value::Null, 404),
        ("PATCH /campaigns/{id}", "OAC", json!({"name": "Big sale"}), 404),
        ("POST /campaigns/{id}/send", "OAC", Value::Null, 404),
        ("POST /campaigns/{id}/pause", "OAC", Value::Null, 404),
        ("POST /campaigns/{id}/resume", "OAC", Value::Null, 404),
        ("POST /campaigns/{id}/cancel", "OAC", Value::Null, 404),
        ("POST /campaigns/{id}/preview", "OACRDV", Value::Null, 404),
        ("GET /events", "OACRDV", Value::Null, 200),
        ("POST /events", "OACD", event, 201),
        ("POST /events/trigger", "OACD", json!({"event": "ready", "to": "0241234567"}), 404),
        ("GET /events/{id}", "OACRDV", Value::Null, 404),
        ("PATCH /events/{id}", "OACD", json!({"name": "Parcels"}), 404),
        ("DELETE /events/{id}", "OACD", Value::Null, 404),
    ]
}

fn rules_of_content() -> Vec<Rule> {
    let goal = json!({"goal": "Thank donors for their gift", "channel": "SMS"});
    let message = json!({"message": "Thank you", "style": "friendly"});
    let foreign = json!({"message": "Thank you", "targetLanguage": "tw"});
    vec![
        ("POST /content/generate", "OACRDV", goal, 200),
        ("POST /content/rewrite", "OACRDV", message, 200),
        // There is no language model.
        ("POST /content/translate", "OACRDV", foreign, 503),
    ]
}

fn rules_of_webhooks() -> Vec<Rule> {
    // It is nowhere, so nobody is called.
    let endpoint = json!({"url": "https://hooks.kente.invalid/atumpan"});
    let yesterday = json!({"since": SystemClock.now() - TimeDelta::days(1)});
    vec![
        ("GET /webhook-endpoints", "OAD", Value::Null, 200),
        ("POST /webhook-endpoints", "OAD", endpoint, 201),
        ("PATCH /webhook-endpoints/{id}", "OAD", json!({"events": null}), 404),
        ("DELETE /webhook-endpoints/{id}", "OAD", Value::Null, 404),
        ("POST /webhook-endpoints/{id}/test", "OAD", json!({}), 404),
        ("POST /webhook-endpoints/{id}/rotate-secret", "OAD", Value::Null, 404),
        ("GET /webhook-endpoints/{id}/deliveries", "OAD", Value::Null, 404),
        (RETRY, "OAD", Value::Null, 404),
        ("POST /webhook-endpoints/{id}/recover", "OAD", yesterday, 404),
    ]
}

fn other_rules() -> Vec<Rule> {
    let message = json!({"channel": "PUSH", "to": "device-1", "body": "Akwaaba"});
    let mut send = message.clone();
    send["async"] = json!(true);
    let template = json!({
        "name": "Due", "channel": "SMS", "body": "Akwaaba", "category": "INSURANCE",
    });
    let bulk = json!({"messages": [message], "async": true});
    vec![
        ("GET /organizations/current", "OACRDV", Value::Null, 200),
        ("PATCH /organizations/current", "OA", json!({"industry": "Retail"}), 200),
        ("GET /organizations/limits", "OA", Value::Null, 200),
        ("GET /organizations/members", "OACRDV", Value::Null, 200),
        ("POST /organizations/invite", "OA", json!({"email": "nobody@example.com"}), 404),
        ("GET /organizations/audit", "OA", Value::Null, 200),
        ("GET /organizations/traffic-alerts", "OACRDV", Value::Null, 200),
        ("POST /organizations/traffic-alerts/{id}/lift", "OA", Value::Null, 404),
        ("GET /api-keys", "OAD", Value::Null, 200),
        ("POST /api-keys", "OAD", json!({"name": "ci"}), 201),
        ("DELETE /api-keys/{id}", "OAD", Value::Null, 404),
        ("POST /messages/send", "OACD", send, 202),
        ("POST /messages/bulk", "OACD", bulk, 202),
        ("GET /messages/{id}", "OACRDV", Value::Null, 404),
        ("GET /delivery-logs", "OACRDV", Value::Null, 200),
        ("GET /delivery-logs/export", "OACRDV", Value::Null, 200),
        ("GET /compliance/summary", "OACRDV", Value::Null, 200),
        ("POST /compliance/check-message", "OACRDV", json!({"message": "Akwaaba"}), 200),
        ("GET /sender-names", "OACRDV", Value::Null, 200),
        ("POST /sender-names", "OAC", json!({"name": "Kente", "channel": "SMS"}), 201),
        ("DELETE /sender-names/{id}", "OAC", Value::Null, 404),
        ("GET /compliance/suppression", "OACRDV", Value::Null, 200),
        ("POST /compliance/suppression", "OACR", json!({"phone": "0241234567"}), 201),
        ("DELETE /compliance/suppression/{id}", "OACR", Value::Null, 404),
        ("POST /compliance/suppression/import", "OACR", json!("phone\n0241234567\nx\n"), 201),
        ("GET /compliance/suppression/imports", "OACRDV", Value::Null, 200),
        ("GET /compliance/suppression/imports/{id}", "OACRDV", Value::Null, 404),
        ("GET /compliance/suppression/imports/{id}/errors", "OACRDV", Value::Null, 404),
        ("GET /contacts", "OACRDV", Value::Null, 200),
        ("POST /contacts", "OAC", json!({"firstName": "Ama"}), 201),
        ("GET /contacts/{id}", "OACRDV", Value::Null, 404),
        ("PATCH /contacts/{id}", "OAC", json!({"lastName": "Mensah"}), 404),
        ("DELETE /contacts/{id}", "OAC", Value::Null, 404),
        ("GET /segments", "OACRDV", Value::Null, 200),
        ("POST /segments", "OAC", json!({"name": "All", "rules": {}, "isDynamic": false}), 201),
        ("POST /segments/preview", "OACRDV", json!({"rules": {"tags": "vip"}}), 200),
        ("GET /segments/{id}", "OACRDV", Value::Null, 404),
        ("PATCH /segments/{id}", "OAC", json!({"name": "Everybody"}), 404),
        ("DELETE /segments/{id}", "OAC", Value::Null, 404),
        ("GET /templates", "OACRDV", Value::Null, 200),
        ("POST /templates", "OAC", template, 201),
        ("GET /templates/{id}", "OACRDV", Value::Null, 404),
        ("PATCH /templates/{id}", "OAC", json!({"name": "Ready"}), 404),
        ("POST /contacts/import", "OAC", json!("phone\n0241234567\nx\n"), 201),
        ("GET /contacts/imports", "OACRDV", Value::Null, 200),
        ("GET /contacts/imports/{id}", "OACRDV", Value::Null, 404),
        ("GET /contacts/imports/{id}/errors", "OACRDV", Value::Null, 404),
        ("GET /billing/wallet", "OACRDV", Value::Null, 200),
        ("GET /billing/ledger", "OACRDV", Value::Null, 200),
        ("GET /billing/pricing", "OACRDV", Value::Null, 200),
        ("GET /billing/usage", "OACRDV", Value::Null, 200),
        ("GET /analytics/overview", "OACRDV", Value::Null, 200),
        ("GET /analytics/recommendations", "OACRDV", Value::Null, 200),
        ("GET /analytics/costs", "OACRDV", Value::Null, 200),
        ("GET /analytics/failures", "OACRDV", Value::Null, 200),
        ("GET /billing/invoices", "OACRDV", Value::Null, 200),
        ("GET /billing/invoices/{id}", "OACRDV", Value::Null, 404),
        ("POST /billing/invoices/{id}/void", "OA", Value::Null, 404),
        ("POST /billing/top-up", "OA", json!({"amount": 5}), 200),
        ("POST /billing/verify-payment", "OA", json!({"reference": "unknown"}), 400),
    ]
}

/// Calls an operation with what its rule says.
pub(crate) async fn ask(caller: &Caller<'_>, method: Method, path: &str, body: &Value) -> Answer {
    match body {
        Value::Null => caller.call(method, path, None).await,
        Value::String(file) => caller.upload(path, file).await,
        body => caller.call(method, path, Some(body.clone())).await,
    }
}

fn inside() -> Vec<Operation> {
    operations()
        .into_iter()
        .filter(|operation| operation.takes_session && operation.is_inside)
        .collect()
}

async fn member<'w>(world: &'w World, tenant: &Tenant<'w>, role: &str) -> Caller<'w> {
    let email = unique_email(&role.to_lowercase());
    let user = world.user(&email).await;
    let body = json!({"email": email, "role": role});
    tenant.owner().post("/organizations/invite", body).await.data(201);
    tenant.member(user["token"].as_str().unwrap())
}

#[tokio::test]
async fn each_role_may_call_what_the_table_of_roles_allows() {
    let rules = rules();
    let named: BTreeSet<_> = rules.iter().map(|rule| rule.0.to_owned()).collect();
    let documented: BTreeSet<_> = inside().iter().map(Operation::name).collect();
    assert_eq!(named, documented, "every operation inside an organization has its rule");

    let world = World::shared().await;
    let tenant = world.tenant().await;
    for (letter, role) in ROLES {
        let caller = member(&world, &tenant, role).await;
        // Some of what is made has a name of its own.
        for (name, allowed, body, status) in &self::rules() {
            let (method, path) = name.split_once(' ').unwrap();
            let method: Method = method.parse().unwrap();
            let answer = ask(&caller, method, &path.replace("{id}", UNKNOWN), body).await;
            if allowed.contains(letter) {
                assert_eq!(answer.status, *status, "{role} {name}: {}", answer.text);
            } else {
                answer.fails(403, "FORBIDDEN");
            }
        }
    }
    tenant.assert_ledger_adds_up().await;
}

#[tokio::test]
async fn nobody_from_outside_gets_in_anywhere() {
    let world = World::shared().await;
    let (tenant, other) = (world.tenant().await, world.tenant().await);
    let platform = "00000000-0000-7000-8000-000000000000";
    for operation in inside() {
        let path = operation.path(UNKNOWN);
        let call = async |caller: &Caller<'_>| {
            caller.call(operation.method.clone(), &path, operation.example()).await
        };
        for organization in [other.id.as_str(), UNKNOWN, platform, "", "x", "' OR 1 = 1"] {
            let caller = tenant.owner().with("X-Organization-Id", organization);
            call(&caller).await.fails(403, "NOT_A_MEMBER");
        }
        let stranger = tenant.owner().with("Authorization", "Bearer nonsense");
        call(&stranger).await.fails(401, "UNAUTHORIZED");

        let request = world.http.request(operation.method.clone(), format!("{}{path}", world.url));
        let nobody = crate::wire::answer(request.try_clone().unwrap()).await;
        nobody.fails(401, "UNAUTHORIZED");
        let nowhere = crate::wire::answer(request.bearer_auth(&tenant.token)).await;
        nowhere.fails(400, "ORGANIZATION_REQUIRED");
    }
    for tenant in [&tenant, &other] {
        assert_eq!(tenant.count("delivery_logs").await, 0);
    }
}

#[tokio::test]
async fn an_api_key_opens_only_what_is_made_for_keys() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let key = tenant.live_key().await;
    let mut open = Vec::new();
    for operation in operations() {
        let answer =
            key.call(operation.method.clone(), &operation.path(UNKNOWN), operation.example()).await;
        if operation.takes_key {
            assert!(![401, 403].contains(&answer.status), "{}: {}", operation.name(), answer.text);
            open.push(operation.name());
        } else if operation.takes_session {
            answer.fails(401, "UNAUTHORIZED");
        }
    }
    for name in ["POST /messages/send", "POST /messages/bulk", "GET /messages/{id}"] {
        assert!(open.iter().any(|operation| operation == name), "{name}");
    }
}
