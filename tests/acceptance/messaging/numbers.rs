//! Numbers without a country, and premium numbers.

use acceptance::{Answer, Tenant, World, until};
use reqwest::Method;
use serde_json::{Value, json};

async fn send(tenant: &Tenant<'_>, to: &str, country: &str) -> Answer {
    let message = json!({
        "channel": "SMS", "to": to, "body": "Akwaaba", "countryCode": country,
    });
    tenant.owner().post("/messages/send", message).await
}

async fn set(tenant: &Tenant<'_>, settings: Value) -> Answer {
    let body = json!({"settings": settings});
    tenant.owner().call(Method::PATCH, "/organizations/current", Some(body)).await
}

#[tokio::test]
async fn a_number_without_a_country_has_no_route_and_no_price() {
    let world = World::shared().await;
    let tenant = world.tenant().await;

    for country in ["GH", "US"] {
        let answer = send(&tenant, "+881612345678", country).await;
        let failed = answer.data(201);
        assert_eq!(
            (&failed["status"], &failed["errorCode"]),
            (&json!("FAILED"), &json!("NO_ROUTE"))
        );
        assert_eq!((&failed["countryCode"], &failed["cost"]), (&json!("001"), &json!(0.0)));
    }
    let answer = send(&tenant, "+881612345678", "001").await;
    assert!(answer.fails(400, "VALIDATION_ERROR")["fieldErrors"]["countryCode"].is_array());
    assert!((tenant.balance().await - 10.0).abs() < 1e-9);
}

#[tokio::test]
async fn a_premium_number_needs_permission_in_the_settings() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let key = tenant.live_key().await;
    let message = json!({"channel": "SMS", "to": "+19002345678", "body": "Akwaaba"});
    let bulk = json!({"messages": [message]});

    let answer = send(&tenant, "+19002345678", "GH").await;
    assert!(answer.fails(400, "VALIDATION_ERROR")["fieldErrors"]["to"].is_array());
    let answer = key.post("/messages/bulk", bulk.clone()).await;
    assert!(answer.fails(400, "VALIDATION_ERROR")["fieldErrors"]["messages.0.to"].is_array());
    let shown = tenant.owner().get("/organizations/current").await;
    assert_eq!(shown.data(200)["settings"]["allowPremiumNumbers"], json!(false));

    let answer = set(&tenant, json!({"allowPremiumNumbers": true})).await;

    assert_eq!(answer.data(200)["settings"]["allowPremiumNumbers"], json!(true));
    let sent = send(&tenant, "+19002345678", "GH").await;
    assert_eq!(sent.data(201)["countryCode"], "US");
    // An instance caches a key for a moment.
    let is_sent = async || key.post("/messages/bulk", bulk.clone()).await.status == 201;
    until("the key sends to premium numbers", is_sent).await;

    for wrong in [json!(7), json!({"allowPremiumNumbers": "yes"}), json!({"colour": "red"})] {
        set(&tenant, wrong).await.fails(400, "VALIDATION_ERROR");
    }
    let kept = set(&tenant, json!({})).await;
    assert_eq!(kept.data(200)["settings"]["allowPremiumNumbers"], json!(true));
}
