//! Fixture of the WhatsApp Cloud API.

use domain::{messaging::delivery::FailureCode as Code, shared::channel::Channel};

use super::{Fixture, Refusal, of};

macro_rules! refused {
    ($status:literal, $code:literal, $kind:literal, $meaning:ident) => {
        (
            of(
                concat!($status, " Refused"),
                concat!(
                    r#"{"error":{"message":"x","type":"OAuthException","code":"#,
                    $code,
                    r#","error_data":{"messaging_product":"whatsapp","details":"x"}}}"#,
                ),
            ),
            $kind,
            Code::$meaning,
            concat!($code),
        )
    };
}

#[rustfmt::skip]
const REFUSALS: &[Refusal] = &[
    refused!(401, 0, 'N', ProviderAuth),
    refused!(400, 1, 'U', UnknownOutcome),
    refused!(503, 2, 'N', ProviderUnavailable),
    refused!(500, 3, 'N', ProviderAuth),
    refused!(400, 4, 'N', ProviderThrottled),
    refused!(403, 10, 'N', ProviderAuth),
    refused!(400, 33, 'N', SenderNotAllowed),
    refused!(400, 100, 'R', ProviderRejected),
    refused!(401, 190, 'N', ProviderAuth),
    refused!(403, 200, 'N', ProviderAuth),
    refused!(403, 299, 'N', ProviderAuth),
    refused!(403, 368, 'N', SenderNotAllowed),
    refused!(404, 803, 'N', SenderNotAllowed),
    refused!(400, 80_007, 'N', ProviderThrottled),
    refused!(400, 130_429, 'N', ProviderThrottled),
    refused!(400, 130_472, 'R', ProviderRejected),
    refused!(403, 130_497, 'N', SenderNotAllowed),
    refused!(500, 131_000, 'U', UnknownOutcome),
    refused!(403, 131_005, 'N', ProviderAuth),
    refused!(400, 131_008, 'R', ProviderRejected),
    refused!(400, 131_009, 'R', ProviderRejected),
    refused!(500, 131_016, 'N', ProviderUnavailable),
    refused!(400, 131_021, 'R', InvalidRecipient),
    refused!(400, 131_026, 'R', InvalidRecipient),
    refused!(400, 131_030, 'N', SenderNotAllowed),
    refused!(403, 131_031, 'N', SenderNotAllowed),
    refused!(400, 131_037, 'N', SenderNotAllowed),
    refused!(400, 131_042, 'N', ProviderBalance),
    refused!(500, 131_045, 'N', SenderNotAllowed),
    refused!(400, 131_047, 'R', SessionWindowClosed),
    refused!(400, 131_048, 'N', ProviderThrottled),
    refused!(400, 131_049, 'R', ProviderRejected),
    refused!(400, 131_050, 'R', RecipientOptedOut),
    refused!(400, 131_051, 'R', ProviderRejected),
    refused!(400, 131_053, 'R', ProviderRejected),
    refused!(400, 131_056, 'N', RecipientUnreachable),
    refused!(500, 131_057, 'N', ProviderUnavailable),
    refused!(400, 132_000, 'R', ProviderRejected),
    refused!(400, 132_001, 'N', ProviderRejected),
    refused!(400, 132_012, 'R', ProviderRejected),
    refused!(400, 132_015, 'R', ProviderRejected),
    refused!(400, 133_010, 'N', SenderNotAllowed),
    // Undocumented codes are judged by the status.
    refused!(400, 999_999, 'R', ProviderRejected),
    refused!(403, 999_999, 'N', ProviderAuth),
    refused!(500, 999_999, 'U', UnknownOutcome),
    // The token may not see the number.
    (of("400 Bad Request", r#"{"error":{"message":"x","code":100,"error_subcode":33}}"#),
     'N', Code::SenderNotAllowed, "100"),
    (of("200 OK", r#"{"messages":[]}"#), 'U', Code::UnknownOutcome, "200"),
    (of("200 OK", r#"{"messages":[{"id":""}]}"#), 'U', Code::UnknownOutcome, "200"),
    (of("400 Bad Request", r#"{"error":{"code":"x"}}"#), 'R', Code::ProviderRejected, "400"),
    (of("401 Unauthorized", ""), 'N', Code::ProviderAuth, "401"),
    (of("404 Not Found", "<html>"), 'N', Code::ProviderUnavailable, "404"),
    (of("405 Method Not Allowed", ""), 'N', Code::ProviderUnavailable, "405"),
];

pub(crate) fn fixture() -> Fixture {
    Fixture {
        kind: "whatsapp-cloud",
        channel: Channel::WhatsApp,
        credentials: &[
            ("phone_number_id", "106540352242922"),
            ("access_token", "EAAJB-t0k3n"),
            ("app_secret", "4pp-s3cr3t"),
            ("verify_token", "v3rify-m3"),
        ],
        request: &[
            "POST /v25.0/106540352242922/messages HTTP/1.1\r\n",
            "authorization: Bearer EAAJB-t0k3n\r\n",
            "content-type: application/json\r\n",
            r#"{"messaging_product":"whatsapp","recipient_type":"individual","to":"+233244123456","type":"text","text":{"preview_url":false,"body":"Your code is 1234"},"biz_opaque_callback_data":"{id}"}"#,
        ],
        accepted: of(
            "200 OK",
            r#"{"messaging_product":"whatsapp","contacts":[{"input":"+233244123456","wa_id":"233244123456"}],"messages":[{"id":"wamid.HBgMMjMz"}]}"#,
        ),
        reference: Some("wamid.HBgMMjMz"),
        refusals: REFUSALS,
        healthy: of(
            "200 OK",
            r#"{"verified_name":"Kofi's","quality_rating":"GREEN","id":"106540352242922"}"#,
        ),
        secrets: &["EAAJB-t0k3n", "4pp-s3cr3t", "v3rify-m3"],
        ..Fixture::PLAIN
    }
}
