//! Templates, as organizations create and send them.

use acceptance::{Tenant, World};
use reqwest::Method;
use serde_json::{Value, json};

const UNKNOWN: &str = "/templates/01a1fe23-0000-7000-8000-00000000000f";

async fn create(tenant: &Tenant<'_>, template: Value) -> Value {
    tenant.owner().post("/templates", template).await.data(201).clone()
}

async fn edit(tenant: &Tenant<'_>, template: &Value, changes: Value) -> Value {
    let answer = tenant.owner().call(Method::PATCH, &path(template), Some(changes)).await;
    answer.data(200).clone()
}

fn path(template: &Value) -> String {
    format!("/templates/{}", template["id"].as_str().unwrap())
}

fn order_ready() -> Value {
    json!({"name": "Order ready", "channel": "SMS", "body": "Hello {{name}}, {{order}} is ready."})
}

#[tokio::test]
async fn a_harmless_template_is_sent_without_approval() {
    let world = World::shared().await;
    let (own, other) = (world.tenant().await, world.tenant().await);

    let template = create(&own, order_ready()).await;

    assert_eq!(
        template,
        json!({
            "id": template["id"], "name": "Order ready", "channel": "SMS",
            "category": "TRANSACTIONAL", "countryCode": "GH", "language": "en", "subject": null,
            "body": "Hello {{name}}, {{order}} is ready.", "bodyTruncated": false,
            "variables": ["name", "order"], "vendorTemplate": null, "format": null,
            "shortVariables": null, "longVariables": false,
            "status": "APPROVED", "riskScore": 0, "issues": [],
            "comment": null, "version": 1, "createdAt": template["createdAt"],
        })
    );
    let mut shown = own.owner().get(&path(&template)).await.data(200).clone();
    let versions = shown.as_object_mut().unwrap().remove("versions").unwrap();
    assert_eq!(shown, template);
    assert_eq!((&versions[0]["version"], &versions[0]["status"]), (&json!(1), &json!("APPROVED")));
    for unknown in [path(&template), UNKNOWN.to_owned(), "/templates/x".to_owned()] {
        other.owner().get(&unknown).await.fails(404, "NOT_FOUND");
        let change = Some(json!({"name": "Mine"}));
        let change = other.owner().call(Method::PATCH, &unknown, change).await;
        change.fails(404, "NOT_FOUND");
    }
    let message = json!({
        "channel": "SMS", "to": "0241234567", "templateId": template["id"],
        "variables": {"name": "Ama", "order": "4711"},
    });
    let sent = own.owner().post("/messages/send", message.clone()).await;
    assert_eq!(sent.data(201)["body"], "Hello Ama, 4711 is ready.");
    other.owner().post("/messages/send", message).await.fails(404, "TEMPLATE_NOT_FOUND");
}

#[tokio::test]
async fn templates_are_listed_newest_first_in_pages() {
    let world = World::shared().await;
    let (own, other) = (world.tenant().await, world.tenant().await);
    let mut templates = Vec::new();
    for _ in 0..3 {
        templates.insert(0, create(&own, order_ready()).await);
    }
    create(&other, order_ready()).await;
    for (query, expected) in [
        ("", &templates[..]),
        ("?limit=2", &templates[..2]),
        ("?limit=2&page=2", &templates[2..]),
        ("?page=2", &[]),
    ] {
        let answer = own.owner().get(&format!("/templates{query}")).await;
        assert_eq!(answer.data(200), &json!(expected), "{query}");
        assert_eq!(answer.body["pagination"]["total"], 3);
    }
    own.owner().get("/templates?limit=101").await.fails(400, "VALIDATION_ERROR");
}

