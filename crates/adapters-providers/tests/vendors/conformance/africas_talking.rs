//! Fixture of Africa's Talking.

use domain::messaging::delivery::FailureCode as Code;

use super::{Fixture, Refusal, of};

macro_rules! recipient {
    ($code:literal, $kind:literal, $meaning:ident) => {
        (
            of(
                "201 Created",
                concat!(r#"{"SMSMessageData":{"Recipients":[{"statusCode":"#, $code, "}]}}"),
            ),
            $kind,
            Code::$meaning,
            concat!($code),
        )
    };
}

macro_rules! nobody {
    ($message:literal, $kind:literal, $meaning:ident, $code:literal) => {
        (
            of(
                "201 Created",
                concat!(r#"{"SMSMessageData":{"Message":""#, $message, r#"","Recipients":[]}}"#),
            ),
            $kind,
            Code::$meaning,
            $code,
        )
    };
}

#[rustfmt::skip]
const REFUSALS: &[Refusal] = &[
    recipient!(401, 'R', BlockedContent),
    recipient!(402, 'N', SenderNotAllowed),
    recipient!(403, 'R', InvalidRecipient),
    recipient!(404, 'R', InvalidRecipient),
    recipient!(405, 'N', ProviderBalance),
    recipient!(406, 'R', RecipientOptedOut),
    recipient!(407, 'N', RecipientUnreachable),
    recipient!(409, 'N', SenderNotAllowed),
    recipient!(418, 'N', ProviderRejected),
    recipient!(500, 'U', UnknownOutcome),
    recipient!(501, 'N', ProviderUnavailable),
    recipient!(502, 'N', ProviderRejected),
    recipient!(999, 'U', UnknownOutcome),
    // A refusal may have a status of its own.
    (of("409 Conflict", r#"{"SMSMessageData":{"Recipients":[{"statusCode":409,"messageId":"None"}]}}"#),
     'N', Code::SenderNotAllowed, "409"),
    nobody!("InvalidSenderId", 'N', SenderNotAllowed, "402"),
    nobody!("InsufficientBalance", 'N', ProviderBalance, "405"),
    nobody!("Sent to 0/1 Total Cost: 0", 'N', ProviderRejected, "no recipients"),
    nobody!("InternalServerError", 'U', UnknownOutcome, "500"),
    nobody!("", 'U', UnknownOutcome, "201"),
    (of("200 OK", r#"{"SMSMessageData":{}}"#), 'U', Code::UnknownOutcome, "200"),
    (of("400 Bad Request", "Must have username"), 'R', Code::ProviderRejected, "400"),
    (of("401 Unauthorized", "The supplied authentication is invalid"), 'N', Code::ProviderAuth, "401"),
    (of("403 Forbidden", ""), 'N', Code::ProviderAuth, "403"),
    (of("404 Not Found", "<html>"), 'N', Code::ProviderUnavailable, "404"),
    (of("502 Bad Gateway", r#"{"SMSMessageData":{"Message":"InvalidSenderId"}}"#), 'U', Code::UnknownOutcome, "502"),
];

pub(crate) fn fixture() -> Fixture {
    Fixture {
        kind: "africas-talking",
        credentials: &[("username", "ama"), ("api_key", "atsk_k3y")],
        sender: Some("SHOP"),
        request: &[
            "POST /version1/messaging HTTP/1.1\r\n",
            "apikey: atsk_k3y\r\n",
            "\r\n\r\nusername=ama&to=%2B233244123456&message=Your+code+is+1234&from=SHOP&bulkSMSMode=1",
        ],
        accepted: of(
            "201 Created",
            r#"{"SMSMessageData":{"Message":"Sent to 1/1 Total Cost: GHS 0.0290","Recipients":[
                {"statusCode":101,"number":"+233244123456","status":"Success",
                 "cost":"GHS 0.0290","messageId":"ATXid_77"}]}}"#,
        ),
        reference: Some("ATXid_77"),
        refusals: REFUSALS,
        healthy: of("200 OK", r#"{"UserData":{"balance":"GHS 1785.50"}}"#),
        secrets: &["atsk_k3y"],
        ..Fixture::PLAIN
    }
}
