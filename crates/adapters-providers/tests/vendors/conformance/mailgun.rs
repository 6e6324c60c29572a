//! Fixture of Mailgun.

use domain::{messaging::delivery::FailureCode as Code, shared::channel::Channel};

use super::{Fixture, Refusal, of};

macro_rules! refused {
    ($status:literal, $message:literal, $kind:literal, $meaning:ident) => {
        (
            of(concat!($status, " Refused"), concat!(r#"{"message":""#, $message, r#""}"#)),
            $kind,
            Code::$meaning,
            concat!($status),
        )
    };
}

#[rustfmt::skip]
const REFUSALS: &[Refusal] = &[
    refused!(400, "to parameter is not a valid address. please check documentation", 'R', InvalidRecipient),
    refused!(400, "'from' parameter is not a valid address.", 'N', SenderNotAllowed),
    refused!(400, "Need at least one of 'text' or 'html'", 'R', ProviderRejected),
    (of("401 Unauthorized", "Forbidden"), 'N', Code::ProviderAuth, "401"),
    (of("402 Payment Required", ""), 'N', Code::ProviderRejected, "402"),
    refused!(403, "Forbidden", 'N', ProviderAuth),
    refused!(403, "Domain shop.example is not allowed to send: The domain is unverified", 'N', SenderNotAllowed),
    refused!(404, "Domain not found: shop.example", 'N', SenderNotAllowed),
    (of("404 Not Found", "page not found"), 'N', Code::ProviderUnavailable, "404"),
    refused!(420, "Domain shop.example is not allowed to send: recipient limit exceeded", 'N', ProviderThrottled),
    (of("420 Enhance Your Calm", ""), 'N', Code::ProviderThrottled, "420"),
    refused!(500, "to parameter", 'U', UnknownOutcome),
];

pub(crate) fn fixture() -> Fixture {
    Fixture {
        kind: "mailgun",
        channel: Channel::Email,
        recipient: "ama@example.com",
        credentials: &[("domain", "mg.shop.example"), ("api_key", "s3cr3t-k3y")],
        sender: Some("Shop <no-reply@shop.example>"),
        request: &[
            "POST /v3/mg.shop.example/messages HTTP/1.1\r\n",
            // api:s3cr3t-k3y
            "authorization: Basic YXBpOnMzY3IzdC1rM3k=\r\n",
            "content-type: application/x-www-form-urlencoded\r\n",
            "from=Shop+%3Cno-reply%40shop.example%3E&",
            "to=ama%40example.com&",
            "text=Your+code+is+1234&",
            "h%3AMessage-Id=%3C{id}%40shop.example%3E&",
            "v%3Amessage={id}&",
            "subject=Akwaaba+%E2%82%B5",
        ],
        accepted: of(
            "200 OK",
            r#"{"id":"<20231114221350.1.2@mg.shop.example>","message":"Queued. Thank you."}"#,
        ),
        reference: Some("20231114221350.1.2@mg.shop.example"),
        refusals: REFUSALS,
        healthy: of(
            "200 OK",
            r#"{"domain":{"name":"mg.shop.example","state":"active"},"receiving_dns_records":[]}"#,
        ),
        secrets: &["s3cr3t", "YXBpOnMzY3IzdC1rM3k"],
        ..Fixture::PLAIN
    }
}
