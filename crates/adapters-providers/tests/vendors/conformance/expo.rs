//! Fixture of Expo.

use domain::{messaging::delivery::FailureCode as Code, shared::channel::Channel};

use super::{Canned, Fixture};

/// Classes of refusals.
const REFUSALS: &[(Canned, char, Code)] = &[
    (
        ok(
            r#"{"data":[{"status":"error","message":"\"ExponentPushToken[xxxxxxxxxxxxxxxxxxxxxx]\" is not a registered push notification recipient","details":{"error":"DeviceNotRegistered"}}]}"#,
        ),
        'R',
        Code::DeviceUnregistered,
    ),
    (
        ok(r#"{"data":[{"status":"error","message":"x","details":{"error":"MessageTooBig"}}]}"#),
        'R',
        Code::ProviderRejected,
    ),
    (
        ok(
            r#"{"data":[{"status":"error","message":"x","details":{"error":"MessageRateExceeded"}}]}"#,
        ),
        'N',
        Code::RecipientUnreachable,
    ),
    (
        ok(
            r#"{"data":[{"status":"error","message":"x","details":{"error":"InvalidCredentials"}}]}"#,
        ),
        'N',
        Code::RecipientUnreachable,
    ),
    (
        ok(r#"{"data":[{"status":"error","message":"x","details":{"error":"MismatchSenderId"}}]}"#),
        'N',
        Code::SenderNotAllowed,
    ),
    (
        Canned {
            status: "401 Unauthorized",
            headers: "",
            body: r#"{"errors":[{"code":"UNAUTHORIZED","message":"The bearer token is invalid"}]}"#,
        },
        'N',
        Code::ProviderAuth,
    ),
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
        accepted: ok(r#"{"data":[{"status":"ok","id":"0199-ticket"}]}"#),
        reference: Some("0199-ticket"),
        refusals: REFUSALS,
        healthy: ok(r#"{"data":{}}"#),
        secrets: &["3xp0-t0k3n"],
        ..Fixture::PLAIN
    }
}

const fn ok(body: &'static str) -> Canned {
    Canned { status: "200 OK", headers: "Content-Type: application/json\r\n", body }
}
