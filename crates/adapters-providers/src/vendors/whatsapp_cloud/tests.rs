//! Tests of Meta's responses and of requests.

use domain::{
    messaging::{delivery::FailureCode, outcome::FollowUp},
    providers::provider::CheckStatus,
};

use super::*;
use crate::{
    fixture::{declared, told},
    secret::Secret,
};

fn refused(status: u16, code: u32) -> Outcome {
    let body = format!(
        r#"{{"error":{{"message":"(#{code}) x","type":"OAuthException","code":{code},
            "error_data":{{"messaging_product":"whatsapp","details":"x"}},"fbtrace_id":"A"}}}}"#
    );
    outcome(&Answer::of(status, &body))
}

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
fn an_accepted_message_has_a_reference() {
    let body = r#"{"messaging_product":"whatsapp","contacts":[{"input":"+233244123456",
        "wa_id":"233244123456"}],"messages":[{"id":"wamid.HBg","message_status":"accepted"}]}"#;

    let expected =
        Outcome::Accepted { reference: Some("wamid.HBg".into()), follow_up: FollowUp::Report };
    assert_eq!(outcome(&Answer::of(200, body)), expected);
}

#[test]
fn every_code_of_a_refusal_is_understood() {
    use FailureCode as Code;
    for (status, code, kind, expected) in [
        (401, 0, 'N', Code::ProviderAuth),
        (400, 1, 'U', Code::UnknownOutcome),
        (503, 2, 'N', Code::ProviderUnavailable),
        (500, 3, 'N', Code::ProviderAuth),
        (400, 4, 'N', Code::ProviderThrottled),
        (403, 10, 'N', Code::ProviderAuth),
        (400, 33, 'N', Code::SenderNotAllowed),
        (400, 100, 'R', Code::ProviderRejected),
        (401, 190, 'N', Code::ProviderAuth),
        (403, 200, 'N', Code::ProviderAuth),
        (403, 299, 'N', Code::ProviderAuth),
        (403, 368, 'N', Code::SenderNotAllowed),
        (404, 803, 'N', Code::SenderNotAllowed),
        (400, 80_007, 'N', Code::ProviderThrottled),
        (400, 130_429, 'N', Code::ProviderThrottled),
        (400, 130_472, 'R', Code::ProviderRejected),
        (403, 130_497, 'N', Code::SenderNotAllowed),
        (500, 131_000, 'U', Code::UnknownOutcome),
        (403, 131_005, 'N', Code::ProviderAuth),
        (400, 131_008, 'R', Code::ProviderRejected),
        (400, 131_009, 'R', Code::ProviderRejected),
        (500, 131_016, 'N', Code::ProviderUnavailable),
        (400, 131_021, 'R', Code::InvalidRecipient),
        (400, 131_026, 'R', Code::InvalidRecipient),
        (400, 131_030, 'N', Code::SenderNotAllowed),
        (403, 131_031, 'N', Code::SenderNotAllowed),
        (400, 131_037, 'N', Code::SenderNotAllowed),
        (400, 131_042, 'N', Code::ProviderBalance),
        (500, 131_045, 'N', Code::SenderNotAllowed),
        (400, 131_047, 'R', Code::SessionWindowClosed),
        (400, 131_048, 'N', Code::ProviderThrottled),
        (400, 131_049, 'R', Code::ProviderRejected),
        (400, 131_050, 'R', Code::RecipientOptedOut),
        (400, 131_051, 'R', Code::ProviderRejected),
        (400, 131_053, 'R', Code::ProviderRejected),
        (400, 131_056, 'N', Code::RecipientUnreachable),
        (500, 131_057, 'N', Code::ProviderUnavailable),
        (400, 132_000, 'R', Code::ProviderRejected),
        (400, 132_001, 'N', Code::ProviderRejected),
        (400, 132_012, 'R', Code::ProviderRejected),
        (400, 132_015, 'R', Code::ProviderRejected),
        (400, 133_010, 'N', Code::SenderNotAllowed),
        // Undocumented codes are judged by the status.
        (400, 999_999, 'R', Code::ProviderRejected),
        (403, 999_999, 'N', Code::ProviderAuth),
        (500, 999_999, 'U', Code::UnknownOutcome),
    ] {
        let outcome = refused(status, code);
        let vendor_code = code.to_string();
        assert_eq!(told(&outcome), (kind, expected, Some(vendor_code.as_str())), "{code}");
    }
}

#[test]
fn a_number_that_the_token_may_not_see_is_not_the_messages_fault() {
    let body = r#"{"error":{"message":"Unsupported post request. Object with ID '1' does not
        exist","type":"GraphMethodException","code":100,"error_subcode":33,"fbtrace_id":"A"}}"#
        .replace('\n', " ");

    let outcome = outcome(&Answer::of(400, &body));

    assert_eq!(told(&outcome), ('N', FailureCode::SenderNotAllowed, Some("100")));
}

#[test]
fn other_responses_are_judged_by_their_status() {
    use FailureCode as Code;
    for (status, body, kind, code) in [
        (200, "", 'U', Code::UnknownOutcome),
        (200, r#"{"messages":[]}"#, 'U', Code::UnknownOutcome),
        (200, r#"{"messages":[{"id":""}]}"#, 'U', Code::UnknownOutcome),
        (404, "<html>", 'N', Code::ProviderUnavailable),
        (405, "", 'N', Code::ProviderUnavailable),
        (400, r#"{"error":{"code":"x"}}"#, 'R', Code::ProviderRejected),
        (401, "", 'N', Code::ProviderAuth),
        (502, "<html>", 'U', Code::UnknownOutcome),
    ] {
        let outcome = outcome(&Answer::of(status, body));
        let (found, reason, _) = told(&outcome);
        assert_eq!((found, reason), (kind, code), "{status} {body}");
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
