//! Fixture of Resend.

use domain::{messaging::delivery::FailureCode as Code, shared::channel::Channel};

use super::{Fixture, Refusal, of};

macro_rules! refused {
    ($status:literal, $name:literal, $message:literal, $kind:literal, $meaning:ident, $code:literal) => {
        (
            of(
                concat!($status, " Refused"),
                concat!(
                    r#"{"statusCode":"#,
                    $status,
                    r#","name":""#,
                    $name,
                    r#"","message":""#,
                    $message,
                    r#""}"#,
                ),
            ),
            $kind,
            Code::$meaning,
            $code,
        )
    };
    ($status:literal, $name:literal, $message:literal, $kind:literal, $meaning:ident) => {
        refused!($status, $name, $message, $kind, $meaning, $name)
    };
}

#[rustfmt::skip]
const REFUSALS: &[Refusal] = &[
    refused!(422, "validation_error", "Invalid `to` field. The email address needs to follow a format.", 'R', InvalidRecipient),
    refused!(422, "validation_error", "Invalid `from` field. The email address needs", 'N', SenderNotAllowed),
    refused!(403, "validation_error", "The shop.example domain is not verified.", 'N', SenderNotAllowed),
    refused!(400, "validation_error", "We found an error with one or more fields", 'R', ProviderRejected),
    refused!(403, "invalid_api_key", "API key is invalid", 'N', ProviderAuth),
    refused!(429, "daily_quota_exceeded", "You have reached it", 'N', ProviderBalance),
    refused!(422, "missing_required_field", "Missing `subject`", 'R', ProviderRejected),
    refused!(409, "concurrent_idempotent_requests", "Wait", 'U', UnknownOutcome),
    // Other names are judged by the status, and so are all server errors.
    refused!(404, "unheard_of", "", 'N', ProviderUnavailable, "404"),
    refused!(418, "unheard_of", "", 'R', ProviderRejected, "418"),
    refused!(429, "unheard_of", "", 'N', ProviderThrottled, "429"),
    refused!(500, "application_error", "", 'U', UnknownOutcome, "500"),
    refused!(500, "invalid_api_key", "", 'U', UnknownOutcome, "500"),
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
