//! Visibility of one-time codes.

use acceptance::{World, unique_email, until};
use serde_json::json;

const TEXT: &str = "Your code is 482913";
const MASKED: &str = "Your code is ••••••";

#[tokio::test]
async fn only_builders_see_a_code_until_its_message_ends() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let email = unique_email("viewer");
    let viewer = world.user(&email).await;
    let invitation = json!({"email": email, "role": "VIEWER"});
    tenant.owner().post("/organizations/invite", invitation).await.data(201);
    let viewer = tenant.member(viewer["token"].as_str().unwrap());
    let key = tenant.api_key(json!({"name": "test"})).await;
    let code = |to: &str| json!({"channel": "SMS", "to": to, "body": TEXT, "category": "OTP"});

    let waiting = key.post("/messages/send", code("0241230001")).await.data(201).clone();
    let ended = key.post("/messages/send", code("0241234567")).await.data(201).clone();
    let waiting = format!("/messages/{}", waiting["id"].as_str().unwrap());
    let ended = format!("/messages/{}", ended["id"].as_str().unwrap());
    until("the second is delivered", async || {
        key.get(&ended).await.data(200)["status"] == "DELIVERED"
    })
    .await;

    for (reader, path, body) in [
        (&key, &waiting, TEXT),
        (&tenant.owner(), &waiting, TEXT),
        (&viewer, &waiting, MASKED),
        (&key, &ended, MASKED),
        (&tenant.owner(), &ended, MASKED),
    ] {
        assert_eq!(reader.get(path).await.data(200)["body"], body, "{path}");
    }
    let log = viewer.get("/delivery-logs").await;
    let bodies = log.data(200).as_array().unwrap().iter().map(|line| &line["body"]);
    assert_eq!(bodies.collect::<Vec<_>>(), [MASKED, MASKED]);
    let export = viewer.get("/delivery-logs/export").await;
    assert!(!export.text.contains("482913"), "{}", export.text);
}
