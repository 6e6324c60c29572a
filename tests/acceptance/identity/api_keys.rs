//! API keys.

use std::time::{Duration, SystemTime};

use acceptance::{Caller, Tenant, World, until};
use chrono::{DateTime, SecondsFormat, Utc};
use reqwest::Method;
use serde_json::{Value, json};

const UNKNOWN: &str = "/messages/01a1fe23-0000-7000-8000-00000000000f";

async fn create(tenant: &Tenant<'_>, request: Value) -> Value {
    tenant.owner().post("/api-keys", request).await.data(201).clone()
}

/// Returns a caller with this key and the owner's session.
fn with(tenant: &Tenant<'_>, key: &Value) -> Caller {
    tenant.owner().with("X-API-Key", key["key"].as_str().unwrap())
}

async fn revoke(tenant: &Tenant<'_>, key: &Value) {
    let path = format!("/api-keys/{}", key["id"].as_str().unwrap());
    tenant.owner().call(Method::DELETE, &path, None).await.data(200);
}

fn in_(time: Duration) -> String {
    DateTime::<Utc>::from(SystemTime::now() + time).to_rfc3339_opts(SecondsFormat::Millis, true)
}

#[tokio::test]
async fn a_key_is_shown_once_and_listed_by_its_prefix() {
    let world = World::shared().await;
    let tenant = world.tenant().await;

    let test = create(&tenant, json!({"name": " Web shop "})).await;
    let scopes = json!(["messages:send", "contacts:read"]);
    let expiry = "2099-01-31T10:00:00.000+01:00";
    let live = create(
        &tenant,
        json!({"name": "Till", "isSandbox": false, "scopes": scopes, "expiresAt": expiry}),
    )
    .await;

    assert_eq!(test["name"], "Web shop");
    assert_eq!(test["isSandbox"], true);
    assert_eq!(
        test["scopes"],
        json!(["messages:send", "messages:read", "events:read", "events:trigger"])
    );
    assert_eq!((&test["expiresAt"], &test["lastUsedAt"]), (&Value::Null, &Value::Null));
    assert!(test["key"].as_str().unwrap().starts_with("ak_test_"));
    assert_eq!((&live["isSandbox"], &live["scopes"]), (&json!(false), &scopes));
    assert_eq!(live["expiresAt"], "2099-01-31T09:00:00.000Z");
    assert!(live["key"].as_str().unwrap().starts_with("ak_live_"));
    assert_eq!(live["prefix"], live["key"].as_str().unwrap()[..12]);

    let list = tenant.owner().get("/api-keys").await;
    for key in [&test, &live] {
        assert!(!list.text.contains(key["key"].as_str().unwrap()));
    }
    let shown = |key: &Value| {
        let mut shown = key.clone();
        shown.as_object_mut().unwrap().remove("key");
        shown
    };
    assert_eq!(list.data(200), &json!([shown(&live), shown(&test)]));
    let second = tenant.owner().get("/api-keys?page=2&limit=1").await;
    assert_eq!(second.data(200), &json!([shown(&test)]));
    tenant.owner().get("/api-keys?limit=101").await.fails(400, "VALIDATION_ERROR");
    assert_eq!(tenant.count("api_keys").await, 2);
}

#[tokio::test]
async fn a_key_needs_a_name_known_scopes_and_a_future_expiry() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let post = async |body: Value| tenant.owner().post("/api-keys", body).await;

    for body in [json!({}), json!({"name": null}), json!({"name": ""}), json!({"name": " \t"})] {
        post(body).await.fails(400, "NAME_REQUIRED");
    }
    let answer = post(json!({
        "name": "x".repeat(101), "scopes": ["messages:send", "everything", ":", "a:b:c", 7],
        "expiresAt": "yesterday", "isSandbox": "no", "organizationId": tenant.id,
    }))
    .await;
    let details = answer.fails(400, "VALIDATION_ERROR");
    let fields: Vec<_> = details["fieldErrors"].as_object().unwrap().keys().collect();
    assert_eq!(fields, ["expiresAt", "isSandbox", "name", "organizationId", "scopes.4"]);
    let scopes = json!(["messages:send", "messages:write", ":", "messages:*"]);
    let answer =
        post(json!({"name": "x", "scopes": scopes, "expiresAt": in_(Duration::ZERO)})).await;
    let details = answer.fails(400, "VALIDATION_ERROR");
    let fields: Vec<_> = details["fieldErrors"].as_object().unwrap().keys().collect();
    assert_eq!(fields, ["expiresAt", "scopes.1", "scopes.2", "scopes.3"]);
    let fault = details["fieldErrors"]["scopes.1"][0].as_str().unwrap();
    assert!(fault.contains("messages:send") && fault.contains("contacts:read"), "{fault}");
    assert_eq!(tenant.owner().get("/api-keys").await.data(200), &json!([]));
}

