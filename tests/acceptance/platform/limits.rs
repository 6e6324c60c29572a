//! Rate limits of calls and messages.

use std::collections::BTreeMap;

use acceptance::{Answer, Settings, World, unique_email, until};
use futures_util::{StreamExt, stream};
use reqwest::Method;
use serde_json::{Value, json};

use crate::providers::vendor::{Installation, Vendor, provider, token};

/// Path of a request that costs the service next to nothing.
const CHEAP: &str = "/messages/none";
/// Limits that a test reaches, and that refill slowly enough.
const TIGHT: Settings = &[
    ("ATUMPAN_LIMIT_REQUESTS", "1/60"),
    ("ATUMPAN_LIMIT_GUESTS", "1/60"),
    ("ATUMPAN_LIMIT_LIVE", "1/20"),
    ("ATUMPAN_LIMIT_SANDBOX", "1/10"),
    ("ATUMPAN_TRUSTED_PROXIES", "127.0.0.0/8"),
];

async fn flood<F: Future<Output = Answer>>(times: usize, call: impl Fn() -> F) -> Vec<Answer> {
    stream::iter(0..times).map(|_| call()).buffer_unordered(16).collect().await
}

fn refused(answers: &[Answer]) -> Vec<&Answer> {
    answers.iter().filter(|answer| answer.status == 429).collect()
}

/// Asserts that the header and the message of the answer state the same time to wait.
#[track_caller]
fn assert_retry_after(answer: &Answer, longest: u64) {
    answer.fails(429, "RATE_LIMITED");
    let wait: u64 = answer.header("retry-after").parse().unwrap();
    assert!((1..=longest).contains(&wait), "{wait}");
    let message = answer.body["error"]["message"].as_str().unwrap();
    assert!(message.ends_with(&format!(" {wait} s")), "{message}");
}

/// Returns the name and the parameters of the only item of a structured list.
#[track_caller]
fn item(field: &str) -> (String, BTreeMap<String, u64>) {
    assert!(!field.contains(','), "{field}");
    let mut parts = field.split(';');
    let name = parts.next().unwrap().trim_matches('"').to_owned();
    let parameters = parts.map(|part| {
        let (name, value) = part.split_once('=').unwrap();
        (name.to_owned(), value.parse().unwrap())
    });
    (name, parameters.collect())
}

/// Returns the limit in the headers of an answer: its name, `q`, `w`, `r` and `t`.
#[track_caller]
fn rate_limit(answer: &Answer) -> (String, [u64; 4]) {
    let (policy, limits) = item(answer.header("ratelimit-policy"));
    let (name, now) = item(answer.header("ratelimit"));
    assert_eq!(policy, name);
    (name, [limits["q"], limits["w"], now["r"], now["t"]])
}

fn sms(body: &str) -> Value {
    json!({"channel": "SMS", "to": "0241234567", "body": body})
}

fn person(email: &str) -> Value {
    json!({
        "email": email, "password": "correct horse", "firstName": "Kofi", "lastName": "Mensah",
    })
}

fn bulk(count: usize) -> Value {
    json!({"messages": vec![sms("Akwaaba"); count], "async": true})
}

