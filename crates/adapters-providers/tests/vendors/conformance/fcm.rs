//! Fixture of Firebase Cloud Messaging.

use domain::{messaging::delivery::FailureCode as Code, shared::channel::Channel};

use super::{Canned, Fixture};

/// Key of an account that does not exist.
pub(crate) const KEY: &str = include_str!("fcm_key.json");

/// Google's response to an assertion.
pub(crate) const GRANT: Canned = Canned {
    status: "200 OK",
    headers: "Content-Type: application/json\r\n",
    body: r#"{"access_token":"ya29.t0k3n","expires_in":3599,"token_type":"Bearer"}"#,
};

/// Classes of refusals.
const REFUSALS: &[(Canned, char, Code)] = &[
    (
        refusal(
            "404 Not Found",
            r#"{"error":{"code":404,"message":"Requested entity was not found.","status":"NOT_FOUND","details":[{"@type":"type.googleapis.com/google.firebase.fcm.v1.FcmError","errorCode":"UNREGISTERED"}]}}"#,
        ),
        'R',
        Code::DeviceUnregistered,
    ),
    (
        refusal(
            "400 Bad Request",
            r#"{"error":{"code":400,"message":"The registration token is not a valid FCM registration token","status":"INVALID_ARGUMENT","details":[{"@type":"type.googleapis.com/google.firebase.fcm.v1.FcmError","errorCode":"INVALID_ARGUMENT"}]}}"#,
        ),
        'R',
        Code::InvalidRecipient,
    ),
    (
        refusal(
            "403 Forbidden",
            r#"{"error":{"code":403,"message":"SenderId mismatch","status":"PERMISSION_DENIED","details":[{"@type":"type.googleapis.com/google.firebase.fcm.v1.FcmError","errorCode":"SENDER_ID_MISMATCH"}]}}"#,
        ),
        'N',
        Code::SenderNotAllowed,
    ),
    (
        refusal(
            "403 Forbidden",
            r#"{"error":{"code":403,"message":"Permission denied","status":"PERMISSION_DENIED"}}"#,
        ),
        'N',
        Code::ProviderAuth,
    ),
    (
        refusal(
            "401 Unauthorized",
            r#"{"error":{"code":401,"message":"Auth error from APNS","status":"UNAUTHENTICATED","details":[{"@type":"type.googleapis.com/google.firebase.fcm.v1.FcmError","errorCode":"THIRD_PARTY_AUTH_ERROR"}]}}"#,
        ),
        'N',
        Code::RecipientUnreachable,
    ),
    (
        refusal(
            "429 Too Many Requests",
            r#"{"error":{"code":429,"message":"Quota exceeded","status":"RESOURCE_EXHAUSTED","details":[{"@type":"type.googleapis.com/google.firebase.fcm.v1.FcmError","errorCode":"QUOTA_EXCEEDED"}]}}"#,
        ),
        'N',
        Code::RecipientUnreachable,
    ),
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
        accepted: Canned {
            status: "200 OK",
            headers: "Content-Type: application/json\r\n",
            body: r#"{"name":"projects/atumpan-test/messages/0:1500415314455276"}"#,
        },
        reference: Some("projects/atumpan-test/messages/0:1500415314455276"),
        refusals: REFUSALS,
        healthy: Canned {
            status: "200 OK",
            headers: "",
            body: r#"{"name":"projects/atumpan-test/messages/fake_message_id"}"#,
        },
        secrets: &["ya29.t0k3n", "BEGIN PRIVATE KEY", "MIIEv", "eyJhbGciOiJSUzI1NiI"],
        ..Fixture::PLAIN
    }
}

const fn refusal(status: &'static str, body: &'static str) -> Canned {
    Canned { status, headers: "", body }
}
