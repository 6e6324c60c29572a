//! Fixture of Arkesel.

use domain::messaging::delivery::FailureCode as Code;

use super::{Fixture, Refusal, of};

#[rustfmt::skip]
const REFUSALS: &[Refusal] = &[
    (of("200 OK", r#"{"status":"success","data":[{"invalid numbers":["233244123456"]}]}"#),
     'R', Code::InvalidRecipient, "invalid numbers"),
    (of("200 OK", r#"{"status":"success","data":{"invalid numbers":["0244123456"]}}"#),
     'R', Code::InvalidRecipient, "invalid numbers"),
    (of("200 OK", r#"{"status":"error","message":"Invalid sender ID"}"#), 'N', Code::SenderNotAllowed, "200"),
    (of("422 Refused", r#"{"status":"error","errors":{"sender":["The sender is too long"]}}"#),
     'N', Code::SenderNotAllowed, "422"),
    (of("400 Bad Request", r#"{"status":"error","message":"Insufficient balance!"}"#),
     'N', Code::ProviderBalance, "400"),
    (of("402 Payment Required", r#"{"status":"error","message":"Invalid sender"}"#), 'N', Code::ProviderBalance, "402"),
    (of("422 Refused", r#"{"status":"error","message":"No coverage there"}"#), 'N', Code::RecipientUnreachable, "422"),
    (of("422 Refused", r#"{"status":"error","message":"Inactive Gateway"}"#), 'N', Code::ProviderUnavailable, "422"),
    (of("200 OK", r#"{"status":"error","message":"Invalid API key"}"#), 'N', Code::ProviderAuth, "200"),
    (of("400 Bad Request", r#"{"status":"error","message":"Spam words"}"#), 'R', Code::BlockedContent, "400"),
    (of("422 Refused", r#"{"status":"error","message":"Invalid","errors":{"recipients":["x"]}}"#),
     'R', Code::InvalidRecipient, "422"),
    (of("200 OK", r#"{"status":"error","message":"Oops"}"#), 'U', Code::UnknownOutcome, "200"),
    (of("401 Unauthorized", r#"{"status":"error","message":"Invalid sender"}"#), 'N', Code::ProviderAuth, "401"),
    (of("403 Forbidden", r#"{"status":"error","message":"Invalid sender"}"#), 'N', Code::ProviderAuth, "403"),
    (of("404 Not Found", ""), 'N', Code::ProviderUnavailable, "404"),
    (of("422 Refused", ""), 'R', Code::ProviderRejected, "422"),
    (of("500 Broken", r#"{"status":"success","data":[{"recipient":"233244123456","id":"9b75"}]}"#),
     'U', Code::UnknownOutcome, "500"),
];

pub(crate) fn fixture() -> Fixture {
    Fixture {
        kind: "arkesel",
        credentials: &[("api_key", "T2tsUmpac-s3cr3t")],
        sender: Some("SHOP"),
        request: &[
            "POST /api/v2/sms/send HTTP/1.1\r\n",
            "content-type: application/json\r\n",
            "api-key: T2tsUmpac-s3cr3t\r\n",
            r#"{"sender":"SHOP","message":"Your code is 1234","recipients":["233244123456"],"#,
            r#""callback_url":"https://notify.example.com/callbacks/providers/"#,
            r#"&message={id}"}"#,
        ],
        accepted: of(
            "200 OK",
            r#"{"status":"success","data":[{"recipient":"233244123456","id":"9b752841"}]}"#,
        ),
        reference: Some("9b752841"),
        refusals: REFUSALS,
        healthy: of(
            "200 OK",
            r#"{"status":"success","data":{"sms_balance":"1000","main_balance":"GHS 12.50"}}"#,
        ),
        secrets: &["T2tsUmpac-s3cr3t"],
        ..Fixture::PLAIN
    }
}
