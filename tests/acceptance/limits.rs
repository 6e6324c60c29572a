//! How often one may call.

use acceptance::{Answer, World};
use futures_util::{StreamExt, stream};
use serde_json::json;

/// Above what one organization may call in a window.
const FLOOD: usize = 2_200;
/// A request that costs the service next to nothing.
const CHEAP: &str = "/messages/none";

async fn flood<F: Future<Output = Answer>>(times: usize, call: impl Fn() -> F) -> Vec<Answer> {
    stream::iter(0..times).map(|_| call()).buffer_unordered(32).collect().await
}

fn refused(answers: &[Answer]) -> Vec<&Answer> {
    answers.iter().filter(|answer| answer.status == 429).collect()
}

#[tokio::test]
async fn an_organization_over_its_quota_waits_while_another_passes() {
    let world = World::start().await;
    let (tenant, other) = (world.tenant().await, world.tenant().await);
    let (key, others_key) = (tenant.live_key().await, other.live_key().await);

    let answers = flood(FLOOD, || key.get(CHEAP)).await;

    let refused = refused(&answers);
    assert!(refused.len() >= 100, "{} were refused", refused.len());
    for answer in refused {
        answer.fails(429, "RATE_LIMITED");
        let wait: u64 = answer.header("retry-after").parse().unwrap();
        assert!((1..=10).contains(&wait), "{wait}");
    }
    others_key.get(CHEAP).await.fails(404, "NOT_FOUND");
    other.owner().get("/billing/wallet").await.data(200);
}

#[tokio::test]
async fn guests_from_one_address_have_a_quota_of_their_own() {
    let world = World::start().await;
    let tenant = world.tenant().await;

    let answers = flood(700, || world.post("/auth/login", json!({}))).await;

    let refused = refused(&answers);
    assert!(refused.len() >= 90, "{} were refused", refused.len());
    let wait: u64 = refused[0].header("retry-after").parse().unwrap();
    assert!((1..=60).contains(&wait), "{wait}");
    tenant.owner().get("/billing/wallet").await.data(200);
}

#[tokio::test]
async fn with_rate_limits_off_everybody_passes() {
    let world = World::start_with(&[("ATUMPAN_RATE_LIMITS", "off")]).await;
    let key = world.tenant().await.live_key().await;

    let answers = flood(FLOOD, || key.get(CHEAP)).await;
    let guests = flood(700, || world.post("/auth/login", json!({}))).await;

    assert!(refused(&answers).is_empty() && refused(&guests).is_empty());
    world.user("kofi@example.com").await;
    let wrong = json!({"email": "kofi@example.com", "password": "wrong"});
    for _ in 0..10 {
        world.post("/auth/login", wrong.clone()).await.fails(401, "INVALID_CREDENTIALS");
    }
    world.post("/auth/login", wrong).await.fails(429, "RATE_LIMITED");
}
