//! Fixture of the WhatsApp Cloud API.

use domain::{messaging::delivery::FailureCode as Code, shared::channel::Channel};

use super::{Canned, Fixture};

/// Classes of refusals.
const REFUSALS: &[(Canned, char, Code)] = &[
    (
        refusal(r#"{"error":{"message":"(#131047) Re-engagement","code":131047}}"#),
        'R',
        Code::SessionWindowClosed,
    ),
    (
        refusal(r#"{"error":{"message":"(#131026) Undeliverable","code":131026}}"#),
        'R',
        Code::InvalidRecipient,
    ),
    (
        refusal(r#"{"error":{"message":"(#131050) Opted out","code":131050}}"#),
        'R',
        Code::RecipientOptedOut,
    ),
    (
        refusal(r#"{"error":{"message":"(#131049) Not delivered","code":131049}}"#),
        'R',
        Code::ProviderRejected,
    ),
    (
        refusal(r#"{"error":{"message":"(#130429) Rate limit","code":130429}}"#),
        'N',
        Code::ProviderThrottled,
    ),
    (
        refusal(r#"{"error":{"message":"(#131056) Pair rate limit","code":131056}}"#),
        'N',
        Code::RecipientUnreachable,
    ),
    (
        refusal(r#"{"error":{"message":"(#131042) Payment","code":131042}}"#),
        'N',
        Code::ProviderBalance,
    ),
    (
        Canned {
            status: "401 Unauthorized",
            headers: "",
            body: r#"{"error":{"message":"Expired","type":"OAuthException","code":190,"error_subcode":463,"fbtrace_id":"A"}}"#,
        },
        'N',
        Code::ProviderAuth,
    ),
    (
        Canned {
            status: "403 Forbidden",
            headers: "",
            body: r#"{"error":{"message":"(#131031) Locked","code":131031}}"#,
        },
        'N',
        Code::SenderNotAllowed,
    ),
    (
        Canned {
            status: "500 Internal Server Error",
            headers: "",
            body: r#"{"error":{"message":"(#131000) Something went wrong","code":131000}}"#,
        },
        'U',
        Code::UnknownOutcome,
    ),
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
        accepted: Canned {
            status: "200 OK",
            headers: "Content-Type: application/json\r\n",
            body: r#"{"messaging_product":"whatsapp","contacts":[{"input":"+233244123456","wa_id":"233244123456"}],"messages":[{"id":"wamid.HBgMMjMz"}]}"#,
        },
        reference: Some("wamid.HBgMMjMz"),
        refusals: REFUSALS,
        healthy: Canned {
            status: "200 OK",
            headers: "",
            body: r#"{"verified_name":"Kofi's","quality_rating":"GREEN","id":"106540352242922"}"#,
        },
        secrets: &["EAAJB-t0k3n", "4pp-s3cr3t", "v3rify-m3"],
        ..Fixture::PLAIN
    }
}

const fn refusal(body: &'static str) -> Canned {
    Canned { status: "400 Bad Request", headers: "", body }
}
