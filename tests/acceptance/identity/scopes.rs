//! Scopes of API keys at endpoints for sessions.

use acceptance::{Caller, Tenant, World, unique_email};
use reqwest::Method;
use serde_json::{Value, json};

use crate::shared::document::{Operation, operations};

const UNKNOWN: &str = "01a1fe23-0000-7000-8000-00000000000f";

/// Scopes by which keys may call endpoints for sessions.
pub(crate) const SCOPES: [&str; 17] = [
    "events:read",
    "events:write",
    "contacts:read",
    "contacts:write",
    "segments:read",
    "segments:write",
    "templates:read",
    "templates:write",
    "suppressions:read",
    "suppressions:write",
    "campaigns:read",
    "campaigns:write",
    "webhooks:read",
    "webhooks:write",
    "analytics:read",
    "delivery-logs:read",
    "billing:read",
];

/// Creates a key with these scopes and returns its holder.
async fn key(tenant: &Tenant<'_>, scopes: &[&str], is_sandbox: bool) -> Caller {
    tenant.api_key(json!({"name": "k", "scopes": scopes, "isSandbox": is_sandbox})).await
}

async fn call(caller: &Caller, operation: &Operation) -> acceptance::Answer {
    let (method, path) = (operation.method.clone(), operation.path(UNKNOWN));
    caller.call(method, &path, operation.example()).await
}

/// Returns the operations for sessions in an organization, each with the scope that opens it.
fn for_sessions() -> Vec<(Operation, Option<String>)> {
    let mut found = Vec::new();
    for operation in operations() {
        if operation.is_inside && !operation.takes_key {
            let scope = operation.opened_by.clone();
            found.push((operation, scope));
        }
    }
    assert!(found.len() > 60, "{} operations", found.len());
    found
}

#[tokio::test]
async fn a_key_reaches_the_endpoints_of_its_scopes_and_no_others() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let all = key(&tenant, &SCOPES, false).await;
    let one = key(&tenant, &["analytics:read"], false).await;

    for (operation, scope) in for_sessions() {
        let (answer, narrow) = (call(&all, &operation).await, call(&one, &operation).await);
        let name = operation.name();
        match scope.as_deref() {
            None => {
                answer.fails(403, "FORBIDDEN");
                narrow.fails(403, "FORBIDDEN");
            }
            Some(scope) => {
                assert!(SCOPES.contains(&scope), "{name}: {scope}");
                assert!(![401, 403].contains(&answer.status), "{name}: {}", answer.text);
                if scope != "analytics:read" {
                    assert_eq!(narrow.fails(403, "INSUFFICIENT_SCOPE")["scope"], scope, "{name}");
                }
            }
        }
    }
    one.get("/analytics/overview").await.data(200);
    one.get("/auth/me").await.fails(403, "FORBIDDEN");
    one.get("/admin/tenants").await.fails(403, "FORBIDDEN");
    one.get(&format!("/messages/{}", tenant.id)).await.fails(403, "INSUFFICIENT_SCOPE");
    tenant.assert_ledger_adds_up().await;
}

#[tokio::test]
async fn a_sandbox_key_changes_no_live_data() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let sandbox = key(&tenant, &SCOPES, true).await;

    let mut refused = 0;
    for (operation, scope) in for_sessions() {
        // Campaigns of the key are rehearsals.
        if scope.is_some_and(|it| it.ends_with(":write") && it != "campaigns:write") {
            call(&sandbox, &operation).await.fails(403, "LIVE_KEY_REQUIRED");
            refused += 1;
        }
    }

    assert!(refused > 20, "{refused} operations");
    sandbox.get("/contacts").await.data(200);
    for table in ["contacts", "segments", "templates", "events", "webhook_endpoints"] {
        assert_eq!(tenant.count(table).await, 0, "{table}");
    }
}

