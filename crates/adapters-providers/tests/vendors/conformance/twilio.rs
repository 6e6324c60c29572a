//! Fixture of Twilio.

use domain::{messaging::delivery::FailureCode as Code, shared::channel::Channel};

use super::{Fixture, Refusal, of};

const CREDENTIALS: &[(&str, &str)] = &[("account_sid", "AC0123"), ("auth_token", "tw1l10")];
/// Token, and the end of the encoded form of both credentials.
const SECRETS: &[&str] = &["tw1l10", "QUMwMTIzOnR3MWwxMA"];
const AUTHORIZATION: &str = "authorization: Basic QUMwMTIzOnR3MWwxMA==\r\n";

macro_rules! refused {
    ($status:literal, $code:literal, $kind:literal, $meaning:ident, $shown:literal) => {
        (
            of(
                concat!($status, " Refused"),
                concat!(r#"{"code":"#, $code, r#","message":"no","status":"#, $status, "}"),
            ),
            $kind,
            Code::$meaning,
            concat!($shown),
        )
    };
    ($status:literal, $code:literal, $kind:literal, $meaning:ident) => {
        refused!($status, $code, $kind, $meaning, $code)
    };
}

#[rustfmt::skip]
const REFUSALS: &[Refusal] = &[
    refused!(400, 14_107, 'N', RecipientUnreachable),
    refused!(401, 20_003, 'N', ProviderAuth),
    refused!(404, 20_404, 'N', ProviderUnavailable),
    refused!(429, 20_429, 'N', ProviderThrottled),
    refused!(400, 21_211, 'R', InvalidRecipient),
    refused!(400, 21_214, 'N', RecipientUnreachable),
    refused!(400, 21_408, 'N', ProviderRejected),
    refused!(400, 21_606, 'N', SenderNotAllowed),
    refused!(400, 21_610, 'R', RecipientOptedOut),
    refused!(400, 21_612, 'N', RecipientUnreachable),
    refused!(400, 21_614, 'R', InvalidRecipient),
    refused!(400, 30_001, 'N', ProviderThrottled),
    refused!(400, 30_002, 'N', ProviderAuth),
    refused!(400, 30_007, 'R', BlockedContent),
    refused!(400, 30_410, 'U', UnknownOutcome),
    refused!(400, 63_016, 'R', SessionWindowClosed),
    refused!(400, 63_018, 'N', ProviderThrottled),
    // Unknown codes leave the message to others.
    refused!(400, 99_999, 'N', ProviderRejected),
    refused!(404, 99_999, 'N', ProviderRejected),
    refused!(403, 99_999, 'N', ProviderAuth, "403"),
    refused!(429, 99_999, 'N', ProviderThrottled, "429"),
    // Server errors are judged by the status.
    refused!(500, 21_211, 'U', UnknownOutcome, "500"),
    refused!(503, 20_503, 'N', ProviderUnavailable, "503"),
    (of("201 Created", r#"{"sid":""}"#), 'U', Code::UnknownOutcome, "201"),
    (of("400 Bad Request", ""), 'R', Code::ProviderRejected, "400"),
    (of("401 Unauthorized", ""), 'N', Code::ProviderAuth, "401"),
    (of("404 Not Found", "<html>"), 'N', Code::ProviderUnavailable, "404"),
    (of("405 Method Not Allowed", ""), 'N', Code::ProviderUnavailable, "405"),
];

pub(crate) fn sms() -> Fixture {
    Fixture {
        kind: "twilio",
        credentials: CREDENTIALS,
        sender: Some("SHOP"),
        request: &[
            "POST /2010-04-01/Accounts/AC0123/Messages.json HTTP/1.1\r\n",
            AUTHORIZATION,
            "content-type: application/x-www-form-urlencoded\r\n",
            "\r\n\r\nTo=%2B233244123456&From=SHOP&Body=Your+code+is+1234&ValidityPeriod=36000&StatusCallback=\
                https%3A%2F%2Fnotify.example.com%2Fcallbacks%2Fproviders%2Funder-test%3Fmessage%3D{uuid}\
                %23rc%3D3%26rp%3Dall",
        ],
        accepted: of(
            "201 Created",
            r#"{"sid":"SM77","status":"queued","num_segments":"1","price":null,
                "error_code":null,"error_message":null}"#,
        ),
        reference: Some("SM77"),
        refusals: REFUSALS,
        healthy: of("200 OK", r#"{"sid":"AC0123","status":"active","type":"Full"}"#),
        secrets: SECRETS,
        ..Fixture::PLAIN
    }
}

pub(crate) fn whatsapp() -> Fixture {
    Fixture {
        kind: "twilio-whatsapp",
        channel: Channel::WhatsApp,
        sender: Some("+233302000000"),
        request: &[
            "POST /2010-04-01/Accounts/AC0123/Messages.json HTTP/1.1\r\n",
            AUTHORIZATION,
            "\r\n\r\nTo=whatsapp%3A%2B233244123456&From=whatsapp%3A%2B233302000000\
                &Body=Your+code+is+1234&ValidityPeriod=36000&StatusCallback=https%3A%2F%2F",
        ],
        ..sms()
    }
}

pub(crate) fn voice() -> Fixture {
    Fixture {
        kind: "twilio-voice",
        channel: Channel::Voice,
        sender: Some("+233302000000"),
        request: &[
            "POST /2010-04-01/Accounts/AC0123/Calls.json HTTP/1.1\r\n",
            AUTHORIZATION,
            "\r\n\r\nTo=%2B233244123456&From=%2B233302000000&Twiml=%3CResponse%3E%3CSay%3E\
                Your+code+is+1234%3C%2FSay%3E%3C%2FResponse%3E&StatusCallback=https%3A%2F%2F",
        ],
        accepted: of(
            "201 Created",
            r#"{"sid":"CA77","status":"queued","direction":"outbound-api"}"#,
        ),
        reference: Some("CA77"),
        ..sms()
    }
}
