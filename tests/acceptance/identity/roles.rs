//! Permissions: every operation inside an organization, for every role and for outsiders.

use std::collections::BTreeSet;

use acceptance::{Answer, Caller, Tenant, World, unique_email, unique_id};
use app::clock::SystemClock;
use chrono::TimeDelta;
use ports::shared::clock::Clock;
use reqwest::Method;
use serde_json::{Value, json};

use crate::shared::document::{Operation, operations};

const ROLES: [(char, &str); 6] = [
    ('O', "TENANT_OWNER"),
    ('A', "TENANT_ADMIN"),
    ('C', "CAMPAIGN_MANAGER"),
    ('R', "COMPLIANCE_REVIEWER"),
    ('D', "DEVELOPER"),
    ('V', "VIEWER"),
];

/// Table of roles: the permitted roles, by the letters of [`ROLES`].
const READ: &str = "OACRDV";
const ORGANIZATION: &str = "OA";
const OWNERS: &str = "O";
const SENDING: &str = "OACD";
/// Contacts, segments, templates, campaigns.
const AUDIENCE: &str = "OAC";
const EVENTS: &str = "OACD";
const SUPPRESSION: &str = "OACR";
const KEYS_AND_WEBHOOKS: &str = "OAD";
const PREVIEWS: &str = "OACRDV";
/// Verification of payments, settings, limits, the audit log.
const SETTINGS: &str = "OA";
const SENDER_NAMES: &str = "OAC";

/// Operation with two identifiers, of which the walk through created items has one.
pub(crate) const RETRY: &str = "POST /webhook-endpoints/{id}/deliveries/{deliveryId}/retry";
const UNKNOWN: &str = "01a1fe23-0000-7000-8000-00000000000f";

/// Operation, permitted roles, body, and status of the answer to those roles. A text is the file
/// of a form.
pub(crate) type Rule = (&'static str, &'static str, Value, u16);

pub(crate) fn rules() -> Vec<Rule> {
    let mut rules = rules_of_campaigns_and_events();
    rules.extend(rules_of_content());
    rules.extend(rules_of_webhooks());
    rules.extend(rules_of_members());
    rules.extend(rules_of_messages());
    rules.extend(other_rules());
    rules.extend(rules_of_money());
    // Afterwards the caller can do nothing more.
    rules.push(("POST /organizations/leave", READ, Value::Null, 204));
    rules
}

fn rules_of_members() -> Vec<Rule> {
    // An address has one open invitation.
    let invitation = json!({"email": unique_email("guest")});
    let role = json!({"role": "VIEWER"});
    vec![
        ("GET /organizations/members", READ, Value::Null, 200),
        ("POST /organizations/invite", ORGANIZATION, json!({"email": "nobody@example.com"}), 404),
        ("PATCH /organizations/members/{userId}", ORGANIZATION, role, 404),
        ("DELETE /organizations/members/{userId}", ORGANIZATION, Value::Null, 404),
        ("GET /organizations/invitations", READ, Value::Null, 200),
        ("POST /organizations/invitations", ORGANIZATION, invitation, 201),
        ("POST /organizations/invitations/{id}/resend", ORGANIZATION, Value::Null, 404),
        ("DELETE /organizations/invitations/{id}", ORGANIZATION, Value::Null, 404),
    ]
}

fn rules_of_campaigns_and_events() -> Vec<Rule> {
    let campaign = json!({
        "name": "Sale", "channel": "SMS", "body": "Akwaaba. Reply STOP to opt out",
        "scheduledAt": "2999-01-01T09:00:00Z",
    });
    let event = json!({"name": "Parcel", "slug": format!("parcel-{}", unique_id())});
    vec![
        ("GET /campaigns", READ, Value::Null, 200),
        ("POST /campaigns", AUDIENCE, campaign, 201),
        ("GET /campaigns/{id}", READ, Value::Null, 404),
        ("PATCH /campaigns/{id}", AUDIENCE, json!({"name": "Big sale"}), 404),
        ("DELETE /campaigns/{id}", AUDIENCE, Value::Null, 404),
        ("POST /campaigns/{id}/duplicate", AUDIENCE, Value::Null, 404),
        ("GET /campaigns/{id}/recipients", READ, Value::Null, 404),
        ("GET /campaigns/{id}/recipients/export", READ, Value::Null, 404),
        ("POST /campaigns/{id}/send", AUDIENCE, Value::Null, 404),
        ("POST /campaigns/{id}/pause", AUDIENCE, Value::Null, 404),
        ("POST /campaigns/{id}/resume", AUDIENCE, Value::Null, 404),
        ("POST /campaigns/{id}/cancel", AUDIENCE, Value::Null, 404),
        ("POST /campaigns/{id}/resend-failed", AUDIENCE, Value::Null, 404),
        ("POST /campaigns/{id}/preview", PREVIEWS, Value::Null, 404),
        ("GET /events", READ, Value::Null, 200),
        ("POST /events", EVENTS, event, 201),
        ("POST /events/trigger", SENDING, json!({"event": "ready", "to": "0241234567"}), 404),
        ("GET /events/{id}", READ, Value::Null, 404),
        ("PATCH /events/{id}", EVENTS, json!({"name": "Parcels"}), 404),
        ("DELETE /events/{id}", EVENTS, Value::Null, 404),
    ]
}

