//! Africa's Talking: encoding, groups and checks.

use std::sync::Arc;

use adapters_providers::Declaration;
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
    vendor_server::{VendorServer, answer},
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

#[tokio::test]
async fn the_text_is_encoded_and_a_missing_sender_omitted() {
    let server = VendorServer::start(answer("201 Created", "", ACCEPTED)).await;

    let declaration = Declaration { sender: None, ..declared(&format!("{}/", server.url)) };
    made(&declaration).send(&sms()).await;

    let body = "username=ama+%26+co&to=%2B233244123456&message=Akwaaba%2C+%C6%86d%C9%94%21+50%25\
                +%2B+1+%26+more+%3D+%E2%82%B55%0Aend&bulkSMSMode=1";
    let lines = [
        "POST /version1/messaging HTTP/1.1",
        "content-type: application/x-www-form-urlencoded",
        "apikey: atsk_k3y",
    ];
    server.assert_request(&lines, body).await;
}

#[tokio::test]
async fn a_message_cannot_be_looked_up() {
    assert_eq!(provider("http://127.0.0.1:1").look_up(&sms()).await, LookUp::Unavailable);
}

#[tokio::test]
async fn a_group_is_sent_in_one_call() {
    const ANSWER: &str = r#"{"SMSMessageData":{"Message":"Sent to 1/3","Recipients":[
        {"statusCode":403,"number":"+233200000002","messageId":"None"},
        {"statusCode":101,"number":"233200000001","messageId":"ATXid_1"}]}}"#;
    let server = VendorServer::start(answer("201 Created", "", ANSWER)).await;
    let provider = provider(&server.url);
    assert!(provider.group_limit() >= 3);

    let group = ["+233200000001", "+233200000002", "+233200000003"]
        .map(|to| message(Channel::Sms, to, "text"));
    let outcomes = provider.send_group(&group).await;

    let accepted =
        Outcome::Accepted { reference: Some("ATXid_1".into()), follow_up: FollowUp::Report };
    assert_eq!(outcomes[0], accepted);
    assert_eq!(kind(&outcomes[1]), ('R', Some(Code::InvalidRecipient)));
    assert_eq!(kind(&outcomes[2]), ('U', Some(Code::UnknownOutcome)), "it is not mentioned");
    let request = server.request.await.unwrap();
    let to = "&to=%2B233200000001%2C%2B233200000002%2C%2B233200000003&message=text&";
    assert!(request.contains(to), "{request}");
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
