//! Africa's Talking.

use std::{sync::Arc, time::Duration};

use adapters_providers::Declaration;
use chrono::TimeDelta;
use domain::{
    messaging::{
        delivery::FailureCode as Code,
        message::Message,
        outcome::{FollowUp, LookUp, Outcome},
    },
    providers::provider::CheckStatus,
    shared::channel::Channel,
};
use ports::providers::provider::MessagingProvider;

use crate::{
    support::{credentials, declaration, kind, made, message},
    vendor_server::{Then, VendorServer, answer, nobody},
};

const ACCEPTED: &str = r#"{"SMSMessageData":{"Message":"Sent to 1/1 Total Cost: GHS 0.0290","Recipients":[{"statusCode":101,"number":"+233244123456","status":"Success","cost":"GHS 0.0290","messageId":"ATXid_77"}]}}"#;

fn declared(base_url: &str) -> Declaration {
    Declaration {
        sender: Some("SHOP".into()),
        credentials: credentials([("username", "ama & co"), ("api_key", "atsk_k3y")]),
        ..declaration("africas-talking", Channel::Sms, base_url)
    }
}

fn provider(base_url: &str) -> Arc<dyn MessagingProvider> {
    made(&declared(base_url))
}

fn sms() -> Message {
    message(Channel::Sms, "+233244123456", "Akwaaba, Ɔdɔ! 50% + 1 & more = ₵5\nend")
}

async fn outcome_of(then: Then) -> Outcome {
    let server = VendorServer::start(then).await;
    provider(&server.url).send(&sms()).await
}

#[tokio::test]
async fn the_request_is_what_the_vendor_documents() {
    let server = VendorServer::start(answer("201 Created", "", ACCEPTED)).await;

    let outcome = provider(&format!("{}/", server.url)).send(&sms()).await;

    assert_eq!(
        outcome,
        Outcome::Accepted { reference: Some("ATXid_77".into()), follow_up: FollowUp::Report }
    );
    let body = "username=ama+%26+co&to=%2B233244123456&message=Akwaaba%2C+%C6%86d%C9%94%21+50%25\
                +%2B+1+%26+more+%3D+%E2%82%B55%0Aend&from=SHOP&bulkSMSMode=1";
    let lines = [
        "POST /version1/messaging HTTP/1.1",
        "content-type: application/x-www-form-urlencoded",
        "apikey: atsk_k3y",
    ];
    server.assert_request(&lines, body).await;
}

#[tokio::test]
async fn the_requested_sender_takes_precedence() {
    for (asked, own, from) in [
        (Some("OTHER"), Some("SHOP"), "&from=OTHER&"),
        (None, Some("SHOP"), "&from=SHOP&"),
        (None, None, "end&bulkSMSMode=1"),
    ] {
        let server = VendorServer::start(answer("201 Created", "", ACCEPTED)).await;
        let declaration = Declaration { sender: own.map(Into::into), ..declared(&server.url) };
        let mut sms = sms();
        Arc::make_mut(&mut sms.draft).sender = asked.map(Into::into);

        made(&declaration).send(&sms).await;

        let request = server.request.await.unwrap();
        assert!(request.contains(from), "{request}");
    }
}

#[tokio::test]
async fn every_class_of_response_is_distinguished() {
    let invalid = ACCEPTED.replace("101", "403");
    let poor = r#"{"SMSMessageData":{"Message":"InsufficientBalance","Recipients":[]}}"#;
    for (status, body, expected) in [
        ("201 Created", ACCEPTED, ('A', None)),
        ("200 OK", ACCEPTED, ('A', None)),
        ("201 Created", invalid.as_str(), ('R', Some(Code::InvalidRecipient))),
        ("201 Created", poor, ('N', Some(Code::ProviderBalance))),
        ("201 Created", "<h1>It works!</h1>", ('U', Some(Code::UnknownOutcome))),
        ("201 Created", "", ('U', Some(Code::UnknownOutcome))),
        ("301 Moved", "", ('N', Some(Code::ProviderUnavailable))),
        ("400 Bad Request", "Must have username", ('R', Some(Code::ProviderRejected))),
        ("401 Unauthorized", "invalid", ('N', Some(Code::ProviderAuth))),
        ("403 Forbidden", "", ('N', Some(Code::ProviderAuth))),
        ("404 Not Found", "", ('N', Some(Code::ProviderUnavailable))),
        ("429 Too Many Requests", "", ('N', Some(Code::ProviderThrottled))),
        ("500 Internal Server Error", "", ('U', Some(Code::UnknownOutcome))),
        ("502 Bad Gateway", ACCEPTED, ('U', Some(Code::UnknownOutcome))),
        ("503 Service Unavailable", "", ('N', Some(Code::ProviderUnavailable))),
        ("504 Gateway Timeout", "", ('U', Some(Code::UnknownOutcome))),
    ] {
        let outcome = outcome_of(answer(status, "Location: /elsewhere\r\n", body)).await;
        assert_eq!(kind(&outcome), expected, "{status} {body}");
    }
}

