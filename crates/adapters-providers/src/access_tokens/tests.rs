//! Tests of how tokens are read and how long they are used.

use super::*;

fn now() -> DateTime<Utc> {
    DateTime::from_timestamp(1_700_000_000, 0).unwrap()
}

#[test]
fn a_token_is_used_until_shortly_before_its_end() {
    let body = r#"{"access_token":"ya29.t0k3n","expires_in":3599,"token_type":"Bearer"}"#;

    let token = token(&Answer::of(200, body), now()).unwrap();

    assert_eq!(token.bearer, "Bearer ya29.t0k3n");
    assert!(token.bearer.is_sensitive());
    assert_eq!(token.good_until, now() + TimeDelta::seconds(3599 - 90));
}

#[test]
fn a_malformed_token_response_is_not_used() {
    for (status, body) in [
        (200, ""),
        (200, r#"{"access_token":"","expires_in":3599}"#),
        (200, r#"{"access_token":"a\nb","expires_in":3599}"#),
        (200, r#"{"access_token":"a","expires_in":-1}"#),
        (200, r#"{"access_token":"a"}"#),
        (400, r#"{"access_token":"a","expires_in":3599}"#),
    ] {
        assert!(token(&Answer::of(status, body), now()).is_none(), "{status} {body}");
    }
}

#[test]
fn without_a_token_nothing_was_sent() {
    use FailureCode as Code;
    for (status, body, expected, vendor_code) in [
        (400, r#"{"error":"invalid_grant"}"#, Code::ProviderAuth, "invalid_grant"),
        (400, r#"{"error":"No such thing!"}"#, Code::ProviderAuth, "400"),
        (401, r#"{"error":{"code":401}}"#, Code::ProviderAuth, "401"),
        (403, "", Code::ProviderAuth, "403"),
        (429, "", Code::ProviderThrottled, "429"),
        (200, "", Code::ProviderUnavailable, "200"),
        (404, "", Code::ProviderUnavailable, "404"),
        (500, r#"{"error":"internal_failure"}"#, Code::ProviderUnavailable, "internal_failure"),
        (503, "", Code::ProviderUnavailable, "503"),
    ] {
        let outcome = refusal(&Answer::of(status, body));
        let Outcome::NotAccepted { failure, .. } = outcome else { panic!("{status}") };
        let codes = (failure.code, failure.vendor_code.as_deref());
        assert_eq!(codes, (expected, Some(vendor_code)), "{status} {body}");
    }
    let lost = nothing_sent(crate::verdict::unknown("the connection to the provider broke"));
    let Outcome::NotAccepted { failure, .. } = lost else { panic!("{lost:?}") };
    assert_eq!(failure.code, Code::ProviderUnavailable);
}
