//! Envelope of every answer, also to unusual requests.

use std::collections::{BTreeMap, BTreeSet};

use acceptance::{World, unique_email};
use reqwest::{Method, header::HeaderValue};
use serde_json::json;

use crate::shared::{
    document::operations,
    wire::{answer, assert_orderly, head},
};

const METHODS: [&str; 8] = ["BREW", "DELETE", "GET", "OPTIONS", "PATCH", "POST", "PUT", "TRACE"];

#[tokio::test]
async fn an_unknown_address_is_not_found() {
    let world = World::shared().await;
    for path in [
        "/nothing",
        "/messages",
        "/auth",
        "/auth/login/",
        "/AUTH/login",
        "/messages/send/now",
        "/health/readiness",
        "/api-keys/x/y",
        "/openapi.yaml",
    ] {
        for method in ["GET", "POST", "DELETE", "OPTIONS"] {
            let method = method.parse().unwrap();
            world.call(method, path, None).await.fails(404, "NOT_FOUND");
        }
    }
    for target in ["//", "//auth/login", "/%", "/%zz", "/%00", "/%2e%2e/%2e%2e/etc/passwd", "/a\\b"]
    {
        let answer = head(&world, &[&format!("GET {target} HTTP/1.1")]).await;
        assert!([400, 404].contains(&answer.status), "{target}: {}", answer.status);
    }
}

#[tokio::test]
async fn a_wrong_method_is_answered_with_the_allowed_ones() {
    let world = World::shared().await;
    let mut known: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for operation in operations() {
        known.entry(operation.path("x")).or_default().insert(operation.method.to_string());
    }
    for (path, right) in &known {
        for method in METHODS.iter().filter(|method| !right.contains(**method)) {
            // `GET /messages/{id}` takes any word.
            if *method == "GET" && path.starts_with("/messages/") {
                continue;
            }
            let answer = world.call(method.parse().unwrap(), path, None).await;
            answer.fails(405, "METHOD_NOT_ALLOWED");
            let allowed: BTreeSet<_> = answer.header("allow").split(", ").collect();
            assert!(right.iter().all(|method| allowed.contains(method.as_str())), "{path}");
            assert!(!allowed.contains(method), "{method} {path}");
        }
    }
    for path in ["/openapi.json", "/docs", "/docs/index.html"] {
        let answer = world.call(Method::POST, path, None).await;
        answer.fails(405, "METHOD_NOT_ALLOWED");
        assert_eq!(answer.header("allow"), "GET, HEAD");
    }
}

#[tokio::test]
async fn head_answers_like_get_without_the_body() {
    let world = World::shared().await;
    for path in ["/health", "/openapi.json", "/auth/me", "/nothing"] {
        let get = world.get(path).await;
        let head = world.call(Method::HEAD, path, None).await;
        assert_eq!((head.status, head.text.as_str()), (get.status, ""), "{path}");
        assert!(head.headers.contains_key("x-request-id"));
    }
}

#[tokio::test]
async fn a_request_keeps_its_own_identifier_if_it_is_valid() {
    let world = World::shared().await;
    let get = async |id: &[u8]| {
        let request = world.http.get(format!("{}/nothing", world.url));
        let id = HeaderValue::from_bytes(id).unwrap();
        answer(request.header("X-Request-Id", id)).await
    };

    assert_eq!(get(b"order-4711.a_b").await.header("x-request-id"), "order-4711.a_b");
    let long = "a".repeat(65);
    let bad: [&[u8]; 5] = [b"", b"a b", b"<script>", "id\u{e9}".as_bytes(), long.as_bytes()];
    for id in bad {
        let answer = get(id).await;
        assert_eq!(answer.header("x-request-id").len(), 36, "{}", answer.header("x-request-id"));
    }
}

