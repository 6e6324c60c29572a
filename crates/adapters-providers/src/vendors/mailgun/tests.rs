//! Tests of requests to the vendor, and of the authentication of callbacks.

use super::*;
use crate::{
    fixture::{self, callback},
    secret::Secret,
    signature,
};

fn body(signature: &str) -> String {
    format!(
        r#"{{"signature":{{"timestamp":"1700000000","token":"e0","signature":"{signature}"}},
            "event-data":{{"event":"stored"}}}}"#
    )
}

fn declared(domain: &str) -> Declaration {
    let credentials = [("domain", domain), ("api_key", "key-1")];
    let sender = Some("Shop <no-reply@shop.example>".into());
    Declaration { sender, ..fixture::declared("mailgun", Channel::Email, &credentials) }
}

#[test]
fn a_domain_is_a_name_and_nothing_else() {
    assert!(Mailgun::read(&declared("mg.shop.example")).is_ok());
    for domain in ["a/b", "..", "a?b", "shop example"] {
        assert!(Mailgun::read(&declared(domain)).is_err(), "{domain}");
    }
}

#[test]
fn a_callback_is_accepted_by_signature_or_token() {
    let provider = fixture::provider(&declared("mg.shop.example"));
    let signature = signature::hex(&signature::hmac_sha256(b"key-1", b"1700000000e0"));
    let received =
        |token: &str, body: String| provider.receive(&callback(&[("token", token)], &body));
    let token = fixture::token("one");

    assert!(received("", body(&signature)).is_ok());
    assert!(received(&token, body("00")).is_ok());
    assert_eq!(received("", body("00")), Err(CallbackRefused::Unauthorized));
    assert_eq!(received(&token, "[]".into()), Err(CallbackRefused::Malformed));
}

#[test]
fn a_webhook_key_makes_its_signature_the_only_proof() {
    let mut declaration = declared("mg.shop.example");
    declaration.credentials.insert(SIGNING_KEY.into(), Secret::new("wh-1"));
    let provider = fixture::provider(&declaration);
    let token = fixture::token("one");
    for (key, is_believed) in [("wh-1", true), ("key-1", false)] {
        let signature = signature::hmac_sha256(key.as_bytes(), b"1700000000e0");
        let call = callback(&[("token", &token)], &body(&signature::hex(&signature)));
        assert_eq!(provider.receive(&call).is_ok(), is_believed, "{key}");
    }
}
