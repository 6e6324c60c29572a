//! Fixture of Infobip.

use domain::messaging::delivery::FailureCode as Code;

use super::{Fixture, Refusal, of};

macro_rules! status {
    ($group:literal, $id:literal, $name:literal, $kind:literal, $meaning:ident) => {
        (
            of(
                "200 OK",
                concat!(
                    r#"{"messages":[{"messageId":"{id}","status":{"groupName":""#,
                    $group,
                    r#"","id":"#,
                    $id,
                    r#","name":""#,
                    $name,
                    r#""}}]}"#,
                ),
            ),
            $kind,
            Code::$meaning,
            $name,
        )
    };
}

#[rustfmt::skip]
const REFUSALS: &[Refusal] = &[
    status!("REJECTED", 6, "REJECTED_NETWORK", 'N', RecipientUnreachable),
    status!("REJECTED", 8, "REJECTED_PREFIX_MISSING", 'R', InvalidRecipient),
    status!("REJECTED", 10, "REJECTED_DND", 'R', RecipientOptedOut),
    status!("REJECTED", 11, "REJECTED_SOURCE", 'N', SenderNotAllowed),
    status!("REJECTED", 12, "REJECTED_NOT_ENOUGH_CREDITS", 'N', ProviderBalance),
    status!("REJECTED", 13, "REJECTED_SENDER", 'N', SenderNotAllowed),
    status!("REJECTED", 14, "REJECTED_DESTINATION_BLOCKLISTED", 'R', RecipientOptedOut),
    status!("REJECTED", 17, "REJECTED_PREPAID_PACKAGE_EXPIRED", 'N', ProviderBalance),
    status!("REJECTED", 18, "REJECTED_DESTINATION_NOT_REGISTERED", 'N', ProviderRejected),
    status!("REJECTED", 19, "REJECTED_ROUTE_NOT_AVAILABLE", 'N', RecipientUnreachable),
    status!("REJECTED", 20, "REJECTED_FLOODING_FILTER", 'N', RecipientUnreachable),
    status!("REJECTED", 21, "REJECTED_SYSTEM_ERROR", 'N', ProviderUnavailable),
    status!("REJECTED", 23, "REJECTED_DUPLICATE_MESSAGE_ID", 'U', UnknownOutcome),
    status!("REJECTED", 24, "REJECTED_INVALID_UDH", 'N', ProviderRejected),
    status!("REJECTED", 25, "REJECTED_MESSAGE_TOO_LONG", 'N', ProviderRejected),
    status!("REJECTED", 51, "MISSING_TO", 'R', InvalidRecipient),
    status!("REJECTED", 52, "REJECTED_DESTINATION", 'R', InvalidRecipient),
    status!("REJECTED", 999, "REJECTED_NEW", 'N', ProviderRejected),
    status!("UNDELIVERABLE", 100, "UNDELIVERABLE_REJECTED_PLATFORM", 'N', ProviderRejected),
    status!("UNDELIVERABLE", 9, "UNDELIVERABLE_NOT_DELIVERED", 'N', ProviderRejected),
    status!("EXPIRED", 15, "EXPIRED_EXPIRED", 'N', ProviderRejected),
    status!("LEVITATING", 1, "LEVITATING", 'U', UnknownOutcome),
    (of("400 Bad Request", r#"{"errorCode":"E400"}"#), 'R', Code::ProviderRejected, "400"),
    (of("401 Unauthorized", ""), 'N', Code::ProviderAuth, "401"),
    (of("404 Not Found", ""), 'N', Code::ProviderUnavailable, "404"),
    (of("500 Internal Server Error", r#"{"messages":[]}"#), 'U', Code::UnknownOutcome, "500"),
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
        accepted: of(
            "200 OK",
            r#"{"bulkId":"1478260834465349756","messages":[{"messageId":"{id}","status":{
                "groupId":1,"groupName":"PENDING","id":26,"name":"PENDING_ACCEPTED",
                "description":"Message sent to next instance"},"destination":"233244123456",
                "details":{"messageCount":1}}]}"#,
        ),
        reference: Some("{id}"),
        refusals: REFUSALS,
        healthy: of("200 OK", r#"{"balance":47.79,"currency":"EUR"}"#),
        secrets: &["ibkey-s3cr3t"],
        ..Fixture::PLAIN
    }
}