fn rules_of_content() -> Vec<Rule> {
    let goal = json!({"goal": "Thank donors for their gift", "channel": "SMS"});
    let message = json!({"message": "Thank you", "style": "friendly"});
    let foreign = json!({"message": "Thank you", "targetLanguage": "tw"});
    vec![
        ("POST /content/generate", PREVIEWS, goal, 200),
        ("POST /content/rewrite", PREVIEWS, message, 200),
        // There is no language model.
        ("POST /content/translate", PREVIEWS, foreign, 503),
    ]
}

fn rules_of_webhooks() -> Vec<Rule> {
    // The address does not exist, so nothing is called.
    let endpoint = json!({"url": "https://hooks.kente.invalid/atumpan"});
    let yesterday = json!({"since": SystemClock.now() - TimeDelta::days(1)});
    vec![
        ("GET /webhook-endpoints", KEYS_AND_WEBHOOKS, Value::Null, 200),
        ("POST /webhook-endpoints", KEYS_AND_WEBHOOKS, endpoint, 201),
        ("PATCH /webhook-endpoints/{id}", KEYS_AND_WEBHOOKS, json!({"events": null}), 404),
        ("DELETE /webhook-endpoints/{id}", KEYS_AND_WEBHOOKS, Value::Null, 404),
        ("POST /webhook-endpoints/{id}/test", KEYS_AND_WEBHOOKS, json!({}), 404),
        ("POST /webhook-endpoints/{id}/rotate-secret", KEYS_AND_WEBHOOKS, Value::Null, 404),
        ("GET /webhook-endpoints/{id}/deliveries", KEYS_AND_WEBHOOKS, Value::Null, 404),
        (RETRY, KEYS_AND_WEBHOOKS, Value::Null, 404),
        ("POST /webhook-endpoints/{id}/recover", KEYS_AND_WEBHOOKS, yesterday, 404),
    ]
}

fn rules_of_money() -> Vec<Rule> {
    vec![
        ("GET /billing/wallet", READ, Value::Null, 200),
        ("GET /billing/ledger", READ, Value::Null, 200),
        ("GET /billing/pricing", READ, Value::Null, 200),
        ("GET /billing/usage", READ, Value::Null, 200),
        ("GET /analytics/overview", READ, Value::Null, 200),
        ("GET /analytics/messages", READ, Value::Null, 200),
        ("GET /analytics/recommendations", READ, Value::Null, 200),
        ("GET /analytics/costs", READ, Value::Null, 200),
        ("GET /analytics/failures", READ, Value::Null, 200),
        ("GET /billing/invoices", READ, Value::Null, 200),
        ("GET /billing/invoices/{id}", READ, Value::Null, 404),
        ("POST /billing/invoices/{id}/void", ORGANIZATION, Value::Null, 404),
        ("GET /billing/top-ups", READ, Value::Null, 200),
        ("POST /billing/top-up", ORGANIZATION, json!({"amount": 5}), 200),
        ("POST /billing/verify-payment", SETTINGS, json!({"reference": "unknown"}), 400),
    ]
}

fn rules_of_messages() -> Vec<Rule> {
    let message = json!({"channel": "PUSH", "to": "device-1", "body": "Akwaaba"});
    let mut send = message.clone();
    send["async"] = json!(true);
    let bulk = json!({"messages": [message], "async": true});
    let resends = json!({"from": "2026-01-01T00:00:00Z"});
    let later = json!({"scheduledAt": "2026-01-31T09:00:00Z"});
    vec![
        ("POST /messages/send", SENDING, send, 202),
        ("POST /messages/bulk", SENDING, bulk, 202),
        ("GET /messages/{id}", READ, Value::Null, 404),
        ("POST /messages/{id}/resend", SENDING, Value::Null, 404),
        ("POST /messages/resend", SENDING, resends, 202),
        ("GET /messages/resend/{id}", READ, Value::Null, 404),
        ("POST /messages/{id}/cancel", SENDING, Value::Null, 404),
        ("PATCH /messages/{id}", SENDING, later, 404),
    ]
}