#[tokio::test]
async fn a_provider_may_ask_to_wait() {
    for (status, value, seconds) in [
        ("429 Too Many Requests", "120", 120),
        ("503 Service Unavailable", "Tue, 14 Nov 2023 22:13:50 GMT", 30),
    ] {
        let outcome = outcome_of(answer(status, &format!("Retry-After: {value}\r\n"), "")).await;
        let Outcome::NotAccepted { retry_after, .. } = outcome else { panic!("{outcome:?}") };
        assert_eq!(retry_after, Some(TimeDelta::seconds(seconds)));
    }
}

#[tokio::test]
async fn a_failed_connection_has_accepted_nothing() {
    let refused = format!("http://{}", nobody().await);
    let no_tls = VendorServer::start(Then::HangUp).await.url.replace("http:", "https:");
    for url in [refused.as_str(), &no_tls, "http://no-such-host.invalid"] {
        let outcome = provider(url).send(&sms()).await;
        assert_eq!(kind(&outcome), ('N', Some(Code::ProviderUnavailable)), "{url}: {outcome:?}");
        assert!(!format!("{outcome:?}").contains(url), "{outcome:?}");
    }
}

#[tokio::test]
async fn silence_after_the_request_is_an_unknown_outcome() {
    let server = VendorServer::start(Then::FallSilent).await;
    let declaration =
        Declaration { timeout: Some(Duration::from_millis(300)), ..declared(&server.url) };

    let outcome = made(&declaration).send(&sms()).await;

    assert_eq!(kind(&outcome), ('U', Some(Code::UnknownOutcome)));
    assert!(server.request.await.unwrap().ends_with("bulkSMSMode=1"));
}

#[tokio::test]
async fn an_unreadable_response_is_an_unknown_outcome() {
    let broken = format!("HTTP/1.1 201 Created\r\nContent-Length: 9999\r\n\r\n{ACCEPTED}");
    for then in [
        Then::HangUp,
        Then::Answer("SSH-2.0-OpenSSH_9.2\r\n".into()),
        Then::Answer(broken),
        answer("201 Created", "", &"x".repeat(1 << 20)),
    ] {
        assert_eq!(kind(&outcome_of(then).await), ('U', Some(Code::UnknownOutcome)));
    }
    // Here the status is sufficient.
    let throttled = outcome_of(answer("429 Slow Down", "", &"x".repeat(1 << 20))).await;
    assert_eq!(kind(&throttled), ('N', Some(Code::ProviderThrottled)));
}

#[tokio::test]
async fn a_message_cannot_be_looked_up() {
    assert_eq!(provider("http://127.0.0.1:1").look_up(&sms()).await, LookUp::Unavailable);
}

#[tokio::test]
async fn a_group_is_sent_in_one_call() {
    const ANSWER: &str = r#"{"SMSMessageData":{"Message":"Sent to 1/2","Recipients":[
        {"statusCode":403,"number":"+233200000002","messageId":"None"},
        {"statusCode":101,"number":"+233200000001","messageId":"ATXid_1"}]}}"#;
    let server = VendorServer::start(answer("201 Created", "", ANSWER)).await;
    let provider = provider(&server.url);
    assert!(provider.group_limit() >= 2);

    let group = ["+233200000001", "+233200000002"].map(|to| message(Channel::Sms, to, "text"));
    let outcomes = provider.send_group(&group).await;

    let kinds: Vec<_> = outcomes.iter().map(kind).collect();
    assert_eq!(kinds, [('A', None), ('R', Some(Code::InvalidRecipient))]);
    let request = server.request.await.unwrap();
    assert!(request.contains("&to=%2B233200000001%2C%2B233200000002&message=text&"), "{request}");
}

#[tokio::test]
async fn a_call_contains_each_number_once() {
    let server = VendorServer::start(answer("201 Created", "", ACCEPTED)).await;

    let outcomes = provider(&server.url).send_group(&[sms(), sms()]).await;

    // The server accepts one call only.
    let kinds: Vec<_> = outcomes.iter().map(kind).collect();
    assert_eq!(kinds, [('A', None), ('N', Some(Code::ProviderUnavailable))]);
    let request = server.request.await.unwrap();
    assert!(request.contains("&to=%2B233244123456&"), "{request}");
}

#[tokio::test]
async fn the_balance_shows_if_the_account_works() {
    let balance = r#"{"UserData":{"balance":"GHS 1785.50"}}"#;
    let server = VendorServer::start(answer("200 OK", "", balance)).await;

    let check = provider(&server.url).check().await;

    assert_eq!(check.status, CheckStatus::Up);
    assert_eq!(check.message, "the balance is 1785.5 GHS");
    let request = server.request.await.unwrap();
    let line = "GET /version1/user?username=ama+%26+co HTTP/1.1\r\n";
    assert!(request.starts_with(line), "{request}");
    assert!(request.contains("apikey: atsk_k3y\r\n"), "{request}");
}
