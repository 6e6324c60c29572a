//! `WhatsApp` messages outside the messaging window.

use acceptance::Tenant;
use serde_json::{Value, json};

use crate::providers::vendor::{Installation, Mood, Vendor, provider};

const TEXT: &str = "Dear {{name}}, it is {{code}}.";
/// Vendor's template, with parameters in another order than in the text.
const VENDORS: &str =
    r#"{"name": "HX0c1", "language": "en_GB", "parameters": ["code", "name"], "button": "code"}"#;

async fn one(kind: &str) -> (Vendor, Installation) {
    let vendor = Vendor::start().await;
    let service = Installation::start(&[provider("only", kind, &vendor.url(), 1)]).await;
    (vendor, service)
}

/// Inserts a template, with the vendor's template as an SQL expression.
async fn keep(tenant: &Tenant<'_>, id: &str, vendors: &str) {
    tenant
        .world
        .sql(&format!(
            "INSERT INTO templates (id, organization_id, name, channel, category, body, status, \
             created_at, vendor_template) VALUES ('{id}', '{}', 'code', 'WHATSAPP', \
             'TRANSACTIONAL', '{TEXT}', 'APPROVED', now(), {vendors})",
            tenant.id
        ))
        .await;
}

fn by(template: &str) -> Value {
    json!({"channel": "WHATSAPP", "to": "0241234567", "templateId": template,
        "variables": {"name": "Ama", "code": "4711"}})
}

const OURS: &str = "01a1fe23-0000-7000-8000-000000000001";
const BOTH: &str = "01a1fe23-0000-7000-8000-000000000002";

async fn with_templates(service: &Installation) -> Tenant<'_> {
    let tenant = service.world.tenant().await;
    keep(&tenant, OURS, "NULL").await;
    keep(&tenant, BOTH, &format!("'{VENDORS}'")).await;
    tenant
}

#[tokio::test]
async fn outside_the_window_only_a_vendor_template_is_sent() {
    let (vendor, service) = one("whatsapp-cloud").await;
    let tenant = with_templates(&service).await;
    let free = json!({"channel": "WHATSAPP", "to": "0241234567", "body": "Akwaaba"});

    for text in [free, by(OURS)] {
        let answer = tenant.owner().post("/messages/send", text).await;
        let failed = answer.data(201);
        assert_eq!(failed["status"], "FAILED");
        assert_eq!(failed["errorCode"], "SESSION_WINDOW_CLOSED");
    }
    assert_eq!(vendor.calls(), 0, "the vendor is not asked");
    assert!((tenant.balance().await - 10.0).abs() < 1e-9, "both are refunded");

    let answer = tenant.owner().post("/messages/send", by(BOTH)).await;

    let sent = answer.data(201);
    assert_eq!((&sent["status"], &sent["body"]), (&json!("SENT"), &json!("Dear Ama, it is 4711.")));
    let asked: Value = serde_json::from_str(&vendor.last_body()).unwrap();
    assert_eq!(asked["type"], "template");
    assert_eq!(asked.get("text"), None);
    let text = |text| json!({"type": "text", "text": text});
    let button = json!({"type": "button", "sub_type": "url", "index": "0",
        "parameters": [text("4711")]});
    let expected = json!({
        "name": "HX0c1",
        "language": {"code": "en_GB"},
        "components": [{"type": "body", "parameters": [text("4711"), text("Ama")]}, button],
    });
    assert_eq!(asked["template"], expected);
    tenant.assert_ledger_adds_up().await;
}

#[tokio::test]
async fn a_retry_sends_the_template_with_the_same_values() {
    let (vendor, service) = one("twilio-whatsapp").await;
    let tenant = with_templates(&service).await;
    vendor.now(Mood::Refuses);

    let answer = tenant.owner().post("/messages/send", by(BOTH)).await;
    assert_eq!(answer.data(201)["status"], "QUEUED", "it waits for the next round");
    let first = vendor.last_body();
    vendor.now(Mood::Takes);
    tenant.owner().message_that_is("SENT", &answer.data(201)["id"]).await;

    assert_eq!(vendor.last_body(), first);
    let expected = "&ContentSid=HX0c1&ContentVariables=\
                    %7B%221%22%3A%224711%22%2C%222%22%3A%22Ama%22%7D&ValidityPeriod=36000&StatusCallback=";
    assert!(first.contains(expected), "{first}");
    assert!(!first.contains("Body="), "{first}");
}

#[tokio::test]
async fn rejects_a_parameter_without_a_value() {
    let (vendor, service) = one("whatsapp-cloud").await;
    let tenant = with_templates(&service).await;
    let mut message = by(BOTH);
    for (variables, fault) in [
        (json!({"name": "Ama"}), "has no value for {{code}}"),
        (json!({"name": "A\nma", "code": "1"}), "has a value for {{name}} that is not one line"),
    ] {
        message["variables"] = variables;

        let answer = tenant.owner().post("/messages/send", message.clone()).await;

        let details = answer.fails(400, "VALIDATION_ERROR");
        let faults = details["fieldErrors"]["variables"].as_array().unwrap();
        assert_eq!(faults.len(), 1, "{faults:?}");
        assert!(faults[0].as_str().unwrap().starts_with(fault), "{faults:?}");
    }
    assert_eq!(vendor.calls(), 0);
}
