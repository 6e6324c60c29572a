//! Tests of requests to the vendor.

use std::sync::Arc;

use domain::{providers::provider::CheckStatus, shared::category::Category};

use super::*;
use crate::fixture::{self, Links, callback, declared, message, provider};

#[test]
fn the_request_is_what_the_vendor_documents() {
    let mut message = message();
    crate::fixture::write(&mut message, "<p>Hello</p>");
    Arc::make_mut(&mut message.draft).sender = Some("Ama <ama@shop.example>".into());
    let shop = "Shop <no-reply@shop.example>".parse().unwrap();

    let letter = letter(&message, &shop, &Links).unwrap();

    let expected = json!({
        "from": "Ama <no-reply@shop.example>",
        "to": ["ama@example.com"],
        "reply_to": "ama@shop.example",
        "subject": "Your code",
        "text": "Hello\n",
        "html": "<p>Hello</p>",
        "tags": [{"name": "message", "value": message.id.internal()}],
    });
    assert_eq!(letter, expected);
}

#[test]
fn advertising_offers_to_unsubscribe_with_one_click() {
    let mut message = message();
    Arc::make_mut(&mut message.draft).category = Category::Marketing;
    let shop = "Shop <no-reply@shop.example>".parse().unwrap();

    let letter = letter(&message, &shop, &Links).unwrap();

    let expected = json!({
        "List-Unsubscribe": "<https://notify.example.com/unsubscribe/ama@example.com>",
        "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
    });
    assert_eq!(letter["headers"], expected);
}

#[test]
fn a_sender_of_an_unverified_domain_is_noticed() {
    let domains =
        |body: &str| check_domains(serde_json::from_str(body).ok().as_ref(), "shop.example");
    for (body, status) in [
        (r#"{"data":[{"name":"Shop.example","status":"verified"}]}"#, CheckStatus::Up),
        (r#"{"data":[{"name":"shop.example","status":"pending"}]}"#, CheckStatus::Degraded),
        (
            r#"{"data":[{"name":"shop.example","status":"partially_verified"}]}"#,
            CheckStatus::Degraded,
        ),
        (r#"{"data":[]}"#, CheckStatus::Degraded),
        ("{}", CheckStatus::Degraded),
    ] {
        assert_eq!(domains(body).status, status, "{body}");
    }
}

#[test]
fn a_webhook_secret_makes_its_signature_the_only_proof() {
    let secret = "whsec_plJ3nmyCDGBKInavdOK15jslplJ3nmyC";
    let credentials = [("api_key", "re_k3y"), ("webhook_secret", secret)];
    let declaration = Declaration {
        sender: Some("Shop <no-reply@shop.example>".into()),
        ..declared("resend", Channel::Email, &credentials)
    };
    let provider = provider(&declaration);
    let body = r#"{"type":"email.sent","data":{"email_id":"e1"}}"#;
    let key = Key::declared(&declaration, "webhook_secret").unwrap();
    let of = |timestamp: i64, token: &str| {
        let signature = key.sign("msg_1", timestamp, body.as_bytes());
        let timestamp = timestamp.to_string();
        let headers =
            [("svix-id", "msg_1"), ("svix-timestamp", &timestamp), ("svix-signature", &signature)];
        let headers = headers.map(|(name, text)| (name.to_owned(), text.to_owned())).into();
        provider.receive(&Callback { headers, ..callback(&[("token", token)], body) })
    };
    let (now, token) = (fixture::now().timestamp(), fixture::token("one"));

    assert_eq!(of(now, "").unwrap().reports.len(), 1);
    assert_eq!(of(now - 301, &token), Err(CallbackRefused::Unauthorized));
    let unsigned = provider.receive(&callback(&[("token", &token)], body));
    assert_eq!(unsigned, Err(CallbackRefused::Unauthorized));
    let malformed = [("api_key", "re_k3y"), ("webhook_secret", "whsec_short")];
    let malformed = Declaration {
        sender: declaration.sender,
        ..declared("resend", Channel::Email, &malformed)
    };
    assert!(malformed.check().unwrap_err().to_string().contains("credentials.webhook_secret"));
}

#[test]
fn a_callback_is_accepted_by_its_token() {
    let credentials = [("api_key", "re_k3y")];
    let declaration = Declaration {
        sender: Some("Shop <no-reply@shop.example>".into()),
        ..declared("resend", Channel::Email, &credentials)
    };
    let provider = provider(&declaration);
    let received = |token: &str| {
        let body = r#"{"type":"email.sent","data":{"email_id":"e1"}}"#;
        provider.receive(&callback(&[("token", token)], body))
    };

    assert_eq!(received(&fixture::token("one")).unwrap().reports.len(), 1);
    assert_eq!(received("other"), Err(CallbackRefused::Unauthorized));
}
