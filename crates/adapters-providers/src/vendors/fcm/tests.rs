//! Tests of declarations, assertions and requests.

use chrono::DateTime;

use super::*;
use crate::{fixture, secret::Secret};

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
fn a_subject_is_the_title() {
    let message = fixture::message();

    let body = serde_json::to_value(Body::of(fixture::batch(&[&message]))).unwrap();

    let expected = serde_json::json!({"title": "Your code", "body": "It is 1234."});
    assert_eq!(body["message"]["notification"], expected);
}

#[test]
fn a_check_is_a_message_to_a_topic_that_is_only_validated() {
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
fn a_refused_token_differs_from_refused_apple_credentials() {
    let third = r#"{"error":{"status":"UNAUTHENTICATED","details":[
        {"errorCode":"THIRD_PARTY_AUTH_ERROR"}]}}"#;
    let own = r#"{"error":{"status":"UNAUTHENTICATED"}}"#;

    assert!(account(KEY).is_token_refused(&Answer::of(401, own)));
    assert!(account(KEY).is_token_refused(&Answer::of(401, "")));
    assert!(!account(KEY).is_token_refused(&Answer::of(401, third)));
    assert!(!account(KEY).is_token_refused(&Answer::of(403, own)));
}
