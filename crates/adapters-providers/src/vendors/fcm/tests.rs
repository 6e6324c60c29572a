//! Tests of Google's responses, of assertions and of requests.

use std::sync::Arc;

use chrono::DateTime;
use domain::shared::address::Address;

use super::*;
use crate::{
    fixture::{self, told},
    secret::Secret,
};

const KEY: &str = include_str!("../../../tests/vendors/conformance/fcm_key.json");
/// Made with `openssl dgst -sha256 -sign`; RS256 is deterministic.
const ASSERTION: &str = "eyJhbGciOiJSUzI1NiIsInR5cCI6IkpXVCIsImtpZCI6InRlc3Qta2V5In0.eyJpc3MiOiJhdHVtcGFuQHRlc3QuZXhhbXBsZSIsInNjb3BlIjoiaHR0cHM6Ly93d3cuZ29vZ2xlYXBpcy5jb20vYXV0aC9maXJlYmFzZS5tZXNzYWdpbmciLCJhdWQiOiJodHRwczovL29hdXRoMi50ZXN0LmV4YW1wbGUvdG9rZW4iLCJpYXQiOjE3MDAwMDAwMDAsImV4cCI6MTcwMDAwMzYwMH0.k5byLxmI8dltACa3r4U55dyv_Fht8yyD3DK7NAUOLkDsd2MtPTGyb-QGuRVXKbvyZ6KKdT-SXNI7KH0acXQGPvxGDc0DhDMUJZFhH4tLsxj9XUZQjjAX94OTpg6OcpBUm25Asdm55DcBZeWNJipHLM6G903Xwxgu9omCxYZR1_L6zgSJJU0e3YKAi9suPxz6ywyPJvGw1lwCsrTIiwmG2Jhk-dClNeRUt57bW2dzU98rg-TsKwWNnVGC1iE4mahPKp4-XfgdRRMQFEdpRWFSEBf-2Q1ysB3uh1OrWTZmoj8EXuleirfIMBMQG5AldDdB2uDfYLY0nJAIl2nbpGbxYg";

fn declaration(key: &str) -> Declaration {
    let credentials = [("project_id", "atumpan-test"), ("service_account", key)];
    fixture::declared("fcm", Channel::Push, &credentials)
}

fn account(key: &str) -> ServiceAccount {
    ServiceAccount::read(&declaration(key)).unwrap()
}

#[test]
fn the_assertion_is_what_google_documents_and_signed_with_the_key() {
    let now = DateTime::from_timestamp(1_700_000_000, 0).unwrap();

    assert_eq!(account(KEY).assertion(now).as_deref(), Some(ASSERTION));
}

#[test]
fn the_project_and_the_key_decide_what_is_called() {
    let (vendor, access) = Fcm::read(&declaration(KEY)).unwrap();
    let request = vendor.check_request(&Account::new(access, &fixture::deps())).build().unwrap();
    let expected = "https://fcm.googleapis.com/v1/projects/atumpan-test/messages:send";
    assert_eq!(request.url().as_str(), expected);
    assert_eq!(account(KEY).url().as_str(), "https://oauth2.test.example/token");

    let options = [("token_url".into(), "https://proxy.example.com/t".into())].into();
    let declaration = Declaration { options, ..declaration(KEY) };
    let proxied = ServiceAccount::read(&declaration).unwrap();
    assert_eq!(proxied.url().as_str(), "https://proxy.example.com/t");

    let bare = KEY.replace("token_uri", "another");
    assert_eq!(account(&bare).url().as_str(), "https://oauth2.googleapis.com/token");
}

