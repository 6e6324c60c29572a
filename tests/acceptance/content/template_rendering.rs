//! Filled texts of templates, without sending.

use acceptance::{Answer, Tenant, World};
use serde_json::{Value, json};

async fn create(tenant: &Tenant<'_>, template: Value) -> Value {
    tenant.owner().post("/templates", template).await.data(201).clone()
}

async fn render(tenant: &Tenant<'_>, template: &Value, request: Value) -> Answer {
    let path = format!("/templates/{}/render", template["id"].as_str().unwrap());
    tenant.owner().post(&path, request).await
}

#[tokio::test]
async fn a_template_is_shown_as_it_would_be_sent() {
    let world = World::shared().await;
    let (tenant, other) = (world.tenant().await, world.tenant().await);
    let sms = create(
        &tenant,
        json!({"name": "Ready", "channel": "SMS", "body": "Hello {{name}}, {{order}} is ready."}),
    )
    .await;
    let values = json!({"variables": {"name": "Yɛ", "unused": "x"}});

    let rendered = render(&tenant, &sms, values.clone()).await;

    assert_eq!(
        rendered.data(200),
        &json!({
            "subject": null, "body": "Hello Yɛ, {{order}} is ready.", "segments": 1,
            "encoding": "UCS-2", "missing": ["order"],
        })
    );
    let without = render(&tenant, &sms, json!({})).await;
    assert_eq!(without.data(200)["missing"], json!(["name", "order"]));
    render(&other, &sms, values).await.fails(404, "NOT_FOUND");
    assert_eq!(tenant.count("delivery_logs").await, 0);

    let mail = create(
        &tenant,
        json!({
            "name": "Due", "channel": "EMAIL", "category": "FINTECH", "subject": "For {{name}}",
            "body": "<p>Dear {{name}}</p>",
        }),
    )
    .await;
    let rendered = render(&tenant, &mail, json!({"variables": {"name": "A & B"}})).await;
    assert_eq!(
        rendered.data(200),
        &json!({
            "subject": "For A & B", "body": "<p>Dear A &amp; B</p>", "segments": null,
            "encoding": null, "missing": [],
        })
    );
}

#[tokio::test]
async fn values_that_could_not_be_sent_are_faults() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let template = json!({
        "name": "Code", "channel": "SMS", "category": "OTP", "body": "Your code is {{code}}",
    });
    let template = create(&tenant, template).await;
    let long = "1".repeat(41);
    for (request, field) in [
        (json!({"variables": {"code": long}}), "variables.code"),
        (json!({"variables": {"code": "1"}, "channel": "EMAIL"}), "channel"),
        (json!({"variables": 7}), "variables"),
        (json!({"tone": "warm"}), "tone"),
    ] {
        let refused = render(&tenant, &template, request.clone()).await;
        let faults = refused.fails(400, "VALIDATION_ERROR")["fieldErrors"].clone();
        assert!(faults[field].is_array(), "{request}: {faults}");
    }
}

#[tokio::test]
async fn a_key_that_reads_templates_renders_them() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let template = json!({"name": "Ready", "channel": "SMS", "body": "Akwaaba {{name}}"});
    let template = create(&tenant, template).await;
    let path = format!("/templates/{}/render", template["id"].as_str().unwrap());
    let values = json!({"variables": {"name": "Ama"}});

    for (scopes, status) in [(json!(["templates:read"]), 200), (json!(["contacts:read"]), 403)] {
        let key = tenant.api_key(json!({"name": "program", "scopes": scopes})).await;
        let answer = key.post(&path, values.clone()).await;
        assert_eq!(answer.status, status, "{}", answer.text);
    }
}