#[tokio::test]
async fn every_answer_to_a_counted_request_states_its_limit() {
    let world = World::shared_with(TIGHT).await;
    let tenant = world.tenant().await;
    let (live, sandbox) = (tenant.live_key().await, tenant.api_key(json!({"name": "Test"})).await);

    let (name, [quota, window, left, reset]) = rate_limit(&live.get(CHEAP).await);
    assert_eq!((name.as_str(), quota, window), ("requests", 60, 60));
    assert!((50..60).contains(&left) && (1..=60 - left).contains(&reset), "{left} {reset}");

    let sent = sandbox.post("/messages/bulk", bulk(4)).await;
    sent.data(202);
    let (name, [quota, window, left, reset]) = rate_limit(&sent);
    assert_eq!((name.as_str(), quota, window), ("sandbox-messages", 10, 10));
    assert!((6..8).contains(&left) && (1..=4).contains(&reset), "{left} {reset}");
    // A counted request states its limit even if it fails.
    let faulty = live.post("/messages/send", json!({})).await;
    faulty.fails(400, "VALIDATION_ERROR");
    assert_eq!(rate_limit(&faulty).0, "messages");

    let refused = sandbox.post("/messages/bulk", bulk(100)).await;
    assert_retry_after(&refused, 10);
    let (name, [_, _, left, reset]) = rate_limit(&refused);
    assert_eq!(name, "sandbox-messages");
    assert_eq!(reset.to_string(), refused.header("retry-after"));
    assert!(left < 10, "{left}");

    let guest = world.post("/auth/login", json!({})).await;
    assert_eq!(rate_limit(&guest).0, "guests");
    let registered = world.post("/auth/register", person(&unique_email("ama"))).await;
    registered.data(201);
    assert_eq!(
        registered.header("ratelimit-policy"),
        "\"guests\";q=60;w=60, \"registrations\";q=20;w=3600"
    );

    let unknown = live.with("X-API-Key", "ak_live_guess").get(CHEAP).await;
    assert_eq!((unknown.status, unknown.header("ratelimit")), (401, ""), "nobody was counted");
    assert_eq!(world.get("/health/live").await.header("ratelimit"), "");
}

#[tokio::test]
async fn an_organization_over_its_quota_waits_while_another_passes() {
    let world = World::shared_with(TIGHT).await;
    let (tenant, other) = (world.tenant().await, world.tenant().await);
    let (key, others_key) = (tenant.live_key().await, other.live_key().await);

    let answers = flood(200, || key.get(CHEAP)).await;

    let refused = refused(&answers);
    assert!(refused.len() >= 60, "{} were refused", refused.len());
    for answer in refused {
        assert_retry_after(answer, 60);
    }
    others_key.get(CHEAP).await.fails(404, "NOT_FOUND");
    other.owner().get("/billing/wallet").await.data(200);
}

#[tokio::test]
async fn a_request_over_the_message_limit_is_rejected_whole() {
    let world = World::shared_with(TIGHT).await;
    let tenant = world.tenant().await;
    let (live, sandbox) = (tenant.live_key().await, tenant.api_key(json!({"name": "Test"})).await);

    sandbox.post("/messages/bulk", bulk(10)).await.data(202);
    assert_retry_after(&sandbox.post("/messages/bulk", bulk(10)).await, 10);

    live.post("/messages/bulk", bulk(20)).await.data(202);
    let balance = tenant.balance().await;
    assert_retry_after(&live.post("/messages/bulk", bulk(20)).await, 20);
    assert!((tenant.balance().await - balance).abs() < 1e-9);
    let logs = tenant.owner().get("/delivery-logs").await;
    assert_eq!(logs.body["pagination"]["total"], 30);
    // Requests that send nothing are counted separately.
    live.get(CHEAP).await.fails(404, "NOT_FOUND");
}

#[tokio::test]
async fn rehearsals_of_members_count_as_sandbox_messages() {
    let world = World::shared_with(TIGHT).await;
    let tenant = world.tenant().await;
    let mut rehearsal = bulk(10);
    rehearsal["isSandbox"] = json!(true);

    tenant.owner().post("/messages/bulk", rehearsal.clone()).await.data(202);

    assert_retry_after(&tenant.owner().post("/messages/bulk", rehearsal).await, 10);
    tenant.owner().post("/messages/bulk", bulk(10)).await.data(202);
}

#[tokio::test]
async fn a_long_message_counts_as_several() {
    let world = World::shared_with(TIGHT).await;
    let key = world.tenant().await.api_key(json!({"name": "Test"})).await;
    let long = json!({
        "channel": "EMAIL", "to": "kofi@example.com", "subject": "Long", "async": true,
        "body": "a".repeat(9 * 16 * 1_024 + 1),
    });

    key.post("/messages/send", long.clone()).await.data(202);

    assert_retry_after(&key.post("/messages/send", long).await, 10);
}

