//! Tests of requests to a service.

use std::sync::Arc;

use domain::shared::category::Category;

use super::*;
use crate::fixture::{self, Links, callback, message, now};

const SECRET: &str = "whsec_plJ3nmyCDGBKInavdOK15jslplJ3nmyC";

fn declared(base_url: Option<&str>, secret: &str) -> Declaration {
    let base_url = base_url.map(Into::into);
    Declaration { base_url, ..fixture::declared("http", Channel::Push, &[("secret", secret)]) }
}

#[test]
fn the_request_is_plain_json() {
    let message = message();
    let id = message.id.internal();
    let body = body(&message, &id, None, &Links);
    let expected = serde_json::json!({
        "id": id,
        "channel": "EMAIL",
        "to": "ama@example.com",
        "from": null,
        "subject": "Your code",
        "body": "It is 1234.",
        "category": "OTP",
        "countryCode": "GH",
        "createdAt": "2023-11-14T22:13:20.000Z",
        "expiresAt": "2023-11-14T22:23:20.000Z",
    });
    assert_eq!(serde_json::from_str::<serde_json::Value>(&body).unwrap(), expected);
}

#[test]
fn advertising_by_mail_has_the_link_to_unsubscribe() {
    let mut message = message();
    Arc::make_mut(&mut message.draft).category = Category::Marketing;
    let link = |message: &Message| {
        let body = body(message, "id", None, &Links);
        serde_json::from_str::<serde_json::Value>(&body).unwrap()["unsubscribeUrl"].clone()
    };

    assert_eq!(link(&message), "https://notify.example.com/unsubscribe/ama@example.com");
    Arc::make_mut(&mut message.draft).channel = Channel::Sms;
    assert_eq!(link(&message), serde_json::Value::Null);
}

#[test]
fn an_address_and_a_good_secret_are_needed() {
    let problem = |declaration: &Declaration| declaration.check().unwrap_err().to_string();

    assert!(declared(Some("https://x.example/in"), SECRET).check().is_ok());
    assert!(problem(&declared(None, SECRET)).ends_with("base_url is missing"));
    let problem_found = problem(&declared(Some("https://x.example/in"), "hunter2"));
    assert!(problem_found.contains("credentials.secret must be whsec_"), "{problem_found}");
    assert!(!problem_found.contains("hunter2"), "{problem_found}");
}

#[test]
fn a_report_is_accepted_by_its_signature() {
    let declaration = declared(Some("https://x.example/in"), SECRET);
    let provider = fixture::provider(&declaration);
    let body = r#"{"id":"x-1","status":"DELIVERED"}"#;
    let timestamp = now().timestamp();
    let signature =
        Key::declared(&declaration, "secret").unwrap().sign("evt_1", timestamp, body.as_bytes());
    let received = |body: &str| {
        let timestamp = timestamp.to_string();
        let headers = [
            ("webhook-id", "evt_1"),
            ("webhook-timestamp", &timestamp),
            ("webhook-signature", &signature),
        ];
        let headers = headers.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
        provider.receive(&Callback { headers, ..callback(&[], body) })
    };

    assert_eq!(received(body).unwrap().reports.len(), 1);
    assert_eq!(received(&body.replace("x-1", "x-2")), Err(CallbackRefused::Unauthorized));
}
