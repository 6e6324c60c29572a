//! Invalid bodies for every operation, derived from its description in the API document.

use acceptance::{Answer, Tenant, World};
use reqwest::header::CONTENT_TYPE;
use serde_json::{Value, json};
use testkit::is_long;

use crate::shared::{
    document::{Operation, operations},
    wire::{answer, assert_orderly},
};

const JSON: &str = "application/json";
/// Sampling of short runs: each field gets one of so many values, and its neighbour the next.
const SHARE: usize = 3;

fn share() -> usize {
    if is_long() { 1 } else { SHARE }
}

fn with_bodies() -> Vec<Operation> {
    operations().into_iter().filter(|operation| operation.schema.is_some()).collect()
}

/// Sending window that every installation has.
const EXAMPLE_WINDOW: &str = "019aaae6-0000-7000-8000-0000000000e1";

/// Owner who is also a platform administrator, and so may call everything, with items to change.
struct Subject<'w> {
    tenant: Tenant<'w>,
    template: String,
    segment: String,
    campaign: String,
    event: String,
}

async fn administrator(world: &World) -> Subject<'_> {
    let tenant = world.tenant().await;
    world.promote(&tenant.email).await;
    let template = json!({"name": "Receipt", "channel": "SMS", "body": "Thank you, {{name}}."});
    let template = made(&tenant, "/templates", template).await;
    let segment = made(&tenant, "/segments", json!({"name": "All", "rules": {}})).await;
    let campaign = made(&tenant, "/campaigns", json!({"name": "Sale", "channel": "SMS"})).await;
    let event = json!({
        "name": "Parcel arrived", "slug": "parcel.arrived", "templateId": template,
    });
    let event = made(&tenant, "/events", event).await;
    Subject { tenant, template, segment, campaign, event }
}

async fn made(tenant: &Tenant<'_>, path: &str, body: Value) -> String {
    let answer = tenant.owner().post(path, body).await;
    answer.data(201)["id"].as_str().unwrap().to_owned()
}

impl Subject<'_> {
    /// Returns the path to an existing item: some changes are validated against the item.
    fn path(&self, operation: &Operation) -> String {
        match operation.path("x") {
            path if path.starts_with("/templates/") => operation.path(&self.template),
            path if path.starts_with("/segments/") => operation.path(&self.segment),
            path if path.starts_with("/campaigns/") => operation.path(&self.campaign),
            path if path.starts_with("/events/") => operation.path(&self.event),
            path if path.starts_with("/admin/sending-windows/") => operation.path(EXAMPLE_WINDOW),
            path => path,
        }
    }
}

async fn send(subject: &Subject<'_>, operation: &Operation, kind: &str, body: Vec<u8>) -> Answer {
    let tenant = &subject.tenant;
    let url = format!("{}{}", tenant.world.url, subject.path(operation));
    let mut request = tenant.world.http.request(operation.method.clone(), url).body(body);
    if operation.takes_session {
        request = request.bearer_auth(&tenant.token).header("X-Organization-Id", &tenant.id);
    }
    if !kind.is_empty() {
        request = request.header(CONTENT_TYPE, kind);
    }
    let answer = answer(request).await;
    assert_orderly(&answer, &operation.name());
    answer
}

async fn send_json(subject: &Subject<'_>, operation: &Operation, body: &Value) -> Answer {
    send(subject, operation, JSON, body.to_string().into_bytes()).await
}

/// Asserts that the field, or a part of it, is reported as faulty.
#[track_caller]
fn assert_named(answer: &Answer, field: &str, operation: &Operation, body: &Value) {
    let name = operation.name();
    assert_eq!(answer.status, 400, "{name} {body}: {}", answer.text);
    let fields = answer.body["error"]["details"]["fieldErrors"].as_object();
    let inside = format!("{field}.");
    let is_named = |it: &String| it == field || it.starts_with(&inside);
    let named = fields.is_some_and(|fields| fields.keys().any(is_named));
    assert!(named, "{name} {body}: {}", answer.text);
}

