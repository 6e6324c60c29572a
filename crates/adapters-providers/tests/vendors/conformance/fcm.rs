//! Fixture of Firebase Cloud Messaging.

use domain::{
    messaging::{delivery::FailureCode as Code, outcome::FollowUp},
    shared::channel::Channel,
};

use super::{Canned, Fixture, Refusal, of};

/// Key of an account that does not exist.
pub(crate) const KEY: &str = include_str!("fcm_key.json");

/// Google's response to an assertion.
pub(crate) const GRANT: Canned =
    of("200 OK", r#"{"access_token":"ya29.t0k3n","expires_in":3599,"token_type":"Bearer"}"#);

/// Refusal with Google's code for all services.
macro_rules! google {
    ($status:literal, $error:literal, $kind:literal, $meaning:ident, $code:literal) => {
        (
            of($status, concat!(r#"{"error":{"message":"x","status":""#, $error, r#""}}"#)),
            $kind,
            Code::$meaning,
            $code,
        )
    };
    ($status:literal, $error:literal, $kind:literal, $meaning:ident) => {
        google!($status, $error, $kind, $meaning, $error)
    };
}

/// Refusal with Google's code and FCM's own, which counts.
macro_rules! fcm {
    ($status:literal, $error:literal, $code:literal, $kind:literal, $meaning:ident) => {
        (
            of(
                $status,
                concat!(
                    r#"{"error":{"message":"x","status":""#,
                    $error,
                    r#"","details":[{"@type":"type.googleapis.com/google.rpc.Help","links":[]},"#,
                    r#"{"@type":"type.googleapis.com/google.firebase.fcm.v1.FcmError","errorCode":""#,
                    $code,
                    r#""}]}}"#,
                ),
            ),
            $kind,
            Code::$meaning,
            $code,
        )
    };
}

#[rustfmt::skip]
const REFUSALS: &[Refusal] = &[
    fcm!("404 Not Found", "NOT_FOUND", "UNREGISTERED", 'R', DeviceUnregistered),
    fcm!("400 Bad Request", "INVALID_ARGUMENT", "INVALID_ARGUMENT", 'R', ProviderRejected),
    fcm!("403 Forbidden", "PERMISSION_DENIED", "SENDER_ID_MISMATCH", 'N', SenderNotAllowed),
    fcm!("429 Slow Down", "RESOURCE_EXHAUSTED", "QUOTA_EXCEEDED", 'N', RecipientUnreachable),
    fcm!("503 Service Unavailable", "UNAVAILABLE", "UNAVAILABLE", 'N', ProviderUnavailable),
    fcm!("500 Internal Server Error", "INTERNAL", "INTERNAL", 'U', UnknownOutcome),
    fcm!("401 Unauthorized", "UNAUTHENTICATED", "THIRD_PARTY_AUTH_ERROR", 'N', RecipientUnreachable),
    google!("401 Unauthorized", "UNAUTHENTICATED", 'N', ProviderAuth),
    google!("403 Forbidden", "PERMISSION_DENIED", 'N', ProviderAuth),
    google!("429 Slow Down", "RESOURCE_EXHAUSTED", 'N', ProviderThrottled),
    google!("404 Not Found", "NOT_FOUND", 'N', ProviderRejected),
    google!("504 Gateway Timeout", "DEADLINE_EXCEEDED", 'U', UnknownOutcome),
    google!("500 Internal Server Error", "UNKNOWN", 'U', UnknownOutcome),
    google!("400 Bad Request", "FAILED_PRECONDITION", 'R', ProviderRejected, "400"),
    // An invalid argument is the recipient's fault only if it is the token.
    (of("400 Bad Request", r#"{"error":{"message":"The registration token is not a valid FCM registration token","status":"INVALID_ARGUMENT"}}"#),
     'R', Code::InvalidRecipient, "INVALID_ARGUMENT"),
    (of("400 Bad Request", r#"{"error":{"message":"Request contains an invalid argument.","status":"INVALID_ARGUMENT","details":[{"fieldViolations":[{"field":"message.token"}]}]}}"#),
     'R', Code::InvalidRecipient, "INVALID_ARGUMENT"),
    (of("400 Bad Request", r#"{"error":{"message":"Message too big","status":"INVALID_ARGUMENT","details":[{"fieldViolations":[{"field":"message.notification"}]}]}}"#),
     'R', Code::ProviderRejected, "INVALID_ARGUMENT"),
    (of("200 OK", r#"{"name":""}"#), 'U', Code::UnknownOutcome, "200"),
    (of("200 OK", r#"{"name":7}"#), 'U', Code::UnknownOutcome, "200"),
    (of("400 Bad Request", ""), 'R', Code::ProviderRejected, "400"),
    (of("401 Unauthorized", ""), 'N', Code::ProviderAuth, "401"),
    (of("404 Not Found", "<html>"), 'N', Code::ProviderUnavailable, "404"),
];

pub(crate) fn fixture() -> Fixture {
    Fixture {
        kind: "fcm",
        channel: Channel::Push,
        recipient: "bk3RNwTe3H0:CI2k_HHwgIpoDKCIZvvDMExUdFQ3P1",
        credentials: &[("project_id", "atumpan-test"), ("service_account", KEY)],
        options: &[("token_url", "{url}/token")],
        answers_before: &[("/token", GRANT)],
        request: &[
            "POST /v1/projects/atumpan-test/messages:send HTTP/1.1\r\n",
            "authorization: Bearer ya29.t0k3n\r\n",
            "content-type: application/json\r\n",
            r#"{"message":{"token":"bk3RNwTe3H0:CI2k_HHwgIpoDKCIZvvDMExUdFQ3P1","notification":{"body":"Your code is 1234"},"android":{"ttl":"86400s","notification":{"tag":"{id}"}},"apns":{"headers":{"apns-collapse-id":"{id}","apns-expiration":"1700086400"}}}}"#,
        ],
        accepted: of("200 OK", r#"{"name":"projects/atumpan-test/messages/0:1500415314455276"}"#),
        reference: Some("projects/atumpan-test/messages/0:1500415314455276"),
        follow_up: FollowUp::Nothing,
        refusals: REFUSALS,
        healthy: of("200 OK", r#"{"name":"projects/atumpan-test/messages/fake_message_id"}"#),
        secrets: &["ya29.t0k3n", "BEGIN PRIVATE KEY", "MIIEv", "eyJhbGciOiJSUzI1NiI"],
        ..Fixture::PLAIN
    }
}
