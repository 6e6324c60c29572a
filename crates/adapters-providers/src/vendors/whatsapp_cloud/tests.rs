//! Tests of declarations and checks.

use domain::providers::provider::CheckStatus;

use super::*;
use crate::{fixture::declared, secret::Secret};

fn declaration() -> Declaration {
    let credentials = [
        ("phone_number_id", "106540352242922"),
        ("access_token", "EAAJB"),
        ("app_secret", "s3cr3t"),
        ("verify_token", "v3rify"),
    ];
    declared("whatsapp-cloud", Channel::WhatsApp, &credentials)
}

#[test]
fn the_number_and_the_version_are_in_the_path() {
    let (vendor, _) = WhatsAppCloud::read(&declaration()).unwrap();
    assert_eq!(vendor.api_version, "v25.0");
    assert_eq!(vendor.phone_number_id, "106540352242922");

    let options = [("api_version".into(), "v26.1".into())].into();
    let (vendor, _) = WhatsAppCloud::read(&Declaration { options, ..declaration() }).unwrap();
    assert_eq!(vendor.api_version, "v26.1");
}

#[test]
fn unusable_declarations_are_refused() {
    for version in ["25.0", "v25", "v25.0/..", "v.", ""] {
        let options = [("api_version".into(), version.into())].into();
        let declaration = Declaration { options, ..declaration() };
        assert!(WhatsAppCloud::read(&declaration).is_err(), "{version}");
    }
    for (key, value) in [
        ("phone_number_id", "+233244123456"),
        ("phone_number_id", "1/../2"),
        ("access_token", "a\nb"),
        ("app_secret", ""),
    ] {
        let mut declaration = declaration();
        declaration.credentials.insert(key.into(), Secret::new(value));
        let error = declaration.check().unwrap_err().to_string();
        assert!(error.contains(key), "{error}");
        assert!(value.is_empty() || !error.contains(value), "{error}");
    }
}

#[test]
fn a_check_shows_the_quality_of_the_number() {
    use CheckStatus::{Degraded, Down, Up};
    for (status, body, expected, word) in [
        (200, r#"{"verified_name":"Kofi's","quality_rating":"GREEN","id":"1"}"#, Up, "Kofi's"),
        (200, r#"{"verified_name":"Kofi's","quality_rating":"YELLOW","id":"1"}"#, Up, "YELLOW"),
        (200, r#"{"verified_name":"Kofi's","quality_rating":"RED","id":"1"}"#, Degraded, "RED"),
        (200, r#"{"id":"1"}"#, Up, "UNKNOWN"),
        (200, "<html>", Down, "documented"),
        (401, r#"{"error":{"code":190}}"#, Down, "refused our credentials"),
        (400, r#"{"error":{"code":190}}"#, Down, "refused our credentials"),
        (400, r#"{"error":{"code":80007}}"#, Degraded, "no more"),
        (400, r#"{"error":{"code":100,"error_subcode":33}}"#, Down, "sender"),
        (503, "", Down, "out of order"),
    ] {
        let (vendor, _) = WhatsAppCloud::read(&declaration()).unwrap();
        let answer = Answer::of(status, body);
        let check = match status {
            200 => vendor.check_result(&answer),
            _ => vendor.check_refusal(&answer),
        };
        assert_eq!(check.status, expected, "{status} {body}");
        assert!(check.message.contains(word), "{check:?}");
    }
}
