//! Health, metrics and documentation of the service.

use std::time::{Duration, Instant};

use acceptance::{World, until};
use serde_json::{Value, json};
use testkit::{Redis, free_port};

fn keys(object: &Value) -> Vec<&str> {
    object.as_object().unwrap().keys().map(String::as_str).collect()
}

#[tokio::test]
async fn health_has_the_specified_shape() {
    let world = World::start().await;

    let answer = world.get("/health").await;

    assert_eq!(answer.status, 200);
    let health = &answer.body;
    assert_eq!(keys(health), ["dependencies", "service", "status", "tasks", "timestamp"]);
    assert_eq!((&health["status"], &health["service"]), (&json!("ok"), &json!("atumpan")));
    assert!(health["timestamp"].as_str().unwrap().ends_with('Z'));
    assert_eq!(keys(&health["tasks"]), ["failing"]);
    assert!(health["tasks"]["failing"].is_array());
    let dependencies = &health["dependencies"];
    assert_eq!(keys(dependencies), ["database", "redis", "workers"]);
    let (redis, database) = (&dependencies["redis"], &dependencies["database"]);
    assert_eq!(keys(redis), ["latencyMs", "message", "status"]);
    assert_eq!(redis["status"], "ok");
    assert!(redis["latencyMs"].is_u64());
    assert!(redis["message"].as_str().unwrap().contains("no Redis is configured"));
    assert_eq!(keys(database), ["message", "status"]);
    assert_eq!(database["status"], "ok");
    let workers = &dependencies["workers"];
    assert_eq!(keys(workers), ["message", "notificationSend", "status"]);
    let queue = &workers["notificationSend"];
    assert_eq!(keys(queue), ["active", "completed", "failed", "waiting", "workers"]);
    assert!(queue.as_object().unwrap().values().all(Value::is_u64), "{queue}");
    assert_eq!((&queue["workers"], &queue["waiting"]), (&json!(256), &json!(0)));
}

#[tokio::test]
async fn workers_count_sent_and_failed_messages() {
    let world = World::start().await;
    let tenant = world.tenant().await;
    for to in ["0241234567", "0240000000"] {
        let message = json!({"channel": "SMS", "to": to, "body": "Akwaaba"});
        tenant.owner().post("/messages/send", message).await.data(201);
    }
    until("a provider took both, and one failed", async || {
        let health = world.get("/health").await;
        let queue = &health.body["dependencies"]["workers"]["notificationSend"];
        queue["failed"] == 1 && queue["completed"] == 2
    })
    .await;
}

#[tokio::test]
async fn liveness_metrics_and_the_document_need_no_credentials() {
    let world = World::shared().await;

    assert_eq!(world.get("/health/live").await.body, json!({"status": "ok"}));
    let metrics = world.get("/metrics").await;
    assert_eq!(metrics.status, 200);
    assert!(metrics.header("content-type").starts_with("text/plain"));
    assert_eq!(world.get("/health/ready").await.body, json!({"status": "ok"}));
    let document = world.get("/openapi.json").await;
    assert_eq!(document.status, 200);
    assert_eq!(document.header("content-type"), "application/json");
    assert_eq!(document.body, serde_json::to_value(adapters_http::openapi()).unwrap());
    assert!(document.body["openapi"].as_str().unwrap().starts_with("3."));
}

#[tokio::test]
async fn the_documentation_needs_no_other_server() {
    let world = World::shared().await;

    assert!(world.get("/").await.header("content-type").starts_with("text/html"));
    let page = world.get("/docs").await;

    assert_eq!(page.status, 200);
    assert!(page.header("content-type").starts_with("text/html"));
    let parts = page
        .text
        .split(['"', '\''])
        .filter(|part| [".css", ".js", ".png"].iter().any(|ending| part.ends_with(ending)));
    let parts: Vec<_> = parts.map(|part| part.trim_start_matches("./")).collect();
    assert!(parts.len() >= 3, "{}", page.text);
    for part in parts {
        assert!(!part.contains("//"), "{part} is elsewhere");
        let url = format!("{}/docs/{part}", world.url);
        let response = world.http.get(url).send().await.unwrap();
        assert_eq!(response.status().as_u16(), 200, "{part}");
        assert!(!response.bytes().await.unwrap().is_empty(), "{part}");
    }
    let start = world.get("/docs/swagger-initializer.js").await;
    assert!(start.text.contains("../openapi.json"), "{}", start.text);
    assert!(!start.text.contains("https://"), "{}", start.text);
    for setting in ["\"filter\": true", "\"persistAuthorization\": true"] {
        assert!(start.text.contains(setting), "{setting}: {}", start.text);
    }
    world.get("/docs/nothing.js").await.fails(404, "NOT_FOUND");
    world.get("/docs/..%2f..%2fCargo.toml").await.fails(404, "NOT_FOUND");
}

#[tokio::test]
async fn an_unavailable_redis_degrades_but_stops_nothing() {
    let port = free_port();
    let url = format!("redis://127.0.0.1:{port}");
    let world = World::start_with(&[("REDIS_URL", &url)]).await;
    let tenant = world.tenant().await;

    let away = world.get("/health").await;

    assert_eq!(away.status, 503);
    assert_eq!(away.body["status"], "degraded");
    assert_eq!(away.body["dependencies"]["redis"]["status"], "error");
    assert_eq!(away.body["dependencies"]["database"]["status"], "ok");
    assert_eq!(away.body["dependencies"]["workers"]["status"], "ok");
    assert_eq!(world.get("/health/live").await.status, 200);
    assert_eq!(world.get("/health/ready").await.status, 200, "it works without Redis");
    let began = Instant::now();
    let message = json!({"channel": "SMS", "to": "0241234567", "body": "Akwaaba"});
    let sent = tenant.owner().post("/messages/send", message.clone()).await;
    tenant.owner().message_that_is("DELIVERED", &sent.data(201)["id"]).await;
    assert!(began.elapsed() < Duration::from_secs(5), "it took {:?}", began.elapsed());

    let Some(redis) = Redis::start_at(port) else { return };
    health_that_is(&world, 200).await;
    tenant.owner().post("/messages/send", message.clone()).await.data(201);
    drop(redis);
    health_that_is(&world, 503).await;
    tenant.owner().post("/messages/send", message).await.data(201);
}

async fn health_that_is(world: &World, status: u16) {
    let expected = if status == 200 { "ok" } else { "degraded" };
    until(&format!("the service is {expected}"), async || {
        let health = world.get("/health").await;
        health.status == status && health.body["status"] == expected
    })
    .await;
}
