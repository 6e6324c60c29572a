//! Requests that were answered with an error.

use acceptance::{Caller, Tenant, World, unique_email, unique_id, until_some};
use serde_json::{Value, json};

const LIST: &str = "/requests";

/// Makes a call that is refused, and returns the identifier of the request.
async fn refused(caller: &Caller, path: &str) -> String {
    let id = unique_id();
    let answer = caller.with("X-Request-Id", &id).get(path).await;
    assert!(answer.status >= 400, "{}", answer.text);
    id
}

/// Waits until that many requests match the query, and returns them.
async fn listed(tenant: &Tenant<'_>, query: &str, count: usize) -> Vec<Value> {
    until_some("the requests are listed", async || {
        let answer = tenant.owner().get(&format!("{LIST}?{query}")).await;
        let found = answer.data(200).as_array().unwrap().clone();
        if found.len() == count { Ok(found) } else { Err(answer.text) }
    })
    .await
}

#[tokio::test]
async fn a_refused_call_is_listed_without_its_query() {
    let world = World::shared().await;
    let (tenant, other) = (world.tenant().await, world.tenant().await);
    let created = tenant.owner().post("/api-keys", json!({"name": "shop"})).await;
    let key = created.data(201);
    let program = world.guest().with("X-API-Key", key["key"].as_str().unwrap());
    // These belong to no organization.
    refused(&world.guest(), "/contacts").await;
    refused(&other.owner().with("X-Organization-Id", &tenant.id), "/contacts").await;
    let by_key = refused(&program, "/messages/nothing").await;
    let by_user = refused(&tenant.owner(), "/contacts?unknown=secret").await;

    let all = listed(&tenant, "", 2).await;

    let of = |id: &str| all.iter().find(|call| call["id"] == *id).unwrap();
    let (first, second) = (of(&by_key), of(&by_user));
    assert_eq!(
        first,
        &json!({
            "id": by_key, "method": "GET", "path": "/messages/nothing", "status": 404,
            "code": "NOT_FOUND", "message": "message not found", "apiKeyId": key["id"],
            "userId": null, "address": first["address"], "sampled": false, "at": first["at"],
        })
    );
    assert!(first["address"].as_str().unwrap().parse::<std::net::IpAddr>().is_ok());
    assert_eq!(
        json!([second["path"], second["status"], second["code"]]),
        json!(["/contacts", 400, "VALIDATION_ERROR"])
    );
    assert!(second["userId"].is_string() && second["apiKeyId"].is_null());
    assert!(listed(&other, "", 0).await.is_empty());
}

#[tokio::test]
async fn refused_calls_are_found_by_each_filter() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let created = tenant.owner().post("/api-keys", json!({"name": "shop"})).await;
    let key = created.data(201);
    let program = world.guest().with("X-API-Key", key["key"].as_str().unwrap());
    let missing = refused(&program, "/messages/nothing").await;
    let misplaced = refused(&program, "/contacts").await;
    let faulty = refused(&tenant.owner(), "/contacts?unknown=1").await;
    listed(&tenant, "", 3).await;

    let key_id = key["id"].as_str().unwrap();
    for (query, mut expected) in [
        ("status=404".to_owned(), vec![&missing]),
        ("code=SESSION_REQUIRED".to_owned(), vec![&misplaced]),
        (format!("apiKeyId={key_id}"), vec![&misplaced, &missing]),
        (format!("id={faulty}"), vec![&faulty]),
        (format!("apiKeyId={key_id}&status=401"), vec![&misplaced]),
        (format!("id={faulty}&status=404"), vec![]),
    ] {
        let found = listed(&tenant, &query, expected.len()).await;
        let mut found: Vec<_> = found.iter().map(|it| it["id"].as_str().unwrap()).collect();
        found.sort_unstable();
        expected.sort_unstable();
        assert_eq!(found, expected, "{query}");
    }
    // It comes last, because it is refused itself.
    let wrong = format!("{LIST}?status=200&code=not%20found&apiKeyId=x&id=%00&after=x&limit=0");
    let wrong = tenant.owner().get(&wrong).await;
    let faults = wrong.fails(400, "VALIDATION_ERROR")["fieldErrors"].clone();
    let fields: Vec<_> = faults.as_object().unwrap().keys().collect();
    assert_eq!(fields, ["after", "apiKeyId", "code", "id", "limit", "status"]);
}

#[tokio::test]
async fn refused_calls_are_read_in_parts() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let mut made = Vec::new();
    for _ in 0..5 {
        made.push(refused(&tenant.owner(), "/messages/nothing").await);
    }
    listed(&tenant, "", 5).await;

    let (mut read, mut after) = (Vec::new(), String::new());
    for (count, has_more) in [(2, true), (2, true), (1, false)] {
        let part = tenant.owner().get(&format!("{LIST}?limit=2&after={after}")).await;
        let items = part.data(200).as_array().unwrap();
        read.extend(items.iter().map(|it| it["id"].as_str().unwrap().to_owned()));
        assert_eq!(items.len(), count);
        let pagination = &part.body["pagination"];
        assert_eq!(pagination["limit"], 2);
        assert_eq!(pagination["nextCursor"].is_string(), has_more, "{}", part.text);
        after = pagination["nextCursor"].as_str().unwrap_or_default().to_owned();
    }
    // Calls within a millisecond are in no order.
    read.sort_unstable();
    made.sort_unstable();
    assert_eq!(read, made);
}

#[tokio::test]
async fn refused_calls_are_shown_to_those_who_integrate_the_api() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    for (role, status) in [("DEVELOPER", 200), ("CAMPAIGN_MANAGER", 403), ("VIEWER", 403)] {
        let email = unique_email("reader");
        let user = world.user(&email).await;
        let body = json!({"email": email, "role": role});
        tenant.owner().post("/organizations/invite", body).await.data(201);
        let member = tenant.member(user["token"].as_str().unwrap());
        assert_eq!(member.get(LIST).await.status, status, "{role}");
    }
}
