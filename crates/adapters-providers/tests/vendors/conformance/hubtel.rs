//! Fixture of Hubtel.

use domain::messaging::delivery::FailureCode as Code;

use super::{Canned, Fixture};

const REFUSALS: &[(Canned, char, Code)] = &[
    (created(r#"{"status":1}"#), 'R', Code::InvalidRecipient),
    (created(r#"{"status":2}"#), 'N', Code::SenderNotAllowed),
    (created(r#"{"status":6}"#), 'R', Code::BlockedContent),
    (of("402 Payment Required", r#"{"status":12}"#), 'N', Code::ProviderBalance),
    (created(r#"{"status":4}"#), 'N', Code::RecipientUnreachable),
    (of("403 Forbidden", ""), 'N', Code::RecipientUnreachable),
    (of("401 Unauthorized", ""), 'N', Code::ProviderAuth),
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
        accepted: created(
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

const fn created(body: &'static str) -> Canned {
    of("201 Created", body)
}

const fn of(status: &'static str, body: &'static str) -> Canned {
    Canned { status, headers: "", body }
}
