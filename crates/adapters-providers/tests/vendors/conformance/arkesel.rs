//! Fixture of Arkesel.

use domain::messaging::delivery::FailureCode as Code;

use super::{Canned, Fixture};

const REFUSALS: &[(Canned, char, Code)] = &[
    (
        of("200 OK", r#"{"status":"success","data":[{"invalid numbers":["233244123456"]}]}"#),
        'R',
        Code::InvalidRecipient,
    ),
    (
        of(
            "422 Unprocessable Entity",
            r#"{"status":"error","errors":{"sender":["The sender is too long"]}}"#,
        ),
        'N',
        Code::SenderNotAllowed,
    ),
    (
        of("402 Payment Required", r#"{"status":"error","message":"Insufficient"}"#),
        'N',
        Code::ProviderBalance,
    ),
    (
        of("422 Unprocessable Entity", r#"{"status":"error","message":"No coverage there"}"#),
        'N',
        Code::RecipientUnreachable,
    ),
    (of("401 Unauthorized", ""), 'N', Code::ProviderAuth),
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

const fn of(status: &'static str, body: &'static str) -> Canned {
    Canned { status, headers: "", body }
}