fn other_rules() -> Vec<Rule> {
    let template = json!({
        "name": "Due", "channel": "SMS", "body": "Akwaaba", "category": "INSURANCE",
    });
    let nobody = json!({"filter": {"tag": "nobody"}});
    let tags = json!({"filter": {"tag": "nobody"}, "add": ["vip"]});
    // No two organizations have the same sender name.
    let sender_name = json!({"name": format!("K {}", &unique_id()[..8]), "channel": "SMS"});
    vec![
        ("GET /organizations/current", READ, Value::Null, 200),
        ("PATCH /organizations/current", ORGANIZATION, json!({"industry": "Retail"}), 200),
        ("POST /organizations/current/close", OWNERS, json!({"password": "wrong"}), 400),
        ("POST /organizations/current/restore", OWNERS, Value::Null, 200),
        ("GET /organizations/limits", SETTINGS, Value::Null, 200),
        ("GET /organizations/audit", SETTINGS, Value::Null, 200),
        ("GET /organizations/traffic-alerts", READ, Value::Null, 200),
        ("POST /organizations/traffic-alerts/{id}/lift", ORGANIZATION, Value::Null, 404),
        ("GET /api-keys", KEYS_AND_WEBHOOKS, Value::Null, 200),
        ("POST /api-keys", KEYS_AND_WEBHOOKS, json!({"name": "ci"}), 201),
        ("GET /api-keys/{id}/usage", KEYS_AND_WEBHOOKS, Value::Null, 404),
        ("POST /api-keys/{id}/rotate", KEYS_AND_WEBHOOKS, json!({"overlapHours": 1}), 404),
        ("DELETE /api-keys/{id}", KEYS_AND_WEBHOOKS, Value::Null, 404),
        ("GET /requests", KEYS_AND_WEBHOOKS, Value::Null, 200),
        ("GET /delivery-logs", READ, Value::Null, 200),
        ("GET /delivery-logs/export", READ, Value::Null, 200),
        ("GET /compliance/summary", READ, Value::Null, 200),
        ("POST /compliance/check-message", PREVIEWS, json!({"message": "Akwaaba"}), 200),
        ("GET /sender-names", READ, Value::Null, 200),
        ("POST /sender-names", SENDER_NAMES, sender_name, 201),
        ("DELETE /sender-names/{id}", SENDER_NAMES, Value::Null, 404),
        ("GET /compliance/suppression", READ, Value::Null, 200),
        ("POST /compliance/suppression", SUPPRESSION, json!({"phone": "0241234567"}), 201),
        ("DELETE /compliance/suppression/{id}", SUPPRESSION, Value::Null, 404),
        ("POST /compliance/suppression/import", SUPPRESSION, json!("phone\n0241234567\nx\n"), 201),
        ("GET /compliance/suppression/imports", READ, Value::Null, 200),
        ("GET /compliance/suppression/imports/{id}", READ, Value::Null, 404),
        ("GET /compliance/suppression/imports/{id}/errors", READ, Value::Null, 404),
        ("GET /contacts", READ, Value::Null, 200),
        ("GET /contacts/export", READ, Value::Null, 200),
        ("POST /contacts", AUDIENCE, json!({"firstName": "Ama"}), 201),
        ("GET /contacts/{id}", READ, Value::Null, 404),
        ("GET /contacts/{id}/messages", READ, Value::Null, 404),
        ("PATCH /contacts/{id}", AUDIENCE, json!({"lastName": "Mensah"}), 404),
        ("DELETE /contacts/{id}", AUDIENCE, Value::Null, 404),
        ("POST /contacts/delete", AUDIENCE, nobody, 202),
        ("POST /contacts/tags", AUDIENCE, tags, 202),
        ("GET /contacts/jobs", READ, Value::Null, 200),
        ("GET /contacts/jobs/{id}", READ, Value::Null, 404),
        ("GET /segments", READ, Value::Null, 200),
        ("POST /segments", AUDIENCE, json!({"name": "All", "rules": {}, "isDynamic": false}), 201),
        ("POST /segments/preview", PREVIEWS, json!({"rules": {"tags": "vip"}}), 200),
        ("GET /segments/{id}", READ, Value::Null, 404),
        ("GET /segments/{id}/contacts", READ, Value::Null, 404),
        ("PATCH /segments/{id}", AUDIENCE, json!({"name": "Everybody"}), 404),
        ("DELETE /segments/{id}", AUDIENCE, Value::Null, 404),
        ("GET /templates", READ, Value::Null, 200),
        ("POST /templates", AUDIENCE, template, 201),
        ("GET /templates/{id}", READ, Value::Null, 404),
        ("PATCH /templates/{id}", AUDIENCE, json!({"name": "Ready"}), 404),
        ("POST /templates/{id}/render", PREVIEWS, json!({"variables": {"name": "Ama"}}), 404),
        ("DELETE /templates/{id}", AUDIENCE, Value::Null, 404),
        ("GET /approvals", READ, Value::Null, 200),
        ("POST /contacts/import", AUDIENCE, json!("phone\n0241234567\nx\n"), 201),
        ("GET /contacts/imports", READ, Value::Null, 200),
        ("GET /contacts/imports/{id}", READ, Value::Null, 404),
        ("GET /contacts/imports/{id}/errors", READ, Value::Null, 404),
        ("POST /contacts/imports/{id}/undo", AUDIENCE, Value::Null, 404),
    ]
}

