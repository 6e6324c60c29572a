//! Fixture of a service that accepts messages as JSON.

use domain::{messaging::delivery::FailureCode as Code, shared::channel::Channel};

use super::{Fixture, Refusal, of};

#[rustfmt::skip]
const REFUSALS: &[Refusal] = &[
    (of("422 Refused", r#"{"error":{"code":"INVALID_RECIPIENT","message":"no such device"}}"#),
     'R', Code::InvalidRecipient, "422"),
    (of("400 Bad Request", r#"{"error":{"code":"SENDER_NOT_ALLOWED","message":"who?"}}"#),
     'N', Code::SenderNotAllowed, "400"),
    (of("500 Broken", r#"{"error":{"code":"PROVIDER_UNAVAILABLE"}}"#), 'N', Code::ProviderUnavailable, "500"),
    (of("400 Bad Request", r#"{"error":{"code":"OOPS"}}"#), 'R', Code::ProviderRejected, "400"),
    (of("400 Bad Request", r#"{"error":"INVALID_RECIPIENT"}"#), 'R', Code::ProviderRejected, "400"),
    (of("429 Slow Down", r#"{"error":{"code":"RECIPIENT_UNREACHABLE"}}"#), 'N', Code::RecipientUnreachable, "429"),
    (of("401 Unauthorized", ""), 'N', Code::ProviderAuth, "401"),
    (of("500 Broken", "{}"), 'U', Code::UnknownOutcome, "500"),
];

pub(crate) fn fixture() -> Fixture {
    Fixture {
        kind: "http",
        channel: Channel::Push,
        recipient: "dev1ce-t0ken-of-ama",
        credentials: &[("secret", "whsec_plJ3nmyCDGBKInavdOK15jslplJ3nmyC")],
        sender: Some("SHOP"),
        request: &[
            "POST / HTTP/1.1\r\n",
            "content-type: application/json\r\n",
            "webhook-id: {id}\r\n",
            "webhook-timestamp: 1700000000\r\n",
            "webhook-signature: v1,",
            r#"{"id":"{id}","channel":"PUSH","to":"dev1ce-t0ken-of-ama","from":"SHOP","#,
            r#""subject":null,"body":"Your code is 1234","category":"TRANSACTIONAL","#,
            r#""countryCode":"GH","createdAt":"2023-11-14T22:13:20.000Z","#,
            r#""expiresAt":"2023-11-15T22:13:20.000Z"}"#,
        ],
        accepted: of("202 Accepted", r#"{"id":"x-1"}"#),
        reference: Some("x-1"),
        refusals: REFUSALS,
        is_strict: false,
        healthy: of("405 Method Not Allowed", ""),
        secrets: &["whsec_", "plJ3nmyCDGBKInav"],
        ..Fixture::PLAIN
    }
}
