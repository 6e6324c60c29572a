//! API keys.

use std::time::{Duration, SystemTime};

use acceptance::{Caller, Tenant, World, until};
use chrono::{DateTime, SecondsFormat, Utc};
use reqwest::Method;
use serde_json::{Value, json};

use crate::shared::settings::ONE_SECRET;

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
    let (world, second) = World::shared_pair(ONE_SECRET).await;
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

#[tokio::test]
async fn a_key_sees_itself_with_its_organization_and_limits() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let key = create(&tenant, json!({"name": "shop", "isSandbox": false})).await;
    let program = world.guest().with("X-API-Key", key["key"].as_str().unwrap());

    let answer = program.get("/api-keys/current").await;

    let current = answer.data(200);
    assert_eq!((&current["id"], &current["name"]), (&key["id"], &key["name"]));
    assert_eq!((&current["scopes"], &current["isSandbox"]), (&key["scopes"], &json!(false)));
    assert!(current.get("key").is_none(), "{}", answer.text);
    let organization = tenant.owner().get("/organizations/current").await;
    let organization = organization.data(200);
    let owner = json!({"id": organization["id"], "name": organization["name"]});
    assert_eq!(current["organization"], owner);
    let fields = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    assert_eq!(fields(&current["limits"]), ["messages", "requests"]);

    tenant.owner().get("/api-keys/current").await.fails(401, "UNAUTHORIZED");
    let unknown = world.guest().with("X-API-Key", "ak_live_0");
    unknown.get("/api-keys/current").await.fails(401, "UNAUTHORIZED");
}

#[tokio::test]
async fn calls_made_with_a_key_are_counted_by_day() {
    let world = World::shared().await;
    let (tenant, other) = (world.tenant().await, world.tenant().await);
    let key = create(&tenant, json!({"name": "shop"})).await;
    let program = world.guest().with("X-API-Key", key["key"].as_str().unwrap());
    let usage = format!("/api-keys/{}/usage", key["id"].as_str().unwrap());
    for _ in 0..2 {
        program.get("/events").await.data(200);
    }
    program.get(UNKNOWN).await.fails(404, "NOT_FOUND");
    program.get("/contacts").await.fails(401, "SESSION_REQUIRED");

    until("the calls are counted", async || {
        let answer = tenant.owner().get(&usage).await;
        let days = answer.data(200).as_array().unwrap().clone();
        assert_eq!(days.len(), 30);
        let sum = |name: &str| days.iter().map(|day| day[name].as_u64().unwrap()).sum::<u64>();
        (sum("accepted"), sum("refused")) == (2, 2)
    })
    .await;
    let answer = tenant.owner().get(&usage).await;
    let days = answer.data(200).as_array().unwrap();
    assert!(days.is_sorted_by_key(|day| day["date"].as_str().unwrap()), "{}", answer.text);
    other.owner().get(&usage).await.fails(404, "NOT_FOUND");
}

#[tokio::test]
async fn a_rotated_key_works_beside_its_successor_until_the_overlap_ends() {
    let world = World::shared().await;
    let (tenant, other) = (world.tenant().await, world.tenant().await);
    let key = create(&tenant, json!({"name": "shop", "scopes": ["messages:read"]})).await;
    let rotate = format!("/api-keys/{}/rotate", key["id"].as_str().unwrap());
    for hours in [json!(-1), json!(169), json!("a day"), json!(1.5)] {
        let answer = tenant.owner().post(&rotate, json!({"overlapHours": hours})).await;
        assert!(answer.fails(400, "VALIDATION_ERROR")["fieldErrors"]["overlapHours"].is_array());
    }
    other.owner().post(&rotate, json!({})).await.fails(404, "NOT_FOUND");

    let answer = tenant.owner().post(&rotate, json!({"overlapHours": 168})).await;

    let next = answer.data(201);
    assert_ne!((&next["id"], &next["key"]), (&key["id"], &key["key"]));
    for field in ["name", "scopes", "isSandbox", "expiresAt", "createdBy"] {
        assert_eq!(next[field], key[field], "{field}");
    }
    for holder in [&key, next] {
        with(&tenant, holder).get(UNKNOWN).await.fails(404, "NOT_FOUND");
    }
    let list = tenant.owner().get("/api-keys").await;
    let [shown_next, shown] = list.data(200).as_array().unwrap().as_slice() else {
        panic!("{}", list.text)
    };
    assert_eq!((&shown_next["id"], &shown["id"]), (&next["id"], &key["id"]));
    let ends_at = shown["expiresAt"].as_str().unwrap().parse::<DateTime<Utc>>().unwrap();
    let in_a_week = DateTime::<Utc>::from(SystemTime::now() + Duration::from_secs(168 * 3_600));
    assert!((in_a_week - ends_at).num_minutes().abs() < 2, "{ends_at}");
    tenant.owner().post(&rotate, json!({})).await.fails(409, "API_KEY_ROTATED");
}

#[tokio::test]
async fn a_key_rotated_without_overlap_stops_working_everywhere() {
    let (world, second) = World::shared_pair(ONE_SECRET).await;
    let tenant = world.tenant().await;
    let elsewhere = tenant.at(&second);
    let key = create(&tenant, json!({"name": "lost"})).await;
    let (here, there) = (with(&tenant, &key), with(&elsewhere, &key));
    here.get(UNKNOWN).await.fails(404, "NOT_FOUND");
    there.get(UNKNOWN).await.fails(404, "NOT_FOUND");

    let rotate = format!("/api-keys/{}/rotate", key["id"].as_str().unwrap());
    let answer = tenant.owner().post(&rotate, json!({"overlapHours": 0})).await;

    here.get(UNKNOWN).await.fails(401, "UNAUTHORIZED");
    until("the other instance has heard", async || there.get(UNKNOWN).await.status == 401).await;
    with(&elsewhere, answer.data(201)).get(UNKNOWN).await.fails(404, "NOT_FOUND");
    tenant.owner().post(&rotate, json!({})).await.fails(404, "NOT_FOUND");
}
