//! Fixture of `SendGrid`.

use domain::{messaging::delivery::FailureCode as Code, shared::channel::Channel};

use super::{Canned, Fixture, Refusal, of};

macro_rules! refused {
    ($status:literal, $field:literal, $message:literal, $kind:literal, $meaning:ident, $code:literal) => {
        (
            of(
                concat!($status, " Refused"),
                concat!(
                    r#"{"errors":[{"message":""#,
                    $message,
                    r#"","field":"#,
                    $field,
                    r#","help":null}]}"#,
                ),
            ),
            $kind,
            Code::$meaning,
            $code,
        )
    };
}

#[rustfmt::skip]
const REFUSALS: &[Refusal] = &[
    refused!(400, r#""personalizations.0.to.0.email""#, "Does not contain a valid address.", 'R', InvalidRecipient, "400 personalizations.0.to.0.email"),
    refused!(400, r#""content.0.value""#, "The content value must be a string", 'R', ProviderRejected, "400"),
    refused!(400, r#""from.email""#, "not valid", 'N', SenderNotAllowed, "400 from.email"),
    refused!(403, r#""from""#, "The from address does not match a verified Sender Identity.", 'N', SenderNotAllowed, "403 from"),
    refused!(403, "null", "access forbidden", 'N', ProviderAuth, "403"),
    refused!(401, "null", "Maximum credits exceeded", 'N', ProviderBalance, "401"),
    refused!(401, "null", "The provided authorization grant is invalid", 'N', ProviderAuth, "401"),
    (of("404 Not Found", ""), 'N', Code::ProviderUnavailable, "404"),
    (of("406 Not Acceptable", ""), 'N', Code::ProviderUnavailable, "406"),
    // The response contains no identifier.
    (of("202 Accepted", ""), 'U', Code::UnknownOutcome, "202"),
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
