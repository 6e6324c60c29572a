//! How the vendor is asked, and whose callbacks are believed.

use super::*;
use crate::{
    fixture::{self, callback, deps},
    kind::Kind,
    signature,
};

fn declared(domain: &str) -> Declaration {
    let credentials = [("domain", domain), ("api_key", "key-1")];
    let sender = Some("Shop <no-reply@shop.example>".into());
    Declaration { sender, ..fixture::declared(Kind::Mailgun, Channel::Email, &credentials) }
}

#[test]
fn a_domain_is_a_name_and_nothing_else() {
    assert!(Settings::read(&declared("mg.shop.example")).is_ok());
    for domain in ["a/b", "..", "a?b", "shop example"] {
        assert!(Settings::read(&declared(domain)).is_err(), "{domain}");
    }
}

#[test]
fn a_callback_is_believed_for_its_signature_or_for_its_token() {
    let provider = build(&declared("mg.shop.example"), &deps()).unwrap();
    let signature = signature::hex(&signature::sha256(b"key-1", b"17e0"));
    let body = |signature: &str| {
        format!(
            r#"{{"signature":{{"timestamp":"17","token":"e0","signature":"{signature}"}},
                "event-data":{{"event":"stored"}}}}"#
        )
    };
    let received =
        |token: &str, body: String| provider.receive(&callback(&[("token", token)], &body));
    let token = signature::token("key-1", "one");

    assert!(received("", body(&signature)).is_ok());
    assert!(received(&token, body("00")).is_ok());
    assert_eq!(received("", body("00")), Err(CallbackRefused::Unauthorized));
    assert_eq!(received(&token, "[]".into()), Err(CallbackRefused::Malformed));
}