#[tokio::test]
async fn guests_are_counted_by_the_address_from_a_trusted_proxy() {
    let world = World::shared_with(TIGHT).await;
    let login = |client: &str| {
        let request = world.http.post(format!("{}/auth/login", world.url)).json(&json!({}));
        let request = request.header("X-Forwarded-For", format!("198.51.100.9, {client}"));
        world.send(request)
    };

    let answers = flood(120, || login("192.0.2.1")).await;

    let refused = refused(&answers);
    assert!(refused.len() >= 30, "{} were refused", refused.len());
    assert_retry_after(refused[0], 60);
    login("192.0.2.2").await.fails(400, "VALIDATION_ERROR");

    let answers = stream::iter(0..120_u32)
        .map(|number| {
            let client = format!("2001:db8::{number:x}");
            async move { login(&client).await }
        })
        .buffer_unordered(16)
        .collect::<Vec<_>>()
        .await;
    assert!(answers.iter().filter(|answer| answer.status == 429).count() >= 30);
    login("2001:db8:0:1::1").await.fails(400, "VALIDATION_ERROR");
}

#[tokio::test]
async fn an_untrusted_clients_forwarded_address_is_ignored() {
    let world = World::start_with(&[("ATUMPAN_LIMIT_GUESTS", "1/20")]).await;
    let mut throttled = 0;
    for number in 0..80 {
        let request = world.http.post(format!("{}/auth/login", world.url)).json(&json!({}));
        let request = request.header("X-Forwarded-For", format!("192.0.2.{number}"));
        throttled += u32::from(world.send(request).await.status == 429);
    }
    assert!(throttled > 0);
}

#[tokio::test]
async fn limits_guessing_of_credentials_but_not_cached_ones() {
    let world = World::start().await;
    let tenant = world.tenant().await;
    let known = tenant.live_key().await;
    let new = tenant.live_key().await;
    known.get(CHEAP).await.fails(404, "NOT_FOUND");

    for number in 0..100 {
        let guess = known.with("X-API-Key", &format!("ak_live_{number}"));
        for _ in 0..2 {
            guess.get(CHEAP).await.fails(401, "UNAUTHORIZED");
        }
    }

    assert_retry_after(&known.with("X-API-Key", "ak_live_guess").get(CHEAP).await, 60);
    assert_retry_after(&new.get(CHEAP).await, 60);
    known.get(CHEAP).await.fails(404, "NOT_FOUND");
    tenant.owner().get("/billing/wallet").await.data(200);
}

#[tokio::test]
async fn limits_wrong_proofs_but_not_valid_vendor_reports() {
    let vendor = Vendor::start().await;
    let limits = [("ATUMPAN_RATE_LIMITS", "on"), ("ATUMPAN_LIMIT_GUESTS", "1/10")];
    let url = vendor.url();
    let declared = [provider("only", "africas-talking", &url, 1)];
    let service = Installation::start_with(&declared, &limits).await;
    let form = [("id", "ATXid_1"), ("status", "Success")];

    for _ in 0..60 {
        service.call_back("only", &token("only"), &form).await.data(200);
    }
    for _ in 0..100 {
        service.call_back("only", "wrong", &form).await.fails(401, "INVALID_SIGNATURE");
    }
    assert_retry_after(&service.call_back("only", "wrong", &form).await, 60);
    service.call_back("only", &token("only"), &form).await.data(200);
}

#[tokio::test]
async fn at_most_twenty_users_an_hour_register_from_one_address() {
    let world = World::start().await;
    for number in 0..20 {
        world.user(&format!("kofi{number}@example.com")).await;
    }
    assert_retry_after(&world.post("/auth/register", person("one-more@example.com")).await, 180);
}

#[tokio::test]
async fn disabled_rate_limits_still_limit_failed_logins() {
    let off = TIGHT.iter().copied().chain([("ATUMPAN_RATE_LIMITS", "off")]).collect::<Vec<_>>();
    let world = World::start_with(&off).await;
    let key = world.tenant().await.live_key().await;

    let answers = flood(200, || key.get(CHEAP)).await;
    let guests = flood(200, || world.post("/auth/login", json!({}))).await;
    let unknown_key = key.with("X-API-Key", "ak_live_guess");
    let guesses = flood(200, || unknown_key.get(CHEAP)).await;
    key.post("/messages/bulk", bulk(100)).await.data(202);

    for answers in [answers, guests, guesses] {
        assert!(refused(&answers).is_empty());
        assert!(answers.iter().all(|answer| answer.header("ratelimit").is_empty()));
    }
    world.user("kofi@example.com").await;
    let wrong = json!({"email": "kofi@example.com", "password": "wrong"});
    for _ in 0..10 {
        world.post("/auth/login", wrong.clone()).await.fails(401, "INVALID_CREDENTIALS");
    }
    assert_retry_after(&world.post("/auth/login", wrong).await, 900);
}

