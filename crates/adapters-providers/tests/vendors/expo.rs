//! Expo: messages in groups, and receipts.

use std::sync::Arc;

use adapters_providers::Declaration;
use chrono::{DateTime, Utc};
use domain::{
    messaging::{
        attempt::Attempt,
        delivery::{DeliveryEvent, FailureCode as Code},
        message::Message,
        outcome::{FollowUp, LookUp, Outcome},
    },
    shared::channel::Channel,
};
use ports::providers::provider::MessagingProvider;

use crate::{
    conformance::Canned,
    scripted::Scripted,
    support::{credentials, declaration, kind, made, message},
};

const TOKEN: &str = "ExponentPushToken[xxxxxxxxxxxxxxxxxxxxxx]";

fn provider(url: &str) -> Arc<dyn MessagingProvider> {
    made(&declaration("expo", Channel::Push, url))
}

fn push(to: &str) -> Message {
    message(Channel::Push, to, "Akwaaba")
}

const fn ok(body: &'static str) -> Canned {
    Canned { status: "200 OK", headers: "", body }
}

fn now() -> DateTime<Utc> {
    DateTime::from_timestamp(1_700_000_000, 0).unwrap()
}

#[tokio::test]
async fn a_group_is_one_call_without_invalid_tokens() {
    let tickets = ok(
        r#"{"data":[{"status":"ok","id":"a"},{"status":"error","message":"x","details":{"error":"DeviceNotRegistered"}}]}"#,
    );
    let server = Scripted::start(vec![("/send", tickets)]).await;
    let messages = [push("ExpoPushToken[a]"), push("device"), push("ExpoPushToken[b]")];

    let outcomes = provider(&server.url).send_group(&messages).await;

    let kinds: Vec<_> = outcomes.iter().map(kind).collect();
    let expected =
        [('A', None), ('R', Some(Code::InvalidRecipient)), ('R', Some(Code::DeviceUnregistered))];
    assert_eq!(kinds, expected);
    let requests = server.requests("/send");
    assert_eq!(requests.len(), 1);
    let body = r#"[{"to":"ExpoPushToken[a]","body":"Akwaaba","ttl":86400},{"to":"ExpoPushToken[b]","body":"Akwaaba","ttl":86400}]"#;
    assert!(requests[0].ends_with(body), "{requests:?}");
    assert!(!requests[0].contains("authorization"), "{requests:?}");
}

#[tokio::test]
async fn a_token_that_is_not_expos_is_not_sent_to() {
    let provider = provider("http://127.0.0.1:1");
    let expected = ('R', Some(Code::InvalidRecipient));

    assert_eq!(kind(&provider.send(&push("bk3RNwTe3H0:CI2k")).await), expected);
    assert_eq!(kind(&provider.send_group(&[push("device")]).await[0]), expected);
    assert!(provider.send_group(&[]).await.is_empty());
}

/// Returns a message that the provider `name` accepted under the ticket `T`.
fn taken_by(name: &str) -> Message {
    let accepted = Outcome::Accepted { reference: Some("T".into()), follow_up: FollowUp::Report };
    let attempt = Attempt::start(name, now()).end(now(), &accepted);
    Message { attempts: vec![attempt], ..push(TOKEN) }
}

#[tokio::test]
async fn the_receipt_shows_the_result_of_a_message() {
    let at = now();
    for (canned, expected) in [
        (ok(r#"{"data":{"T":{"status":"ok"}}}"#), LookUp::Found(DeliveryEvent::Confirmed { at })),
        (ok(r#"{"data":{}}"#), LookUp::Waiting),
        (ok(r#"{"errors":[{"code":"UNAUTHORIZED"}]}"#), LookUp::Unavailable),
        (ok("<html>"), LookUp::Unavailable),
        (Canned { status: "429 Slow Down", headers: "", body: "" }, LookUp::Unavailable),
    ] {
        let server = Scripted::start(vec![("/getReceipts", canned)]).await;
        let declaration = Declaration {
            credentials: credentials([("access_token", "3xp0")]),
            ..declaration("expo", Channel::Push, &server.url)
        };
        let found = made(&declaration).look_up(&taken_by("under-test")).await;
        assert_eq!(found, expected, "{}", canned.body);
        let requests = server.requests("/");
        assert!(requests[0].starts_with("POST /--/api/v2/push/getReceipts HTTP/1.1\r\n"));
        assert!(requests[0].contains("authorization: Bearer 3xp0\r\n"), "{requests:?}");
        assert!(requests[0].ends_with(r#"{"ids":["T"]}"#), "{requests:?}");
    }
}

#[tokio::test]
async fn a_receipt_of_a_failure_says_why() {
    let receipt = ok(
        r#"{"data":{"T":{"status":"error","message":"x","details":{"error":"DeviceNotRegistered"}}}}"#,
    );
    let server = Scripted::start(vec![("/getReceipts", receipt)]).await;

    let found = provider(&server.url).look_up(&taken_by("under-test")).await;

    let LookUp::Found(DeliveryEvent::Rejected { failure, .. }) = found else { panic!("{found:?}") };
    assert_eq!(failure.code, Code::DeviceUnregistered);
    assert_eq!(failure.vendor_code.as_deref(), Some("DeviceNotRegistered"));
}

#[tokio::test]
async fn a_message_without_a_ticket_of_this_provider_has_no_lookup() {
    let provider = provider("http://127.0.0.1:1");

    assert_eq!(provider.look_up(&push(TOKEN)).await, LookUp::Unavailable);
    assert_eq!(provider.look_up(&taken_by("another")).await, LookUp::Unavailable);
}