#[test]
fn a_key_that_cannot_sign_is_refused_when_it_is_declared() {
    for key in [
        String::new(),
        "AAAA-legacy-server-key".to_owned(),
        "{}".to_owned(),
        KEY.replace("MII", "MIJ"),
        KEY.replace("PRIVATE KEY", "PUBLIC KEY"),
        KEY.replace("https://oauth2", "ftp://oauth2"),
        KEY.replace("https://oauth2", "https://user@oauth2"),
    ] {
        let error = Fcm::read(&declaration(&key)).err().unwrap().to_string();
        assert!(error.contains("credentials.service_account"), "{error}");
        assert!(error.len() < 150, "{error}");
    }
    for project in ["a/b", "..", "a b", "a?b"] {
        let mut declaration = declaration(KEY);
        declaration.credentials.insert("project_id".into(), Secret::new(project));
        assert!(Fcm::read(&declaration).is_err(), "{project}");
    }
    let options = [("token_url".into(), "oauth2.example.com".into())].into();
    let error = Fcm::read(&Declaration { options, ..declaration(KEY) }).err().unwrap();
    assert!(error.to_string().contains("options.token_url"), "{error}");
}

#[test]
fn the_body_is_what_google_documents() {
    let mut message = fixture::message();
    Arc::make_mut(&mut message.draft).recipient = Address::stored("bk3RNwTe3H0:CI2k_HHw".into());
    let id = message.id.internal();
    let notification = |notification: &str| {
        format!(
            r#"{{"message":{{"token":"bk3RNwTe3H0:CI2k_HHw","notification":{notification},"android":{{"ttl":"600s","notification":{{"tag":"{id}"}}}},"apns":{{"headers":{{"apns-collapse-id":"{id}","apns-expiration":"1700000600"}}}}}}}}"#
        )
    };

    let body = serde_json::to_string(&Body::of(fixture::batch(&[&message]))).unwrap();
    assert_eq!(body, notification(r#"{"title":"Your code","body":"It is 1234."}"#));

    Arc::make_mut(&mut message.draft).subject = None;
    let body = serde_json::to_string(&Body::of(fixture::batch(&[&message]))).unwrap();
    assert_eq!(body, notification(r#"{"body":"It is 1234."}"#));

    let check = serde_json::to_string(&Body::CHECK).unwrap();
    let expected = r#"{"validate_only":true,"message":{"topic":"atumpan-check","notification":{"body":"check"}}}"#;
    assert_eq!(check, expected);
}

#[test]
fn a_notification_has_4096_bytes_at_most() {
    let mut draft = Draft::clone(&fixture::message().draft);
    draft.subject = None;
    draft.body = "€".repeat(1364);
    assert!(!is_too_large(&draft));
    draft.subject = Some("T".into());
    assert!(is_too_large(&draft));
}

#[test]
fn an_accepted_notification_has_a_reference() {
    let name = "projects/atumpan-test/messages/0:1500415314455276%31bd1c9631bd1c96";
    let body = format!(r#"{{"name":"{name}"}}"#);

    let expected = Outcome::Accepted { reference: Some(name.into()), follow_up: FollowUp::Nothing };
    assert_eq!(outcome(&Answer::of(200, &body)), expected);
}

#[test]
fn every_code_of_a_refusal_is_understood() {
    for (status, canonical, code, kind, expected) in [
        (404, "NOT_FOUND", "UNREGISTERED", 'R', Code::DeviceUnregistered),
        (400, "INVALID_ARGUMENT", "INVALID_ARGUMENT", 'R', Code::ProviderRejected),
        (403, "PERMISSION_DENIED", "SENDER_ID_MISMATCH", 'N', Code::SenderNotAllowed),
        (429, "RESOURCE_EXHAUSTED", "QUOTA_EXCEEDED", 'N', Code::RecipientUnreachable),
        (503, "UNAVAILABLE", "UNAVAILABLE", 'N', Code::ProviderUnavailable),
        (500, "INTERNAL", "INTERNAL", 'U', Code::UnknownOutcome),
        (401, "UNAUTHENTICATED", "THIRD_PARTY_AUTH_ERROR", 'N', Code::RecipientUnreachable),
    ] {
        let body = format!(
            r#"{{"error":{{"code":{status},"message":"x","status":"{canonical}","details":[
                {{"@type":"type.googleapis.com/google.rpc.Help","links":[]}},
                {{"@type":"type.googleapis.com/google.firebase.fcm.v1.FcmError",
                  "errorCode":"{code}"}}]}}}}"#
        );
        let outcome = outcome(&Answer::of(status, &body));
        assert_eq!(told(&outcome), (kind, expected, Some(code)), "{code}");
    }
}

