//! Tests of tokens, requests and tickets.

use domain::messaging::outcome::FollowUp;

use super::*;
use crate::fixture;

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
}

#[test]
fn a_subject_is_the_title() {
    let push = serde_json::to_value(Push::of(&fixture::message(), 600)).unwrap();

    assert_eq!(push["title"], "Your code");
    assert_eq!(push["body"], "It is 1234.");
}

#[test]
fn a_ticket_without_an_identifier_has_no_receipt() {
    let body = r#"{"data":[{"status":"ok"}]}"#;

    let outcomes = Expo.send_result(&Answer::of(200, body), fixture::batch(&[&fixture::message()]));

    let expected = Outcome::Accepted { reference: None, follow_up: FollowUp::Nothing };
    assert_eq!(outcomes, Ok(vec![expected]));
}

#[test]
fn too_few_or_too_many_tickets_mean_nothing() {
    let answer = Answer::of(200, r#"{"data":[{"status":"ok","id":"a"},{"status":"ok","id":"b"}]}"#);
    let message = fixture::message();
    for count in [1, 3] {
        let outcomes = Expo.send_result(&answer, fixture::batch(&vec![&message; count]));
        assert!(matches!(outcomes, Err(Outcome::Unknown(_))), "{outcomes:?}");
    }
}

#[test]
fn a_receipt_says_why_google_or_apple_did_not_take_it() {
    for (body, code, vendor_code) in [
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
