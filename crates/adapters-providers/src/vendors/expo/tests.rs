//! Tests of Expo's responses and of requests.

use std::sync::Arc;

use domain::{messaging::outcome::FollowUp, shared::address::Address};

use super::*;
use crate::fixture::{self, told};

fn outcomes(answer: &Answer, count: usize) -> Vec<Outcome> {
    let message = fixture::message();
    match Expo.send_result(answer, fixture::batch(&vec![&message; count])) {
        Ok(outcomes) => outcomes,
        Err(outcome) => vec![outcome; count],
    }
}

fn outcome(answer: &Answer) -> Outcome {
    outcomes(answer, 1).remove(0)
}

fn error(name: &str) -> String {
    format!(r#"{{"status":"error","message":"x","details":{{"error":"{name}"}}}}"#)
}

#[test]
fn only_tokens_of_expo_are_sent_to() {
    let uuid = "F5741A13-BCDA-434B-A316-5DC0E6FFA94F";
    for token in ["ExponentPushToken[xxxxxxxxxxxxxxxxxxxxxx]", "ExpoPushToken[a]", uuid] {
        assert!(is_token(token), "{token}");
    }
    for token in [
        "ExponentPushToken[]",
        "ExponentPushToken[a",
        "ExpoPushToken",
        "bk3RNwTe3H0:CI2k",
        &uuid[1..],
        &uuid.replace('-', "_"),
        &uuid.replace('F', ":"),
        "",
    ] {
        assert!(!is_token(token), "{token}");
    }
    let refusal = Expo.refusal(&fixture::message()).unwrap();
    assert_eq!(told(&refusal), ('R', Code::InvalidRecipient, None));
}

#[test]
fn the_body_is_what_expo_documents() {
    let mut message = fixture::message();
    Arc::make_mut(&mut message.draft).recipient = Address::stored("ExponentPushToken[x]".into());
    let body =
        serde_json::to_string(&[Push::of(&message, fixture::batch(&[&message]).seconds_left())])
            .unwrap();
    let expected =
        r#"[{"to":"ExponentPushToken[x]","title":"Your code","body":"It is 1234.","ttl":600}]"#;
    assert_eq!(body, expected);

    Arc::make_mut(&mut message.draft).subject = None;
    let body =
        serde_json::to_string(&Push::of(&message, fixture::batch(&[&message]).seconds_left()))
            .unwrap();
    assert_eq!(body, r#"{"to":"ExponentPushToken[x]","body":"It is 1234.","ttl":600}"#);
}

#[test]
fn a_ticket_is_the_reference() {
    let ticket = r#"{"data":[{"status":"ok","id":"0199-1"}]}"#;
    let expected =
        Outcome::Accepted { reference: Some("0199-1".into()), follow_up: FollowUp::Report };
    assert_eq!(outcome(&Answer::of(200, ticket)), expected);

    let nameless = r#"{"data":[{"status":"ok"}]}"#;
    let expected = Outcome::Accepted { reference: None, follow_up: FollowUp::Nothing };
    assert_eq!(outcome(&Answer::of(200, nameless)), expected);
}

#[test]
fn every_error_of_a_ticket_is_understood() {
    for (name, kind, code) in [
        ("DeviceNotRegistered", 'R', Code::DeviceUnregistered),
        ("MessageTooBig", 'R', Code::ProviderRejected),
        ("MessageRateExceeded", 'N', Code::RecipientUnreachable),
        ("MismatchSenderId", 'N', Code::SenderNotAllowed),
        ("InvalidCredentials", 'N', Code::RecipientUnreachable),
        ("DeveloperError", 'R', Code::ProviderRejected),
        ("ExpoError", 'N', Code::ProviderUnavailable),
        ("ProviderError", 'N', Code::ProviderUnavailable),
    ] {
        let body = format!(r#"{{"data":[{}]}}"#, error(name));
        let outcome = outcome(&Answer::of(200, &body));
        assert_eq!(told(&outcome), (kind, code, Some(name)), "{name}");
    }
    let new = format!(r#"{{"data":[{}]}}"#, error("SomethingNew"));
    for body in [new.as_str(), r#"{"data":[{"status":"error","message":"x"}]}"#] {
        let outcome = outcome(&Answer::of(200, body));
        assert_eq!(told(&outcome), ('N', Code::ProviderRejected, Some("error")), "{body}");
    }
}

#[test]
fn every_error_of_a_call_is_understood() {
    for (status, code, kind, expected, vendor_code) in [
        (401, "UNAUTHORIZED", 'N', Code::ProviderAuth, "UNAUTHORIZED"),
        (429, "TOO_MANY_REQUESTS", 'N', Code::ProviderThrottled, "TOO_MANY_REQUESTS"),
        (
            400,
            "PUSH_TOO_MANY_EXPERIENCE_IDS",
            'N',
            Code::ProviderRejected,
            "PUSH_TOO_MANY_EXPERIENCE_IDS",
        ),
        (
            400,
            "PUSH_TOO_MANY_NOTIFICATIONS",
            'N',
            Code::ProviderRejected,
            "PUSH_TOO_MANY_NOTIFICATIONS",
        ),
        (400, "VALIDATION_ERROR", 'R', Code::ProviderRejected, "400"),
        (200, "UNAUTHORIZED", 'N', Code::ProviderAuth, "UNAUTHORIZED"),
        (500, "INTERNAL_SERVER_ERROR", 'U', Code::UnknownOutcome, "500"),
    ] {
        let body = format!(r#"{{"errors":[{{"code":"{code}","message":"x"}}]}}"#);
        let outcome = outcome(&Answer::of(status, &body));
        assert_eq!(told(&outcome), (kind, expected, Some(vendor_code)), "{code}");
    }
}

#[test]
fn tickets_come_in_the_order_of_the_messages_or_mean_nothing() {
    let body = format!(
        r#"{{"data":[{{"status":"ok","id":"a"}},{},{{"status":"ok","id":"b"}}]}}"#,
        error("DeviceNotRegistered")
    );

    let found = outcomes(&Answer::of(200, &body), 3);
    assert!(matches!(&found[0], Outcome::Accepted { reference: Some(id), .. } if id == "a"));
    assert_eq!(told(&found[1]).1, Code::DeviceUnregistered);
    assert!(matches!(&found[2], Outcome::Accepted { reference: Some(id), .. } if id == "b"));

    for count in [2, 4] {
        let found = outcomes(&Answer::of(200, &body), count);
        assert_eq!(found.len(), count);
        assert!(found.iter().all(|it| matches!(it, Outcome::Unknown(_))), "{found:?}");
    }
}

#[test]
fn other_responses_are_judged_by_their_status() {
    for (status, body, kind, code) in [
        (200, "", 'U', Code::UnknownOutcome),
        (200, r#"{"data":[]}"#, 'U', Code::UnknownOutcome),
        (200, r#"{"data":[{"status":"perhaps"}]}"#, 'U', Code::UnknownOutcome),
        (404, "<html>", 'N', Code::ProviderUnavailable),
        (400, "", 'R', Code::ProviderRejected),
        (403, "", 'N', Code::ProviderAuth),
        (502, r#"{"data":[{"status":"ok","id":"a"}]}"#, 'U', Code::UnknownOutcome),
    ] {
        let outcome = outcome(&Answer::of(status, body));
        let (found, reason, _) = told(&outcome);
        assert_eq!((found, reason), (kind, code), "{status} {body}");
    }
}

#[test]
fn a_receipt_says_why_google_or_apple_did_not_take_it() {
    for (body, code, vendor_code) in [
        (error("DeviceNotRegistered"), Code::DeviceUnregistered, "DeviceNotRegistered"),
        (error("MessageTooBig"), Code::ProviderRejected, "MessageTooBig"),
        (error("MessageRateExceeded"), Code::RecipientUnreachable, "MessageRateExceeded"),
        (error("SomethingNew"), Code::Undelivered, "error"),
        (r#"{"status":"error"}"#.to_owned(), Code::Undelivered, "error"),
    ] {
        let receipt: Ticket = serde_json::from_str(&body).unwrap();
        let failure = receipt.failure();
        assert_eq!((failure.code, failure.vendor_code.as_deref()), (code, Some(vendor_code)));
    }
}
