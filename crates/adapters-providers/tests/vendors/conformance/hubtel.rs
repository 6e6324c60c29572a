//! Fixture of Hubtel.

use domain::messaging::delivery::FailureCode as Code;

use super::{Fixture, Refusal, of};

macro_rules! status {
    ($http:literal, $status:literal, $kind:literal, $meaning:ident, $code:literal) => {
        (of($http, concat!(r#"{"status":"#, $status, "}")), $kind, Code::$meaning, concat!($code))
    };
    ($http:literal, $status:literal, $kind:literal, $meaning:ident) => {
        status!($http, $status, $kind, $meaning, $status)
    };
}

#[rustfmt::skip]
const REFUSALS: &[Refusal] = &[
    status!("201 Created", 1, 'R', InvalidRecipient),
    status!("400 Bad Request", 1, 'R', InvalidRecipient),
    status!("201 Created", 2, 'N', SenderNotAllowed),
    status!("400 Bad Request", 3, 'N', ProviderRejected),
    status!("201 Created", 4, 'N', RecipientUnreachable),
    status!("201 Created", 6, 'R', BlockedContent),
    status!("400 Bad Request", 7, 'N', ProviderRejected),
    status!("400 Bad Request", 8, 'N', ProviderRejected),
    status!("201 Created", 12, 'N', ProviderBalance),
    status!("400 Bad Request", 100, 'N', ProviderRejected),
    // Other codes are judged by the status.
    status!("201 Created", 99, 'U', UnknownOutcome, "201"),
    status!("400 Bad Request", 400, 'R', ProviderRejected),
    status!("401 Unauthorized", 1, 'N', ProviderAuth, "401"),
    status!("402 Payment Required", 12, 'N', ProviderBalance, "402"),
    status!("402 Payment Required", "null", 'N', ProviderBalance, "402"),
    status!("403 Forbidden", 403, 'N', RecipientUnreachable),
    (of("403 Forbidden", ""), 'N', Code::RecipientUnreachable, "403"),
    status!("404 Not Found", 404, 'N', ProviderUnavailable),
    status!("500 Internal Server Error", 0, 'U', UnknownOutcome, "500"),
    status!("502 Bad Gateway", 1, 'U', UnknownOutcome, "502"),
];

pub(crate) fn fixture() -> Fixture {
    Fixture {
        kind: "hubtel",
        credentials: &[("client_id", "dbetbmg"), ("client_secret", "nnhpzrw-s3cr3t")],
        sender: Some("SHOP"),
        request: &[
            "POST /v1/messages/send HTTP/1.1\r\n",
            "content-type: application/json\r\n",
            "authorization: Basic ZGJldGJtZzpubmhwenJ3LXMzY3IzdA==\r\n",
            r#"{"From":"SHOP","To":"233244123456","Content":"Your code is 1234","#,
            r#""ClientReference":"{id}","RegisteredDelivery":true}"#,
        ],
        accepted: of(
            "201 Created",
            r#"{"rate":0.0309,"messageId":"9c5f3edc-529e","status":0,"networkId":"62001",
                "clientReference":"{id}","statusDescription":"request submitted successfully"}"#,
        ),
        reference: Some("9c5f3edc-529e"),
        refusals: REFUSALS,
        healthy: of("404 Not Found", r#"{"message":"not found"}"#),
        secrets: &["nnhpzrw-s3cr3t", "ZGJldGJtZzpubmhwenJ3LXMzY3IzdA"],
        ..Fixture::PLAIN
    }
}
