//! Fixture of Africa's Talking.

use domain::messaging::delivery::FailureCode as Code;

use super::{Canned, Fixture};

const REFUSALS: &[(Canned, char, Code)] = &[
    (
        created(r#"{"SMSMessageData":{"Recipients":[{"statusCode":403}]}}"#),
        'R',
        Code::InvalidRecipient,
    ),
    (
        created(r#"{"SMSMessageData":{"Recipients":[{"statusCode":406}]}}"#),
        'R',
        Code::RecipientOptedOut,
    ),
    (
        created(r#"{"SMSMessageData":{"Message":"InvalidSenderId","Recipients":[]}}"#),
        'N',
        Code::SenderNotAllowed,
    ),
    (
        created(r#"{"SMSMessageData":{"Recipients":[{"statusCode":407}]}}"#),
        'N',
        Code::RecipientUnreachable,
    ),
    (
        created(r#"{"SMSMessageData":{"Recipients":[{"statusCode":405}]}}"#),
        'N',
        Code::ProviderBalance,
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
        kind: "africas-talking",
        credentials: &[("username", "ama"), ("api_key", "atsk_k3y")],
        sender: Some("SHOP"),
        request: &[
            "POST /version1/messaging HTTP/1.1\r\n",
            "apikey: atsk_k3y\r\n",
            "to=%2B233244123456&",
            "message=Your+code+is+1234&",
            "from=SHOP&",
        ],
        accepted: created(
            r#"{"SMSMessageData":{"Message":"Sent to 1/1 Total Cost: GHS 0.0290","Recipients":[
                {"statusCode":101,"number":"+233244123456","status":"Success",
                 "cost":"GHS 0.0290","messageId":"ATXid_77"}]}}"#,
        ),
        reference: Some("ATXid_77"),
        refusals: REFUSALS,
        healthy: Canned {
            status: "200 OK",
            headers: "",
            body: r#"{"UserData":{"balance":"GHS 1785.50"}}"#,
        },
        secrets: &["atsk_k3y"],
        ..Fixture::PLAIN
    }
}

const fn created(body: &'static str) -> Canned {
    Canned { status: "201 Created", headers: "", body }
}
