//! Fixture of `SendGrid`.

use domain::{messaging::delivery::FailureCode as Code, shared::channel::Channel};

use super::{Canned, Fixture};

const REFUSALS: &[(Canned, char, Code)] = &[
    (
        of(
            "400 Bad Request",
            r#"{"errors":[{"message":"Does not contain a valid address.",
                "field":"personalizations.0.to.0.email","help":"https://sendgrid.com/docs"}]}"#,
        ),
        'R',
        Code::InvalidRecipient,
    ),
    (
        of(
            "400 Bad Request",
            r#"{"errors":[{"message":"The content value must be a string",
                "field":"content.0.value","help":null}]}"#,
        ),
        'R',
        Code::ProviderRejected,
    ),
    (
        of(
            "403 Forbidden",
            r#"{"errors":[{"message":"The from address does not match a verified Sender Identity.",
                "field":"from","help":null}]}"#,
        ),
        'N',
        Code::SenderNotAllowed,
    ),
    (
        of(
            "401 Unauthorized",
            r#"{"errors":[{"message":"Maximum credits exceeded","field":null,"help":null}]}"#,
        ),
        'N',
        Code::ProviderBalance,
    ),
    (
        of(
            "401 Unauthorized",
            r#"{"errors":[{"message":"The provided authorization grant is invalid","field":null}]}"#,
        ),
        'N',
        Code::ProviderAuth,
    ),
    (of("404 Not Found", ""), 'N', Code::ProviderUnavailable),
    // The response contains no identifier.
    (of("202 Accepted", ""), 'U', Code::UnknownOutcome),
];

pub(crate) fn fixture() -> Fixture {
    Fixture {
        kind: "sendgrid",
        channel: Channel::Email,
        recipient: "ama@example.com",
        credentials: &[("api_key", "SG.s3cr3t-k3y")],
        sender: Some("Shop <no-reply@shop.example>"),
        request: &[
            "POST /v3/mail/send HTTP/1.1\r\n",
            "authorization: Bearer SG.s3cr3t-k3y\r\n",
            "content-type: application/json\r\n",
            r#""from":{"email":"no-reply@shop.example","name":"Shop"}"#,
            r#""to":[{"email":"ama@example.com"}]"#,
            r#""subject":"Akwaaba ₵""#,
            r#"{"type":"text/plain","value":"Your code is 1234"}"#,
            r#""custom_args":{"message":"{id}"}"#,
            r#""headers":{"Message-ID":"<{id}@shop.example>"}"#,
        ],
        accepted: Canned {
            status: "202 Accepted",
            headers: "X-Message-Id: 14c5d75ce93.dfd.64b469\r\n",
            body: "",
        },
        reference: Some("14c5d75ce93.dfd.64b469"),
        refusals: REFUSALS,
        healthy: of("200 OK", r#"{"scopes":["mail.send","alerts.read"]}"#),
        secrets: &["s3cr3t", "k3y"],
        ..Fixture::PLAIN
    }
}

const fn of(status: &'static str, body: &'static str) -> Canned {
    Canned { status, headers: "", body }
}