/// Calls an operation with the body of its rule.
pub(crate) async fn ask(caller: &Caller, method: Method, path: &str, body: &Value) -> Answer {
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

/// Returns the operations of platform administrators, without the exit from an impersonation.
fn administration() -> Vec<Operation> {
    let mut all = operations();
    all.retain(|it| it.template.starts_with("/admin/") && !it.template.contains("exit"));
    assert!(all.len() > 20, "{} operations of administration", all.len());
    all
}

async fn member(world: &World, tenant: &Tenant<'_>, role: &str) -> Caller {
    let email = unique_email(&role.to_lowercase());
    let user = world.user(&email).await;
    let body = json!({"email": email, "role": role});
    tenant.owner().post("/organizations/invite", body).await.data(201);
    tenant.member(user["token"].as_str().unwrap())
}

#[tokio::test]
async fn each_role_may_call_exactly_what_the_table_allows() {
    let rules = rules();
    let named: BTreeSet<_> = rules.iter().map(|rule| rule.0.to_owned()).collect();
    let documented: BTreeSet<_> = inside().iter().map(Operation::name).collect();
    assert_eq!(named, documented, "every operation inside an organization has its rule");

    let world = World::shared().await;
    let tenant = world.tenant().await;
    for (letter, role) in ROLES {
        let caller = member(&world, &tenant, role).await;
        // Some created items need a unique name.
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
        for operation in administration() {
            let path = operation.path(UNKNOWN);
            let answer = caller.call(operation.method.clone(), &path, operation.example()).await;
            assert_eq!(answer.status, 403, "{role} {}: {}", operation.name(), answer.text);
            answer.fails(403, "FORBIDDEN");
        }
    }
    tenant.assert_ledger_adds_up().await;
}

#[tokio::test]
async fn outsiders_are_rejected_everywhere() {
    let world = World::shared().await;
    let (tenant, other) = (world.tenant().await, world.tenant().await);
    let platform = "00000000-0000-7000-8000-000000000000";
    for operation in inside() {
        let path = operation.path(UNKNOWN);
        let call = async |caller: &Caller| {
            caller.call(operation.method.clone(), &path, operation.example()).await
        };
        for organization in [other.id.as_str(), UNKNOWN, platform, "", "x", "' OR 1 = 1"] {
            let caller = tenant.owner().with("X-Organization-Id", organization);
            call(&caller).await.fails(403, "NOT_A_MEMBER");
        }
        let stranger = tenant.owner().with("Authorization", "Bearer nonsense");
        call(&stranger).await.fails(401, "UNAUTHORIZED");

        let request = world.http.request(operation.method.clone(), format!("{}{path}", world.url));
        let nobody = crate::shared::wire::answer(request.try_clone().unwrap()).await;
        nobody.fails(401, "UNAUTHORIZED");
        let nowhere = crate::shared::wire::answer(request.bearer_auth(&tenant.token)).await;
        nowhere.fails(400, "ORGANIZATION_REQUIRED");
    }
    for tenant in [&tenant, &other] {
        assert_eq!(tenant.count("delivery_logs").await, 0);
    }
}

#[tokio::test]
async fn an_api_key_opens_only_operations_for_keys() {
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
            answer.fails(401, "SESSION_REQUIRED");
        }
    }
    for name in ["POST /messages/send", "POST /messages/bulk", "GET /messages/{id}"] {
        assert!(open.iter().any(|operation| operation == name), "{name}");
    }
}