#[tokio::test]
async fn rejects_a_body_that_is_not_a_json_object() {
    let world = World::shared().await;
    let subject = administrator(&world).await;
    let deep = "[".repeat(100_000);
    let bodies: [&[u8]; 17] = [
        b"{",
        b"null",
        b"[]",
        b"7",
        b"\"text\"",
        b"{}{}",
        b"{'a': 1}",
        b"{\"a\": NaN}",
        b"{\"a\": 1e999}",
        b"{\"email\": \"\xff\"}",
        b"{\"email\": \"\\ud800\"}",
        b"\xef\xbb\xbf{",
        b"<xml/>",
        b"{\"email\": \"a@b.example\", \"email\": \"c@d.example\"}",
        b"{\"a\": [{\"b\": 1, \"\\u0062\": 2}]}",
        b"{\"a\": -Infinity}",
        deep.as_bytes(),
    ];
    for operation in with_bodies() {
        for body in bodies {
            let answer = send(&subject, &operation, JSON, body.to_vec()).await;
            let details = answer.fails(400, "VALIDATION_ERROR");
            assert_eq!(details["formErrors"].as_array().unwrap().len(), 1, "{}", answer.text);
            assert_eq!(details["fieldErrors"], json!({}));
        }
        let deep = format!("{{\"a\":{}1{}}}", "[".repeat(100_000), "]".repeat(100_000));
        let answer = send(&subject, &operation, JSON, deep.into_bytes()).await;
        answer.fails(400, "VALIDATION_ERROR");
    }
}

#[tokio::test]
async fn rejects_a_body_of_another_type_and_an_empty_body() {
    let world = World::start_with(&[("ATUMPAN_RATE_LIMITS", "off")]).await;
    let subject = administrator(&world).await;
    for operation in with_bodies() {
        let example = operation.example().unwrap().to_string().into_bytes();
        for kind in ["text/plain", "application/xml", "application/x-www-form-urlencoded", "json"] {
            let answer = send(&subject, &operation, kind, example.clone()).await;
            answer.fails(400, "VALIDATION_ERROR");
        }
        // Decisions, tests, rotations and repetitions need no body, but an existing item. A contact needs no field.
        let name = operation.name();
        let needs_no_body = name.contains("/admin/approvals/")
            || ["{id}/test", "{id}/rotate", "{id}/resend"].iter().any(|it| name.ends_with(it));
        let status = match name.as_str() {
            "POST /contacts" => 201,
            "POST /campaigns/{id}/resend-failed" => 409,
            "POST /templates/{id}/render" => 200,
            _ if needs_no_body => 404,
            _ => 400,
        };
        for kind in ["", JSON] {
            let answer = send(&subject, &operation, kind, Vec::new()).await;
            assert_eq!(answer.status, status, "{}: {}", operation.name(), answer.text);
        }
    }
    assert_eq!(world.value("SELECT count(*) FROM users").await, 1);
}

#[tokio::test]
async fn a_body_above_a_mebibyte_is_too_large() {
    let world = World::shared().await;
    let subject = administrator(&world).await;
    let padded = |mut body: Vec<u8>, size: usize| {
        body.resize(size, b' ');
        body
    };
    for operation in with_bodies() {
        let mut body = operation.example().unwrap();
        body["nothing"] = json!(1);
        let body = body.to_string().into_bytes();
        let answer = send(&subject, &operation, JSON, padded(body.clone(), 1 << 20)).await;
        assert_named(&answer, "nothing", &operation, &Value::Null);
        let sizes: &[usize] =
            if is_long() { &[(1 << 20) + 1, 2 << 20, 7 << 20] } else { &[(1 << 20) + 1] };
        for &size in sizes {
            let answer = send(&subject, &operation, JSON, padded(body.clone(), size)).await;
            answer.fails(413, "PAYLOAD_TOO_LARGE");
        }
    }
    let endless = world.http.post(format!("{}/auth/login", world.url)).body(vec![b' '; 64 << 20]);
    if let Ok(response) = endless.send().await {
        assert_eq!(response.status().as_u16(), 413);
    }
    assert_eq!(world.get("/health").await.status, 200);
}

#[tokio::test]
async fn rejects_unknown_fields_in_every_body() {
    let world = World::shared().await;
    let subject = administrator(&world).await;
    let extra = [
        "isAdmin",
        "platformRole",
        "balance",
        "wallet",
        "organizationId",
        "status",
        "cost",
        "id",
        "role",
        "refunded",
        "createdAt",
        "__proto__",
        "constructor",
    ];
    for operation in with_bodies() {
        let mut body = operation.example().unwrap();
        for field in extra {
            body[field] = json!(1);
        }
        let answer = send_json(&subject, &operation, &body).await;
        for field in extra {
            assert_named(&answer, field, &operation, &body);
        }
    }
}

