//! Fixture of Infobip.

use domain::messaging::delivery::FailureCode as Code;

use super::{Canned, Fixture};

const REFUSALS: &[(Canned, char, Code)] = &[
    (
        ok(r#"{"messages":[{"messageId":"{id}","status":{"groupName":"REJECTED",
                    "id":52,"name":"REJECTED_DESTINATION"}}]}"#),
        'R',
        Code::InvalidRecipient,
    ),
    (
        ok(r#"{"messages":[{"messageId":"{id}","status":{"groupName":"REJECTED",
                    "id":11,"name":"REJECTED_SOURCE"}}]}"#),
        'N',
        Code::SenderNotAllowed,
    ),
    (
        ok(r#"{"messages":[{"messageId":"{id}","status":{"groupName":"REJECTED",
                    "id":12,"name":"REJECTED_NOT_ENOUGH_CREDITS"}}]}"#),
        'N',
        Code::ProviderBalance,
    ),
    (
        ok(r#"{"messages":[{"messageId":"{id}","status":{"groupName":"REJECTED",
                    "id":20,"name":"REJECTED_FLOODING_FILTER"}}]}"#),
        'N',
        Code::RecipientUnreachable,
    ),
    (Canned { status: "401 Unauthorized", headers: "", body: "" }, 'N', Code::ProviderAuth),
];

pub(crate) fn fixture() -> Fixture {
    Fixture {
        kind: "infobip",
        credentials: &[("api_key", "ibkey-s3cr3t")],
        sender: Some("SHOP"),
        request: &[
            "POST /sms/3/messages HTTP/1.1\r\n",
            "content-type: application/json\r\n",
            "authorization: App ibkey-s3cr3t\r\n",
            "accept: application/json\r\n",
            r#"{"messages":[{"sender":"SHOP","#,
            r#""destinations":[{"to":"233244123456","messageId":"{id}"}],"#,
            r#""content":{"text":"Your code is 1234"},"options":{"validityPeriod":{"amount":86400,"#,
            r#""timeUnit":"SECONDS"}},"webhooks":{"delivery":{"url":"#,
            r#"{"url":"https://notify.example.com/callbacks/providers/"#,
            r#""contentType":"application/json"}}]}"#,
        ],
        accepted: ok(r#"{"bulkId":"1478260834465349756","messages":[{"messageId":"{id}","status":{
                "groupId":1,"groupName":"PENDING","id":26,"name":"PENDING_ACCEPTED",
                "description":"Message sent to next instance"},"destination":"233244123456",
                "details":{"messageCount":1}}]}"#),
        reference: Some("{id}"),
        refusals: REFUSALS,
        healthy: ok(r#"{"balance":47.79,"currency":"EUR"}"#),
        secrets: &["ibkey-s3cr3t"],
        ..Fixture::PLAIN
    }
}

const fn ok(body: &'static str) -> Canned {
    Canned { status: "200 OK", headers: "", body }
}
