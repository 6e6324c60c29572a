//! Fixture of Resend.

use domain::{messaging::delivery::FailureCode as Code, shared::channel::Channel};

use super::{Canned, Fixture};

const REFUSALS: &[(Canned, char, Code)] = &[
    (
        of(
            "422 Unprocessable Entity",
            r#"{"statusCode":422,"name":"validation_error",
                "message":"Invalid `to` field. The email address needs to follow a format."}"#,
        ),
        'R',
        Code::InvalidRecipient,
    ),
    (
        of(
            "403 Forbidden",
            r#"{"statusCode":403,"name":"validation_error",
                "message":"The shop.example domain is not verified."}"#,
        ),
        'N',
        Code::SenderNotAllowed,
    ),
    (
        of(
            "403 Forbidden",
            r#"{"statusCode":403,"name":"invalid_api_key","message":"API key is invalid"}"#,
        ),
        'N',
        Code::ProviderAuth,
    ),
    (
        of(
            "429 Too Many Requests",
            r#"{"statusCode":429,"name":"daily_quota_exceeded","message":"You have reached it"}"#,
        ),
        'N',
        Code::ProviderBalance,
    ),
    (
        of(
            "422 Unprocessable Entity",
            r#"{"statusCode":422,"name":"missing_required_field","message":"Missing `subject`"}"#,
        ),
        'R',
        Code::ProviderRejected,
    ),
    (
        of(
            "409 Conflict",
            r#"{"statusCode":409,"name":"concurrent_idempotent_requests","message":"Wait"}"#,
        ),
        'U',
        Code::UnknownOutcome,
    ),
    (of("404 Not Found", ""), 'N', Code::ProviderUnavailable),
];

pub(crate) fn fixture() -> Fixture {
    Fixture {
        kind: "resend",
        channel: Channel::Email,
        recipient: "ama@example.com",
        credentials: &[("api_key", "re_s3cr3t_k3y")],
        sender: Some("Shop <no-reply@shop.example>"),
        request: &[
            "POST /emails HTTP/1.1\r\n",
            "authorization: Bearer re_s3cr3t_k3y\r\n",
            "content-type: application/json\r\n",
            "idempotency-key: {id}\r\n",
            r#""from":"Shop <no-reply@shop.example>""#,
            r#""to":["ama@example.com"]"#,
            r#""subject":"Akwaaba ₵""#,
            r#""text":"Your code is 1234""#,
            r#""tags":[{"name":"message","value":"{id}"}]"#,
        ],
        accepted: of("200 OK", r#"{"id":"49a3999c-0ce1-4ea6-ab68-afcd6dc2e794"}"#),
        reference: Some("49a3999c-0ce1-4ea6-ab68-afcd6dc2e794"),
        refusals: REFUSALS,
        healthy: of(
            "200 OK",
            r#"{"data":[{"id":"d-1","name":"shop.example","status":"verified"}]}"#,
        ),
        secrets: &["s3cr3t", "k3y"],
        ..Fixture::PLAIN
    }
}

const fn of(status: &'static str, body: &'static str) -> Canned {
    Canned { status, headers: "", body }
}
