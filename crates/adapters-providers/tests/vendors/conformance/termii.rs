//! Fixture of Termii.

use domain::messaging::delivery::FailureCode as Code;

use super::{Canned, Fixture};

const REFUSALS: &[(Canned, char, Code)] = &[
    (of("400 Bad Request", r#"{"message":"Invalid phone number"}"#), 'R', Code::InvalidRecipient),
    (
        of("404 Not Found", r#"{"code":404,"message":"ApplicationSenderId not found"}"#),
        'N',
        Code::SenderNotAllowed,
    ),
    (of("400 Bad Request", r#"{"message":"Insufficient balance"}"#), 'N', Code::ProviderBalance),
    (
        of("400 Bad Request", r#"{"message":"Country Inactive. Contact Administrator"}"#),
        'N',
        Code::RecipientUnreachable,
    ),
    (of("401 Unauthorized", ""), 'N', Code::ProviderAuth),
];

pub(crate) fn fixture() -> Fixture {
    Fixture {
        kind: "termii",
        credentials: &[("api_key", "TLkey-s3cr3t"), ("secret_key", "tsk-s3cr3t")],
        sender: Some("SHOP"),
        options: &[("channel", "dnd")],
        request: &[
            "POST /api/sms/send HTTP/1.1\r\n",
            "content-type: application/json\r\n",
            r#"{"to":"233244123456","from":"SHOP","sms":"Your code is 1234","type":"plain","#,
            r#""channel":"dnd","api_key":"TLkey-s3cr3t"}"#,
        ],
        accepted: of(
            "200 OK",
            r#"{"code":"ok","message_id":"9122821270554876574","message":"Successfully Sent",
                "balance":9,"user":"Ama"}"#,
        ),
        reference: Some("9122821270554876574"),
        refusals: REFUSALS,
        healthy: of("200 OK", r#"{"user":"Ama","balance":785.57,"currency":"NGN"}"#),
        secrets: &["TLkey-s3cr3t", "tsk-s3cr3t"],
        ..Fixture::PLAIN
    }
}

const fn of(status: &'static str, body: &'static str) -> Canned {
    Canned { status, headers: "", body }
}
