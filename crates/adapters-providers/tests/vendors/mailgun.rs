//! Mailgun: batches, and lookups of their emails.

use std::sync::Arc;

use adapters_providers::Declaration;
use chrono::DateTime;
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
    support::{credentials, declaration, kind, made, message},
    vendor_server::{VendorServer, answer},
};

const TAKEN: &str = r#"{"id":"<2023.1@mg.shop.example>","message":"Queued. Thank you."}"#;

fn provider(base_url: &str) -> Arc<dyn MessagingProvider> {
    made(&Declaration {
        sender: Some("Shop <no-reply@shop.example>".into()),
        credentials: credentials([("domain", "mg.shop.example"), ("api_key", "s3cr3t")]),
        ..declaration("mailgun", Channel::Email, base_url)
    })
}

fn two() -> [Message; 2] {
    ["ama@example.com", "kofi@example.com"].map(|to| message(Channel::Email, to, "Akwaaba"))
}

fn taken() -> Outcome {
    let reference = Some("2023.1@mg.shop.example".to_owned());
    Outcome::Accepted { reference, follow_up: FollowUp::Report }
}

#[tokio::test]
async fn a_group_is_one_batch_in_which_each_recipient_has_our_identifier() {
    let server = VendorServer::start(answer("200 OK", "", TAKEN)).await;
    let provider = provider(&server.url);
    assert!(provider.group_limit() >= 100);
    let messages = two();

    let outcomes = provider.send_group(&messages).await;

    assert_eq!(outcomes, [taken(), taken()]);
    let request = server.request.await.unwrap();
    let [ama, kofi] = messages.map(|message| message.id.internal());
    let variables = format!(
        "recipient-variables=%7B%22ama%40example.com%22%3A%7B%22id%22%3A%22{ama}%22%7D%2C\
         %22kofi%40example.com%22%3A%7B%22id%22%3A%22{kofi}%22%7D%7D&"
    );
    for part in [
        "POST /v3/mg.shop.example/messages HTTP/1.1\r\n",
        "to=ama%40example.com&to=kofi%40example.com&",
        &variables,
        "v%3Amessage=%25recipient.id%25&",
    ] {
        assert!(request.contains(part), "{part:?} is not in {request}");
    }
    assert!(!request.contains("Message-Id"), "{request}");
}

#[tokio::test]
async fn a_group_shares_the_refusal_of_its_call() {
    let refusal = r#"{"message":"to parameter is not a valid address"}"#;
    let server = VendorServer::start(answer("400 Bad Request", "", refusal)).await;

    let outcomes = provider(&server.url).send_group(&two()).await;

    let rejected = ('R', Some(Code::InvalidRecipient));
    assert_eq!(outcomes.iter().map(kind).collect::<Vec<_>>(), [rejected; 2]);
}

#[tokio::test]
async fn a_batch_mail_is_looked_up_by_recipient_and_shared_identifier() {
    let events = r#"{"items":[{"event":"delivered","timestamp":1700000000}]}"#;
    let server = VendorServer::start(answer("200 OK", "", events)).await;
    let now = DateTime::from_timestamp(1_700_000_000, 0).unwrap();
    let [_, mut kofi] = two();
    kofi.attempts.push(Attempt::start("under-test", now).end(now, &taken()));

    let found = provider(&server.url).look_up(&kofi).await;

    assert_eq!(found, LookUp::Found(DeliveryEvent::Confirmed { at: now }));
    let request = server.request.await.unwrap();
    let line = "GET /v3/mg.shop.example/events\
                ?message-id=2023.1%40mg.shop.example&recipient=kofi%40example.com HTTP/1.1\r\n";
    assert!(request.starts_with(line), "{request}");
}

#[tokio::test]
async fn an_unanswered_mail_is_looked_up_by_our_identifier() {
    let server = VendorServer::start(answer("200 OK", "", r#"{"items":[]}"#)).await;
    let [ama, _] = two();

    let found = provider(&server.url).look_up(&ama).await;

    assert_eq!(found, LookUp::Unavailable);
    let request = server.request.await.unwrap();
    let query =
        format!("?message-id={}%40shop.example&recipient=ama%40example.com ", ama.id.internal());
    assert!(request.contains(&query), "{request}");
}