#[tokio::test]
async fn an_organization_sees_its_limits_and_their_use() {
    let limited =
        TIGHT.iter().copied().chain([("ATUMPAN_VELOCITY_LIMITS", "on")]).collect::<Vec<_>>();
    let world = World::start_with(&limited).await;
    let (tenant, admin) = (world.tenant().await, world.administrator().await);
    let own = json!({"limits": {"live": {"perSecond": 1, "burst": 40}}});
    let path = format!("/admin/tenants/{}", tenant.id);
    admin.call(Method::PATCH, &path, Some(own)).await.data(200);
    let settings = json!({"settings": {"dailySpendingLimit": 20, "velocityLimit": 150}});
    tenant.owner().call(Method::PATCH, "/organizations/current", Some(settings)).await.data(200);
    let segment = json!({"name": "All", "rules": {}, "isDynamic": true});
    tenant.owner().post("/segments", segment).await.data(201);
    let live = tenant.live_key().await;
    until("the limits hold", || async {
        live.post("/messages/bulk", bulk(1)).await.header("ratelimit-policy").contains("q=40")
    })
    .await;
    let sms = live.post("/messages/bulk", bulk(30)).await.data(202)[0].clone();
    let spent = 10.0 - tenant.balance().await;

    let limits = tenant.owner().get("/organizations/limits").await.data(200).clone();

    let available = limits["live"]["available"].as_u64().unwrap();
    assert!((1..40).contains(&available), "{limits}");
    assert_eq!(
        limits["live"],
        json!({"perSecond": 1, "burst": 40, "available": available, "isOwn": true})
    );
    let sandbox = json!({"perSecond": 1, "burst": 10, "available": 10, "isOwn": false});
    assert_eq!(limits["sandbox"], sandbox);
    assert!(limits["requests"]["available"].as_u64().unwrap() < 60, "{limits}");
    assert_eq!(
        limits["urgent"],
        json!({"perSecond": 60, "burst": 600, "available": 600, "isOwn": false})
    );
    assert_eq!(limits["spending"]["dailyLimit"], 20.0);
    assert!((limits["spending"]["spentToday"].as_f64().unwrap() - spent).abs() < 1e-9, "{limits}");
    assert!(sms["cost"].as_f64().unwrap() > 0.0);
    let velocity = json!({
        "perNumberBlock": 150, "isOwn": true, "perUnusualCountry": 200, "toUnusualCountries": 400,
    });
    assert_eq!(limits["velocity"], velocity);
    assert_eq!(limits["segments"], json!({"limit": 100, "used": 1}));
    assert_eq!(limits["senderNames"], json!({"limit": 100, "used": 0}));
    assert_eq!(limits["webhookEndpoints"], json!({"limit": 20, "used": 0}));
    assert_eq!(limits["contacts"], json!({"limit": 250_000, "used": 0}));
    assert_eq!(limits["dailyTexts"], json!({"limit": 20, "used": 0}));
    // Reading the limits uses none of them.
    let again = tenant.owner().get("/organizations/limits").await.data(200).clone();
    assert_eq!(again["sandbox"], sandbox);
}

#[tokio::test]
async fn an_absent_limit_is_shown_as_null() {
    let world = World::shared().await;
    let tenant = world.tenant().await;

    let limits = tenant.owner().get("/organizations/limits").await.data(200).clone();

    for name in ["live", "sandbox", "requests", "velocity", "dailyTexts"] {
        assert_eq!(limits[name], Value::Null, "{name}");
    }
    assert_eq!(limits["spending"]["dailyLimit"], Value::Null);
}
