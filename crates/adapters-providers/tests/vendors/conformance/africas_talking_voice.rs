//! Fixture of calls at Africa's Talking.

use domain::{messaging::delivery::FailureCode as Code, shared::channel::Channel};

use super::{Canned, Fixture};

const REFUSALS: &[(Canned, char, Code)] = &[
    (ok(r#"{"entries":[{"status":"InvalidPhoneNumber"}]}"#), 'R', Code::InvalidRecipient),
    (ok(r#"{"entries":[{"status":"InsufficientCredit"}]}"#), 'N', Code::ProviderBalance),
    (ok(r#"{"entries":[{"status":"DestinationNotSupported"}]}"#), 'N', Code::ProviderRejected),
    (
        ok(r#"{"entries":[],"errorMessage":"Invalid callerId: +233302000000"}"#),
        'N',
        Code::SenderNotAllowed,
    ),
    (
        Canned {
            status: "401 Unauthorized",
            headers: "",
            body: "The supplied authentication is invalid",
        },
        'N',
        Code::ProviderAuth,
    ),
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
        accepted: ok(r#"{"entries":[{"phoneNumber":"+233244123456","status":"Queued",
                "sessionId":"ATVId_77"}],"errorMessage":"None"}"#),
        reference: Some("ATVId_77"),
        refusals: REFUSALS,
        healthy: ok(r#"{"entries":[{"phoneNumber":"+233302000000","queueName":"","numCalls":0}],
                "errorMessage":"None","status":"Success"}"#),
        secrets: &["atsk_v01ce"],
        ..Fixture::PLAIN
    }
}

const fn ok(body: &'static str) -> Canned {
    Canned { status: "200 OK", headers: "", body }
}