#[tokio::test]
async fn a_key_records_its_last_use_and_expires() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let expiry = in_(Duration::from_secs(10));
    let key = create(&tenant, json!({"name": "short", "expiresAt": expiry})).await;

    with(&tenant, &key).get(UNKNOWN).await.fails(404, "NOT_FOUND");
    until("the use is known", async || {
        let list = tenant.owner().get("/api-keys").await;
        list.data(200)[0]["lastUsedAt"].is_string()
    })
    .await;
    until("the key opens nothing", async || {
        let answer = with(&tenant, &key).get(UNKNOWN).await;
        answer.status == 401
    })
    .await;
}

#[tokio::test]
async fn a_revoked_key_fails_at_once_here_and_soon_elsewhere() {
    let world = World::start().await;
    let second = World::start_on(world.database.clone(), &[]).await;
    let tenant = world.tenant().await;
    let elsewhere = tenant.at(&second);
    let key = create(&tenant, json!({"name": "lost"})).await;
    let (here, there) = (with(&tenant, &key), with(&elsewhere, &key));
    here.get(UNKNOWN).await.fails(404, "NOT_FOUND");
    there.get(UNKNOWN).await.fails(404, "NOT_FOUND");

    revoke(&tenant, &key).await;

    here.get(UNKNOWN).await.fails(401, "UNAUTHORIZED");
    until("the other instance has heard", async || there.get(UNKNOWN).await.status == 401).await;
    assert_eq!(tenant.owner().get("/api-keys").await.data(200), &json!([]));
    let path = format!("/api-keys/{}", key["id"].as_str().unwrap());
    tenant.owner().call(Method::DELETE, &path, None).await.fails(404, "NOT_FOUND");
}

#[tokio::test]
async fn a_key_is_revoked_by_its_own_organization_only() {
    let world = World::shared().await;
    let (tenant, other) = (world.tenant().await, world.tenant().await);
    let key = create(&tenant, json!({"name": "ours"})).await;
    let path = format!("/api-keys/{}", key["id"].as_str().unwrap());
    let unknown = path.replace(&path[10..], "01a1fe23-0000-7000-8000-00000000000f");

    let foreign = other.owner().call(Method::DELETE, &path, None).await;
    let missing = other.owner().call(Method::DELETE, &unknown, None).await;

    foreign.fails(404, "NOT_FOUND");
    assert_eq!(foreign.text, missing.text);
    other.owner().call(Method::DELETE, "/api-keys/x", None).await.fails(404, "NOT_FOUND");
    with(&tenant, &key).get(UNKNOWN).await.fails(404, "NOT_FOUND");
}

#[tokio::test]
async fn a_key_without_the_scope_is_forbidden() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let reader = tenant.api_key(json!({"name": "r", "scopes": ["messages:read"]})).await;
    let other = tenant.api_key(json!({"name": "c", "scopes": ["contacts:read"]})).await;
    let message = json!({"channel": "SMS", "to": "0241234567", "body": "Akwaaba"});

    let answer = reader.post("/messages/send", message.clone()).await;

    assert_eq!(answer.fails(403, "INSUFFICIENT_SCOPE")["scope"], "messages:send");
    let bulk = json!({"messages": [message]});
    reader.post("/messages/bulk", bulk).await.fails(403, "INSUFFICIENT_SCOPE");
    reader.get(UNKNOWN).await.fails(404, "NOT_FOUND");
    other.get(UNKNOWN).await.fails(403, "INSUFFICIENT_SCOPE");
}

#[tokio::test]
async fn a_key_takes_precedence_over_a_session() {
    let world = World::shared().await;
    let (tenant, other) = (world.tenant().await, world.tenant().await);
    let key = create(&other, json!({"name": "theirs"})).await;
    let both = with(&tenant, &key);
    let message = json!({"channel": "SMS", "to": "0241234567", "body": "Akwaaba"});
    let own = tenant.owner().post("/messages/send", message.clone()).await;
    let own = format!("/messages/{}", own.data(201)["id"].as_str().unwrap());

    both.get(&own).await.fails(404, "NOT_FOUND");
    let sent = both.post("/messages/send", message).await;
    assert_eq!(sent.data(201)["isSandbox"], true);
    let sent = format!("/messages/{}", sent.data(201)["id"].as_str().unwrap());
    other.owner().get(&sent).await.data(200);
    tenant.owner().get(&sent).await.fails(404, "NOT_FOUND");

    both.get("/billing/wallet").await.fails(401, "SESSION_REQUIRED");
    for wrong in ["", "ak_live_", "nonsense", &"a".repeat(8 << 10)] {
        tenant.owner().with("X-API-Key", wrong).get(&own).await.fails(401, "UNAUTHORIZED");
    }
}
