//! Fixture of calls at Africa's Talking.

use domain::{messaging::delivery::FailureCode as Code, shared::channel::Channel};

use super::{Fixture, Refusal, of};

macro_rules! call {
    ($status:literal, $kind:literal, $meaning:ident) => {
        (
            of("200 OK", concat!(r#"{"entries":[{"status":""#, $status, r#""}]}"#)),
            $kind,
            Code::$meaning,
            $status,
        )
    };
}

#[rustfmt::skip]
const REFUSALS: &[Refusal] = &[
    call!("InvalidPhoneNumber", 'R', InvalidRecipient),
    call!("InsufficientCredit", 'N', ProviderBalance),
    call!("DestinationNotSupported", 'N', ProviderRejected),
    call!("Something", 'U', UnknownOutcome),
    (of("200 OK", r#"{"entries":[],"errorMessage":"Invalid callerId: +233302000000"}"#),
     'N', Code::SenderNotAllowed, "no entries"),
    (of("400 Bad Request", r#"{"entries":[],"errorMessage":"Insufficient credit"}"#),
     'N', Code::ProviderBalance, "no entries"),
    (of("200 OK", r#"{"entries":[],"errorMessage":"Sorry"}"#), 'N', Code::ProviderRejected, "no entries"),
    (of("200 OK", r#"{"entries":[],"errorMessage":"None"}"#), 'U', Code::UnknownOutcome, "200"),
    (of("401 Unauthorized", "The supplied authentication is invalid"), 'N', Code::ProviderAuth, "401"),
    (of("404 Not Found", ""), 'N', Code::ProviderUnavailable, "404"),
    (of("500 Internal Server Error", r#"{"entries":[{"status":"Queued"}]}"#), 'U', Code::UnknownOutcome, "500"),
];

pub(crate) fn fixture() -> Fixture {
    Fixture {
        kind: "africas-talking-voice",
        channel: Channel::Voice,
        credentials: &[("username", "ama"), ("api_key", "atsk_v01ce")],
        sender: Some("+233302000000"),
        request: &[
            "POST /call HTTP/1.1\r\n",
            "apikey: atsk_v01ce\r\n",
            "accept: application/json\r\n",
            "content-type: application/x-www-form-urlencoded\r\n",
            "\r\n\r\nusername=ama&to=%2B233244123456&from=%2B233302000000&clientRequestId={id}",
        ],
        accepted: of(
            "200 OK",
            r#"{"entries":[{"phoneNumber":"+233244123456","status":"Queued",
                "sessionId":"ATVId_77"}],"errorMessage":"None"}"#,
        ),
        reference: Some("ATVId_77"),
        refusals: REFUSALS,
        healthy: of(
            "200 OK",
            r#"{"entries":[{"phoneNumber":"+233302000000","queueName":"","numCalls":0}],
                "errorMessage":"None","status":"Success"}"#,
        ),
        secrets: &["atsk_v01ce"],
        ..Fixture::PLAIN
    }
}