#[tokio::test]
async fn an_unknown_key_is_not_taken_for_one_of_the_wrong_kind() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let unknown = format!("ak_live_{}000", "0".repeat(64));
    let stranger = tenant.owner().with("X-API-Key", &unknown);

    for path in ["/contacts", "/organizations/current", "/auth/me"] {
        stranger.get(path).await.fails(401, "UNAUTHORIZED");
    }
}

#[tokio::test]
async fn the_creator_of_a_key_is_the_author_of_what_it_writes() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    world.promote(&tenant.email).await;
    let writer = key(&tenant, &["templates:write", "campaigns:write"], false).await;
    let template = json!({
        "name": "Due", "channel": "SMS", "body": "Akwaaba", "category": "INSURANCE",
    });
    writer.post("/templates", template).await.data(201);
    let campaign = json!({"name": "Sale", "channel": "SMS", "body": "Akwaaba"});
    writer.post("/campaigns", campaign).await.data(201);

    let owner = tenant.owner();
    let waiting = owner.get("/admin/approvals").await.data(200).as_array().unwrap().clone();
    let approval = waiting.iter().find(|it| it["organizationId"] == tenant.id).unwrap();
    let approve = format!("/admin/approvals/{}/approve", approval["id"].as_str().unwrap());
    owner.post(&approve, json!({})).await.fails(403, "FORBIDDEN");
    let admin = world.administrator().await;
    admin.post(&approve, json!({})).await.data(200);

    let (id, email) = (&tenant.id, &tenant.email);
    let query = format!(
        "SELECT count(*) FROM campaigns WHERE organization_id = '{id}' \
         AND created_by = (SELECT id FROM users WHERE email = '{email}')"
    );
    assert_eq!(world.value(&query).await, 1);
}

#[tokio::test]
async fn a_member_gives_only_scopes_that_their_role_allows() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let email = unique_email("developer");
    let user = world.user(&email).await;
    let body = json!({"email": email, "role": "DEVELOPER"});
    tenant.owner().post("/organizations/invite", body).await.data(201);
    let developer = tenant.member(user["token"].as_str().unwrap());
    let create = async |scopes: Value| {
        developer.post("/api-keys", json!({"name": "d", "scopes": scopes})).await
    };

    for scope in ["contacts:read", "events:write", "webhooks:write", "billing:read"] {
        let key = create(json!([scope])).await;
        assert_eq!(key.data(201)["createdBy"], user["user"]["id"], "{scope}");
    }
    for scope in ["contacts:write", "campaigns:write", "suppressions:write", "templates:write"] {
        create(json!(["messages:send", scope])).await.fails(403, "FORBIDDEN");
    }

    let wide = json!({"name": "o", "scopes": ["contacts:write"]});
    let wide = tenant.owner().post("/api-keys", wide).await;
    let rotate = format!("/api-keys/{}/rotate", wide.data(201)["id"].as_str().unwrap());
    developer.post(&rotate, json!({})).await.fails(403, "FORBIDDEN");
    tenant.owner().post(&rotate, json!({})).await.data(201);
}

#[tokio::test]
async fn a_key_works_with_contacts_like_a_member() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let writer = key(&tenant, &["contacts:read", "contacts:write"], false).await;
    let contact = writer.post("/contacts", json!({"phone": "+233241234567"})).await;
    let path = format!("/contacts/{}", contact.data(201)["id"].as_str().unwrap());

    let changed = writer.call(Method::PATCH, &path, Some(json!({"firstName": "Ama"}))).await;
    assert_eq!(changed.data(200)["firstName"], "Ama");
    assert_eq!(writer.get(&path).await.data(200), changed.data(200));
    writer.call(Method::DELETE, &path, None).await.data(200);
    let reader = key(&tenant, &["contacts:read"], false).await;
    let body = json!({"phone": "+233241234567"});
    reader.post("/contacts", body).await.fails(403, "INSUFFICIENT_SCOPE");
    tenant.live_key().await.get("/contacts").await.fails(401, "SESSION_REQUIRED");
}