#[tokio::test]
async fn filters_of_templates_compose() {
    let world = World::shared().await;
    let (own, other) = (world.tenant().await, world.tenant().await);
    let mut templates = Vec::new();
    for (name, channel, category) in [
        ("Order ready", "SMS", "TRANSACTIONAL"),
        ("Order 50%_off", "SMS", "HEALTHCARE"),
        ("Premium due", "EMAIL", "TRANSACTIONAL"),
    ] {
        let body = "Your order waits.";
        let template =
            json!({"name": name, "channel": channel, "category": category, "body": body});
        templates.push(create(&own, template).await);
    }
    create(&other, order_ready()).await;

    for (query, expected) in [
        ("search=oRDER", &[1_usize, 0][..]),
        ("search=%25_", &[1]),
        ("search=waits", &[]),
        ("channel=SMS", &[1, 0]),
        ("category=TRANSACTIONAL", &[2, 0]),
        ("status=PENDING_APPROVAL", &[1]),
        ("status=WITHDRAWN", &[]),
        ("channel=SMS&status=APPROVED&search=order&category=TRANSACTIONAL", &[0]),
    ] {
        let answer = own.owner().get(&format!("/templates?{query}")).await;
        let expected: Vec<_> = expected.iter().map(|index| &templates[*index]).collect();
        assert_eq!(answer.data(200), &json!(expected), "{query}");
        assert_eq!(answer.body["pagination"]["total"], expected.len(), "{query}");
    }
    let second = own.owner().get("/templates?search=order&limit=1&page=2").await;
    assert_eq!(second.data(200), &json!([templates[0]]));
    assert_eq!(second.body["pagination"]["total"], 2);
    let wrong = "/templates?status=SENT&channel=FAX&category=SPAM&name=x";
    let answer = own.owner().get(wrong).await;
    let details = answer.fails(400, "VALIDATION_ERROR");
    let fields: Vec<_> = details["fieldErrors"].as_object().unwrap().keys().collect();
    assert_eq!(fields, ["category", "channel", "name", "status"]);
    own.owner().get("/templates?search=%00").await.fails(400, "VALIDATION_ERROR");
}

#[tokio::test]
async fn reports_every_fault_of_a_template() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    for (template, fields) in [
        (json!({}), vec!["body", "channel", "name"]),
        (
            json!({"name": "x", "channel": "FAX", "body": " ", "category": "SPAM", "tone": "warm"}),
            vec!["body", "category", "channel", "tone"],
        ),
        (
            json!({"name": "x", "channel": "SMS", "body": "{{a}}", "variables": ["b", "{c}"]}),
            vec!["variables", "variables.1"],
        ),
        (
            json!({"name": "x", "channel": "WHATSAPP", "body": "Hi", "vendorTemplate": {"button": "{{a}}"}}),
            vec!["vendorTemplate.button", "vendorTemplate.name"],
        ),
        (
            json!({"name": "x", "channel": "SMS", "body": "Hi", "vendorTemplate": {"name": "hi"}}),
            vec!["vendorTemplate"],
        ),
        (
            json!({"name": "x", "channel": "SMS", "body": "Hi", "vendorTemplate": 7}),
            vec!["vendorTemplate"],
        ),
    ] {
        let answer = tenant.owner().post("/templates", template.clone()).await;
        let details = answer.fails(400, "VALIDATION_ERROR");
        let found: Vec<_> = details["fieldErrors"].as_object().unwrap().keys().collect();
        assert_eq!(found, fields, "{template}");
    }
    assert_eq!(tenant.count("templates").await, 0);
    let template = create(&tenant, order_ready()).await;
    let channel = Some(json!({"channel": "EMAIL"}));
    let answer = tenant.owner().call(Method::PATCH, &path(&template), channel).await;
    assert!(answer.fails(400, "VALIDATION_ERROR")["fieldErrors"]["channel"].is_array());
}

#[tokio::test]
async fn a_supervised_category_or_a_risky_text_needs_approval() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let mut risky = order_ready();
    risky["body"] =
        json!("Dear {{name}}, you won GHS 5,000! Send your MoMo PIN to claim {{order}}.");
    let mut supervised = order_ready();
    supervised["category"] = json!("HEALTHCARE");

    let risky = create(&tenant, risky).await;
    let supervised = create(&tenant, supervised).await;

    assert!(risky["riskScore"].as_u64().unwrap() >= 30, "{risky}");
    let issue = &risky["issues"][0];
    assert!(issue["code"].is_string() && issue["weight"].as_u64().unwrap() > 0, "{issue}");
    assert!(issue["match"].is_string() && issue["position"].is_u64(), "{issue}");
    assert!(supervised["riskScore"].as_u64().unwrap() < 30);
    for template in [&risky, &supervised] {
        assert_eq!(template["status"], "PENDING_APPROVAL");
        let message = json!({
            "channel": "SMS", "to": "0241234567", "templateId": template["id"],
            "variables": {"name": "Ama", "order": "4711"},
        });
        let refused = tenant.owner().post("/messages/send", message).await;
        refused.fails(409, "TEMPLATE_NOT_APPROVED");
    }
}

