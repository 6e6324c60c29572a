//! Fixture of Twilio.

use domain::{messaging::delivery::FailureCode as Code, shared::channel::Channel};

use super::{Canned, Fixture};

const CREDENTIALS: &[(&str, &str)] = &[("account_sid", "AC0123"), ("auth_token", "tw1l10")];
/// Token, and the end of the encoded form of both credentials.
const SECRETS: &[&str] = &["tw1l10", "QUMwMTIzOnR3MWwxMA"];
const AUTHORIZATION: &str = "authorization: Basic QUMwMTIzOnR3MWwxMA==\r\n";

const REFUSALS: &[(Canned, char, Code)] = &[
    (refusal(r#"{"code":21211,"message":"no","status":400}"#), 'R', Code::InvalidRecipient),
    (refusal(r#"{"code":21610,"message":"no","status":400}"#), 'R', Code::RecipientOptedOut),
    (refusal(r#"{"code":63016,"message":"no","status":400}"#), 'R', Code::SessionWindowClosed),
    (refusal(r#"{"code":21606,"message":"no","status":400}"#), 'N', Code::SenderNotAllowed),
    (refusal(r#"{"code":21612,"message":"no","status":400}"#), 'N', Code::RecipientUnreachable),
    (refusal(r#"{"code":21999,"message":"no","status":400}"#), 'N', Code::ProviderRejected),
    (
        Canned {
            status: "429 Too Many Requests",
            headers: "",
            body: r#"{"code":20429,"message":"no","status":429}"#,
        },
        'N',
        Code::ProviderThrottled,
    ),
    (
        Canned {
            status: "401 Unauthorized",
            headers: "",
            body: r#"{"code":20003,"message":"Authenticate","status":401}"#,
        },
        'N',
        Code::ProviderAuth,
    ),
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
                https%3A%2F%2Fnotify.example.com%2Fcallbacks%2Fproviders%2Funder-test%3Fmessage%3D",
            "%23rc%3D3%26rp%3Dall",
        ],
        accepted: created(
            r#"{"sid":"SM77","status":"queued","num_segments":"1","price":null,
                "error_code":null,"error_message":null}"#,
        ),
        reference: Some("SM77"),
        refusals: REFUSALS,
        healthy: Canned {
            status: "200 OK",
            headers: "",
            body: r#"{"sid":"AC0123","status":"active","type":"Full"}"#,
        },
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
        accepted: created(r#"{"sid":"CA77","status":"queued","direction":"outbound-api"}"#),
        reference: Some("CA77"),
        ..sms()
    }
}

const fn created(body: &'static str) -> Canned {
    Canned { status: "201 Created", headers: "", body }
}

const fn refusal(body: &'static str) -> Canned {
    Canned { status: "400 Bad Request", headers: "", body }
}
