//! Fixture of Termii.

use domain::messaging::delivery::FailureCode as Code;

use super::{Fixture, Refusal, of};

macro_rules! text {
    ($status:literal, $message:literal, $kind:literal, $meaning:ident) => {
        (
            of(
                concat!($status, " Refused"),
                concat!(r#"{"code":"error","message":""#, $message, r#""}"#),
            ),
            $kind,
            Code::$meaning,
            concat!($status),
        )
    };
}

#[rustfmt::skip]
const REFUSALS: &[Refusal] = &[
    (of("404 Not Found", r#"{"code":404,"message":"ApplicationSenderId not found"}"#),
     'N', Code::SenderNotAllowed, "404"),
    text!(400, "Sender ID not allowed for this phone number", 'N', SenderNotAllowed),
    text!(400, "Insufficient balance", 'N', ProviderBalance),
    (of("400 Bad Request", r#"{"message":"Country Inactive. Contact Administrator"}"#),
     'N', Code::RecipientUnreachable, "400"),
    (of("422 Refused", r#"{"code":404,"message":[{"issue":"You are not set up on this route"}]}"#),
     'N', Code::RecipientUnreachable, "422"),
    text!(200, "Service temporarily unavailable", 'N', ProviderUnavailable),
    text!(422, "Your account is not active", 'N', ProviderAuth),
    text!(400, "Your device has reached the daily limit", 'N', ProviderThrottled),
    text!(200, "Invalid api key", 'N', ProviderAuth),
    text!(400, "DND Active on Phone Number", 'R', RecipientOptedOut),
    text!(400, "Invalid phone number", 'R', InvalidRecipient),
    text!(200, "Oops", 'U', UnknownOutcome),
    text!(400, "Oops", 'R', ProviderRejected),
    text!(401, "sender id", 'N', ProviderAuth),
    (of("402 Payment Required", ""), 'N', Code::ProviderBalance, "402"),
    (of("404 Not Found", ""), 'N', Code::ProviderUnavailable, "404"),
    (of("500 Broken", r#"{"code":"ok","message_id":"1"}"#), 'U', Code::UnknownOutcome, "500"),
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