#[tokio::test]
async fn only_an_edit_that_changes_something_makes_a_version() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let first = create(&tenant, order_ready()).await;

    let renamed = edit(&tenant, &first, json!({"name": "Ready"})).await;
    assert_eq!((&renamed["name"], &renamed["version"]), (&json!("Ready"), &json!(1)));
    let same = edit(&tenant, &first, json!({"body": first["body"], "subject": null})).await;
    assert_eq!(same, renamed);
    let second = edit(&tenant, &first, json!({"body": "{{order}} waits."})).await;
    assert_eq!((&second["version"], &second["variables"]), (&json!(2), &json!(["order"])));
    let third = edit(&tenant, &first, json!({"category": "FINTECH"})).await;
    assert_eq!((&third["version"], &third["status"]), (&json!(3), &json!("PENDING_APPROVAL")));
    let fourth = edit(&tenant, &first, json!({"category": "OTP"})).await;
    assert_eq!((&fourth["version"], &fourth["status"]), (&json!(4), &json!("APPROVED")));

    let shown = tenant.owner().get(&path(&first)).await.data(200).clone();
    let versions: Vec<_> = shown["versions"].as_array().unwrap().iter().collect();
    let of = |name: &str| versions.iter().map(|it| it[name].clone()).collect::<Vec<_>>();
    assert_eq!(of("version"), [4, 3, 2, 1]);
    assert_eq!(of("status"), ["APPROVED", "WITHDRAWN", "APPROVED", "APPROVED"]);
    assert_eq!(versions[3]["body"], first["body"]);
    let me = tenant.owner().get("/auth/me").await.data(200)["id"].clone();
    assert!(of("createdBy").iter().all(|user| *user == me), "{versions:?} {me}");
}

#[tokio::test]
async fn an_in_app_template_is_stored_and_never_sent() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let mut template = order_ready();
    template["channel"] = json!("IN_APP");
    let template = create(&tenant, template).await;
    assert_eq!(template["channel"], "IN_APP");

    let message = json!({
        "channel": "PUSH", "to": "device-1", "templateId": template["id"],
        "variables": {"name": "Ama", "order": "4711"},
    });
    let answer = tenant.owner().post("/messages/send", message).await;
    assert!(answer.fails(400, "VALIDATION_ERROR")["fieldErrors"]["templateId"].is_array());
}

#[tokio::test]
async fn a_vendor_template_is_changed_and_removed() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let template = create(
        &tenant,
        json!({
            "name": "Order ready", "channel": "WHATSAPP", "body": "Hello {{name}}",
            "vendorTemplate": {"name": "order_ready", "parameters": ["name"], "button": "code"},
        }),
    )
    .await;
    assert_eq!(template["variables"], json!(["name", "code"]));
    assert_eq!(
        template["status"], "PENDING_APPROVAL",
        "the vendor's text is the operator's to give"
    );
    assert_eq!(
        template["vendorTemplate"],
        json!({"name": "order_ready", "language": "en", "parameters": ["name"], "button": "code"})
    );

    let change = json!({"vendorTemplate": {"name": "order_2", "language": "en_US"}});
    let changed = edit(&tenant, &template, change).await;
    assert_eq!((&changed["version"], &changed["variables"]), (&json!(2), &json!(["name"])));
    assert_eq!(changed["vendorTemplate"]["language"], "en_US");
    let without = edit(&tenant, &template, json!({"vendorTemplate": null})).await;
    assert_eq!(without["vendorTemplate"], Value::Null);
}