#[tokio::test]
async fn rejects_a_value_of_the_wrong_type_in_every_field() {
    let world = World::shared().await;
    let subject = administrator(&world).await;
    let values = [
        json!("text"),
        json!(7),
        json!(-1.5),
        json!(1e308),
        json!(u64::MAX),
        json!(true),
        json!([7]),
        json!([["a"]]),
        json!({"a": 7}),
        json!({"a": {}}),
    ];
    let share = share();
    let mut fields = 0;
    for operation in with_bodies() {
        let schema = operation.schema.as_ref().unwrap();
        for (field, property) in schema["properties"].as_object().unwrap() {
            fields += 1;
            let wrong = values.iter().filter(|value| !suits(value, property));
            for value in wrong.skip(fields % share).step_by(share) {
                let mut body = operation.example().unwrap();
                body[field] = value.clone();
                let answer = send_json(&subject, &operation, &body).await;
                // The endpoint is loaded before its address is validated, which may take a DNS query.
                let is_judged_later = field == "url" && value.is_string();
                if !(is_judged_later && answer.status == 404) {
                    assert_named(&answer, field, &operation, &body);
                }
            }
        }
    }
}

/// True if the value has a type that the description allows.
fn suits(value: &Value, property: &Value) -> bool {
    let kinds = property["type"].to_string();
    match value {
        // An arbitrary text is wrong if a format is required.
        Value::String(_) => {
            let format = property.get("format");
            kinds.contains("string") && format.is_none_or(|format| format == "password")
        }
        Value::Bool(_) => kinds.contains("boolean"),
        Value::Number(number) => {
            let is_number = kinds.contains("integer") || kinds.contains("number");
            is_number && number.as_u64() == Some(7)
        }
        // A segment rule may compare an attribute; the rules of events keep unknown fields.
        Value::Object(fields) => {
            let property = property.to_string();
            property.contains("/Event")
                || property.contains("/SegmentRules") && fields["a"].is_number()
        }
        _ => false,
    }
}

#[tokio::test]
async fn rejects_the_nul_character_in_every_text() {
    let world = World::shared().await;
    let subject = administrator(&world).await;
    for operation in with_bodies() {
        let mut bodies = Vec::new();
        let example = operation.example().unwrap();
        let properties = operation.schema.as_ref().unwrap()["properties"].as_object().unwrap();
        for (field, property) in properties {
            if property["type"].to_string().contains("boolean") {
                continue;
            }
            let text = match &example[field] {
                Value::String(text) => json!(format!("{text}\0")),
                Value::Array(_) if field == "messages" => continue,
                Value::Array(_) => json!(["a\0:b"]),
                Value::Object(_) => json!({"name": "a\0"}),
                _ => json!("abcdefgh\0"),
            };
            let mut body = example.clone();
            body[field] = text;
            bodies.push((field.clone(), body));
        }
        for item in ["channel", "to", "body", "subject", "senderId", "templateId", "category"] {
            if example.get("messages").is_some() {
                let mut body = example.clone();
                body["messages"][1][item] = json!("a\0");
                bodies.push((format!("messages.1.{item}"), body));
            }
        }
        for (field, body) in bodies {
            // A faulty placeholder value is reported for the text with the placeholder, unless a template
            // has that text.
            let has_text = !["POST /events/trigger", "POST /templates/{id}/render"]
                .contains(&operation.name().as_str());
            let is_placeholder = field == "variables" && body[&field].is_object() && has_text;
            let field = if is_placeholder { "body" } else { &field };
            let answer = send_json(&subject, &operation, &body).await;
            assert_named(&answer, field, &operation, &body);
        }
    }
}

#[tokio::test]
async fn long_texts_cause_no_server_error() {
    let world = World::shared().await;
    let subject = administrator(&world).await;
    // Noise, which does not compress when stored.
    let mut state = 7_u64;
    let noise: String = (0..100_000)
        .map(|_| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            char::from(b'a' + u8::try_from((state >> 33) % 26).unwrap())
        })
        .collect();
    let share = share();
    let mut fields = 0;
    for operation in with_bodies() {
        let example = operation.example().unwrap();
        for field in operation.schema.as_ref().unwrap()["properties"].as_object().unwrap().keys() {
            fields += 1;
            let texts = [noise.clone(), format!("{noise}@example.com"), format!("a@{noise}.com")];
            for text in texts.into_iter().skip(fields % share).step_by(share) {
                let mut body = example.clone();
                body[field] = json!(text);
                // Any orderly answer is right: some texts may be long.
                send_json(&subject, &operation, &body).await;
            }
        }
    }
}