#[tokio::test]
async fn rejects_odd_headers_in_the_envelope() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let url = format!("{}/billing/wallet", world.url);
    let long = "a".repeat(8 << 10);
    let inside = || world.http.get(&url).header("X-Organization-Id", &tenant.id);
    for authorization in [
        "",
        " ",
        "Bearer",
        "Bearer ",
        "Bearer  ",
        "bearer x",
        "Basic YTpi",
        &tenant.token,
        &format!("Token {}", tenant.token),
        &format!("Bearer {} x", tenant.token),
        &format!("Bearer {long}"),
        "Bearer a.b.c",
        "Bearer \u{e9}",
    ] {
        let value = HeaderValue::from_bytes(authorization.as_bytes()).unwrap();
        let answer = answer(inside().header("Authorization", value)).await;
        answer.fails(401, "UNAUTHORIZED");
        assert_eq!(answer.header("www-authenticate"), "Bearer");
    }
    for organization in ["", "\u{e9}", "\t", &long, "{}", "00000000"] {
        let value = HeaderValue::from_bytes(organization.as_bytes()).unwrap();
        let request = world.http.get(&url).bearer_auth(&tenant.token);
        let answer = answer(request.header("X-Organization-Id", value)).await;
        answer.fails(403, "NOT_A_MEMBER");
    }
    let key = HeaderValue::from_bytes("\u{e9}".as_bytes()).unwrap();
    let request = inside().bearer_auth(&tenant.token).header("X-API-Key", key);
    answer(request).await.fails(401, "SESSION_REQUIRED");
    let scheme = format!("bEaReR {}", tenant.token);
    answer(inside().header("Authorization", scheme)).await.data(200);
}

#[tokio::test]
async fn a_malformed_identifier_is_not_found() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let authorization = format!("Authorization: Bearer {}", tenant.token);
    let organization = format!("X-Organization-Id: {}", tenant.id);
    let long = "a".repeat(5_000);
    for id in [
        "x",
        "%",
        "%zz",
        "%00",
        "%ff",
        "%F0%9F%98%80",
        "%2e%2e%2f",
        "a%2fb",
        "..",
        "msg_",
        "msg_zz",
        "%6dsg_01a1fe23000070008000000000000000",
        "01a1fe23-0000-7000-8000-00000000000f%00",
        "' OR 1=1 --".replace(' ', "%20").as_str(),
        "",
        &long,
    ] {
        for (method, folder) in [("GET", "messages"), ("DELETE", "api-keys")] {
            let line = format!("{method} /{folder}/{id} HTTP/1.1");
            let answer = head(&world, &[&line, &authorization, &organization]).await;
            assert_orderly(&answer, &line);
            answer.fails(404, "NOT_FOUND");
        }
    }
}

#[tokio::test]
async fn an_odd_query_string_causes_no_server_error() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let authorization = format!("Authorization: Bearer {}", tenant.token);
    let organization = format!("X-Organization-Id: {}", tenant.id);
    for (query, status) in [
        ("?", 200),
        ("?&&==&", 200),
        ("?page=%31", 200),
        ("?unknown=%ff%00", 400),
        ("?page=%00", 400),
        ("?page=%ff", 400),
        ("?page=1&page=x", 400),
        ("?limit=+1", 400),
        ("?status=%F0%9F%98%80", 400),
    ] {
        let line = format!("GET /delivery-logs{query} HTTP/1.1");
        let answer = head(&world, &[&line, &authorization, &organization]).await;
        assert_orderly(&answer, &line);
        assert_eq!(answer.status, status, "{query}: {}", answer.text);
    }
}

#[tokio::test]
async fn invalid_http_does_not_stop_the_service() {
    let world = World::shared().await;
    for lines in [
        vec!["NONSENSE"],
        vec!["GET / HTTP/9.9"],
        vec!["G\u{e9}T / HTTP/1.1"],
        vec!["GET / HTTP/1.1", "no colon"],
        vec!["POST /auth/login HTTP/1.1", "Content-Length: x"],
        vec!["POST /auth/login HTTP/1.1", "Content-Length: 5", "Content-Length: 6"],
    ] {
        let answer = head(&world, &lines).await;
        assert_eq!(answer.status, 400, "{lines:?}");
    }
    let body = json!({"email": unique_email("kofi"), "password": "x"});
    world.post("/auth/login", body).await.fails(401, "INVALID_CREDENTIALS");
}