#[test]
fn without_a_code_of_fcm_googles_own_counts() {
    for (status, canonical, kind, expected, vendor_code) in [
        (401, "UNAUTHENTICATED", 'N', Code::ProviderAuth, "UNAUTHENTICATED"),
        (403, "PERMISSION_DENIED", 'N', Code::ProviderAuth, "PERMISSION_DENIED"),
        (429, "RESOURCE_EXHAUSTED", 'N', Code::ProviderThrottled, "RESOURCE_EXHAUSTED"),
        (404, "NOT_FOUND", 'N', Code::ProviderRejected, "NOT_FOUND"),
        (504, "DEADLINE_EXCEEDED", 'U', Code::UnknownOutcome, "DEADLINE_EXCEEDED"),
        (500, "UNKNOWN", 'U', Code::UnknownOutcome, "UNKNOWN"),
        (400, "FAILED_PRECONDITION", 'R', Code::ProviderRejected, "400"),
    ] {
        let body =
            format!(r#"{{"error":{{"code":{status},"message":"x","status":"{canonical}"}}}}"#);
        let outcome = outcome(&Answer::of(status, &body));
        assert_eq!(told(&outcome), (kind, expected, Some(vendor_code)), "{canonical}");
    }
}

#[test]
fn an_invalid_argument_is_the_recipients_fault_only_if_it_is_the_token() {
    let bad = |message: &str, field: &str| {
        let body = format!(
            r#"{{"error":{{"code":400,"message":"{message}","status":"INVALID_ARGUMENT","details":[
                {{"@type":"type.googleapis.com/google.rpc.BadRequest","fieldViolations":[
                  {{"field":"{field}","description":"x"}}]}}]}}}}"#
        );
        let outcome = outcome(&Answer::of(400, &body));
        told(&outcome).1
    };

    let sentence = "The registration token is not a valid FCM registration token";
    assert_eq!(
        bad("Request contains an invalid argument.", "message.token"),
        Code::InvalidRecipient
    );
    assert_eq!(bad(sentence, ""), Code::InvalidRecipient);
    assert_eq!(bad("Message too big", "message.notification"), Code::ProviderRejected);
}

#[test]
fn other_responses_are_judged_by_their_status() {
    for (status, body, kind, code) in [
        (200, "", 'U', Code::UnknownOutcome),
        (200, r#"{"name":""}"#, 'U', Code::UnknownOutcome),
        (200, r#"{"name":7}"#, 'U', Code::UnknownOutcome),
        (404, "<html>", 'N', Code::ProviderUnavailable),
        (400, "", 'R', Code::ProviderRejected),
        (401, "", 'N', Code::ProviderAuth),
        (502, "<html>", 'U', Code::UnknownOutcome),
        (503, "", 'N', Code::ProviderUnavailable),
    ] {
        let outcome = outcome(&Answer::of(status, body));
        let (found, reason, _) = told(&outcome);
        assert_eq!((found, reason), (kind, code), "{status} {body}");
    }
}

#[test]
fn a_refused_token_differs_from_refused_apple_credentials() {
    let third = r#"{"error":{"status":"UNAUTHENTICATED","details":[
        {"errorCode":"THIRD_PARTY_AUTH_ERROR"}]}}"#;
    let own = r#"{"error":{"status":"UNAUTHENTICATED"}}"#;

    assert!(account(KEY).is_token_refused(&Answer::of(401, own)));
    assert!(account(KEY).is_token_refused(&Answer::of(401, "")));
    assert!(!account(KEY).is_token_refused(&Answer::of(401, third)));
    assert!(!account(KEY).is_token_refused(&Answer::of(403, own)));
}
