//! Fixture of Expo.

use domain::{messaging::delivery::FailureCode as Code, shared::channel::Channel};

use super::{Fixture, Refusal, of};

macro_rules! ticket {
    ($error:literal, $kind:literal, $meaning:ident, $code:literal) => {
        (
            of(
                "200 OK",
                concat!(
                    r#"{"data":[{"status":"error","message":"x","details":{"error":""#,
                    $error,
                    r#""}}]}"#,
                ),
            ),
            $kind,
            Code::$meaning,
            $code,
        )
    };
    ($error:literal, $kind:literal, $meaning:ident) => {
        ticket!($error, $kind, $meaning, $error)
    };
}

macro_rules! call {
    ($status:literal, $error:literal, $kind:literal, $meaning:ident, $code:literal) => {
        (
            of($status, concat!(r#"{"errors":[{"code":""#, $error, r#"","message":"x"}]}"#)),
            $kind,
            Code::$meaning,
            $code,
        )
    };
    ($status:literal, $error:literal, $kind:literal, $meaning:ident) => {
        call!($status, $error, $kind, $meaning, $error)
    };
}

#[rustfmt::skip]
const REFUSALS: &[Refusal] = &[
    (of("200 OK", r#"{"data":[{"status":"error","message":"\"ExponentPushToken[xxxxxxxxxxxxxxxxxxxxxx]\" is not a registered push notification recipient","details":{"error":"DeviceNotRegistered"}}]}"#),
     'R', Code::DeviceUnregistered, "DeviceNotRegistered"),
    ticket!("MessageTooBig", 'R', ProviderRejected),
    ticket!("MessageRateExceeded", 'N', RecipientUnreachable),
    ticket!("MismatchSenderId", 'N', SenderNotAllowed),
    ticket!("InvalidCredentials", 'N', RecipientUnreachable),
    ticket!("DeveloperError", 'R', ProviderRejected),
    ticket!("ExpoError", 'N', ProviderUnavailable),
    ticket!("ProviderError", 'N', ProviderUnavailable),
    ticket!("SomethingNew", 'N', ProviderRejected, "error"),
    (of("200 OK", r#"{"data":[{"status":"error","message":"x"}]}"#), 'N', Code::ProviderRejected, "error"),
    call!("401 Unauthorized", "UNAUTHORIZED", 'N', ProviderAuth),
    call!("200 OK", "UNAUTHORIZED", 'N', ProviderAuth),
    call!("429 Too Many Requests", "TOO_MANY_REQUESTS", 'N', ProviderThrottled),
    call!("400 Bad Request", "PUSH_TOO_MANY_EXPERIENCE_IDS", 'N', ProviderRejected),
    call!("400 Bad Request", "PUSH_TOO_MANY_NOTIFICATIONS", 'N', ProviderRejected),
    call!("400 Bad Request", "VALIDATION_ERROR", 'R', ProviderRejected, "400"),
    call!("500 Internal Server Error", "INTERNAL_SERVER_ERROR", 'U', UnknownOutcome, "500"),
    (of("200 OK", r#"{"data":[]}"#), 'U', Code::UnknownOutcome, "200"),
    (of("200 OK", r#"{"data":[{"status":"perhaps"}]}"#), 'U', Code::UnknownOutcome, "200"),
    (of("400 Bad Request", ""), 'R', Code::ProviderRejected, "400"),
    (of("403 Forbidden", ""), 'N', Code::ProviderAuth, "403"),
    (of("404 Not Found", "<html>"), 'N', Code::ProviderUnavailable, "404"),
    (of("502 Bad Gateway", r#"{"data":[{"status":"ok","id":"a"}]}"#), 'U', Code::UnknownOutcome, "502"),
];

pub(crate) fn fixture() -> Fixture {
    Fixture {
        kind: "expo",
        channel: Channel::Push,
        recipient: "ExponentPushToken[xxxxxxxxxxxxxxxxxxxxxx]",
        credentials: &[("access_token", "3xp0-t0k3n")],
        request: &[
            "POST /--/api/v2/push/send HTTP/1.1\r\n",
            "authorization: Bearer 3xp0-t0k3n\r\n",
            "accept: application/json\r\n",
            "content-type: application/json\r\n",
            r#"[{"to":"ExponentPushToken[xxxxxxxxxxxxxxxxxxxxxx]","body":"Your code is 1234","ttl":86400}]"#,
        ],
        accepted: of("200 OK", r#"{"data":[{"status":"ok","id":"0199-ticket"}]}"#),
        reference: Some("0199-ticket"),
        refusals: REFUSALS,
        healthy: of("200 OK", r#"{"data":{}}"#),
        secrets: &["3xp0-t0k3n"],
        ..Fixture::PLAIN
    }
}
