//! Fixture of mNotify.

use domain::messaging::delivery::FailureCode as Code;

use super::{Fixture, Refusal, of};

macro_rules! code {
    ($code:literal, $kind:literal, $meaning:ident) => {
        (
            of("200 OK", concat!(r#"{"status":"error","code":""#, $code, r#""}"#)),
            $kind,
            Code::$meaning,
            concat!($code),
        )
    };
}

macro_rules! text {
    ($status:literal, $message:literal, $kind:literal, $meaning:ident) => {
        (
            of(
                concat!($status, " Refused"),
                concat!(r#"{"status":"error","message":""#, $message, r#""}"#),
            ),
            $kind,
            Code::$meaning,
            concat!($status),
        )
    };
}

#[rustfmt::skip]
const REFUSALS: &[Refusal] = &[
    (of("200 OK", r#"{"status":"success","code":"2000","summary":{"total_sent":0,"total_rejected":1}}"#),
     'R', Code::InvalidRecipient, "rejected"),
    code!(1002, 'U', UnknownOutcome),
    code!(1003, 'N', ProviderBalance),
    code!(1004, 'N', ProviderAuth),
    (of("200 OK", r#"{"status":"error","code":1004}"#), 'N', Code::ProviderAuth, "1004"),
    code!(1005, 'R', InvalidRecipient),
    code!(1006, 'N', SenderNotAllowed),
    code!(1008, 'N', ProviderRejected),
    code!(1011, 'N', SenderNotAllowed),
    code!(1012, 'N', SenderNotAllowed),
    text!(400, "Invalid sender for this phone number", 'N', SenderNotAllowed),
    text!(200, "Insufficient balance", 'N', ProviderBalance),
    text!(422, "Invalid API Key", 'N', ProviderAuth),
    text!(200, "Invalid phone number", 'R', InvalidRecipient),
    text!(422, "Message is empty", 'N', ProviderRejected),
    text!(401, "Invalid sender", 'N', ProviderAuth),
    (of("200 OK", r#"{"status":"error"}"#), 'U', Code::UnknownOutcome, "200"),
    (of("200 OK", r#"{"status":"success","code":"2999"}"#), 'U', Code::UnknownOutcome, "200"),
    (of("402 Payment Required", ""), 'N', Code::ProviderBalance, "402"),
    (of("404 Not Found", ""), 'N', Code::ProviderUnavailable, "404"),
    (of("422 Refused", ""), 'R', Code::ProviderRejected, "422"),
    (of("500 Broken", r#"{"status":"error","code":"1003"}"#), 'U', Code::UnknownOutcome, "500"),
];

pub(crate) fn fixture() -> Fixture {
    Fixture {
        kind: "mnotify",
        credentials: &[("api_key", "mnkey-s3cr3t")],
        sender: Some("SHOP"),
        request: &[
            "POST /api/sms/quick?key=mnkey-s3cr3t HTTP/1.1\r\n",
            "content-type: application/json\r\n",
            r#"{"recipient":["0244123456"],"sender":"SHOP","message":"Your code is 1234","#,
            r#""is_schedule":false,"schedule_date":""}"#,
        ],
        accepted: of(
            "200 OK",
            r#"{"status":"success","code":"2000","message":"messages sent successfully",
                "summary":{"_id":"A59CCB70-662D","type":"API QUICK SMS","total_sent":1,
                "contacts":1,"total_rejected":0,"numbers_sent":[],"credit_used":1,
                "credit_left":1483}}"#,
        ),
        reference: Some("A59CCB70-662D"),
        refusals: REFUSALS,
        healthy: of("200 OK", r#"{"status":"success","balance":1483,"bonus":0}"#),
        secrets: &["mnkey-s3cr3t"],
        ..Fixture::PLAIN
    }
}
