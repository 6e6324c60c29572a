//! Voice calls, whose text the vendor requests once they are answered.

use std::time::Duration;

use acceptance::{Answer, until};
use serde_json::{Value, json};

use crate::providers::vendor::{Installation, Mood, Vendor, provider, token};

const SPOKEN: &str = "<Response><Say>1 &lt; 2 &amp; 3</Say></Response>";
const NOTHING: &str = "<Response/>";

/// Starts a vendor of calls, and two instances of an installation with two accounts there.
async fn two_instances() -> (Vendor, Installation, Installation) {
    let vendor = Vendor::start().await;
    let url = vendor.url();
    let first = Installation::start(&[
        provider("line", "africas-talking-voice", &url, 1).with("max_concurrency = 5"),
        provider("other", "africas-talking-voice", &url, 2),
    ])
    .await;
    let second = first.another(&[]).await;
    (vendor, first, second)
}

fn call() -> Value {
    json!({"channel": "VOICE", "to": "0241234567", "body": "1 < 2 & 3"})
}

/// Requests the text for the call of a message from that instance, as the vendor does.
async fn ask(instance: &Installation, provider: &str, token: &str, message: &str) -> Answer {
    let form = [("isActive", "1"), ("sessionId", "ATVId_1"), ("clientRequestId", message)];
    instance.call_back(provider, token, &form).await
}

fn assert_text(answer: &Answer, text: &str) {
    assert_eq!((answer.status, answer.text.as_str()), (200, text));
    assert_eq!(answer.header("content-type"), "application/xml");
}

#[tokio::test]
async fn another_instance_supplies_the_text_of_a_call() {
    let (_vendor, first, second) = Box::pin(two_instances()).await;
    let tenant = first.world.tenant().await;
    let sent = tenant.owner().post("/messages/send", call()).await.data(201).clone();
    assert_eq!((&sent["status"], &sent["provider"]), (&json!("SENT"), &json!("line")));
    let name = sent["internalMessageId"].as_str().unwrap();

    ask(&second, "line", &token("other"), name).await.fails(401, "INVALID_SIGNATURE");
    ask(&second, "line", "", name).await.fails(401, "INVALID_SIGNATURE");
    assert_text(&ask(&second, "other", &token("other"), name).await, NOTHING);
    for _ in 0..2 {
        assert_text(&ask(&second, "line", &token("line"), name).await, SPOKEN);
    }

    let over = [
        ("isActive", "0"),
        ("sessionId", "ATVId_1"),
        ("clientRequestId", name),
        ("durationInSeconds", "9"),
    ];
    assert_text(&second.call_back("line", &token("line"), &over).await, NOTHING);
    tenant.owner().message_that_is("DELIVERED", &sent["id"]).await;
    assert_text(&ask(&second, "line", &token("line"), name).await, NOTHING);
    tenant.assert_ledger_adds_up().await;
}

#[tokio::test]
async fn the_text_of_a_call_is_available_before_the_reply() {
    let (vendor, first, second) = Box::pin(two_instances()).await;
    vendor.now(Mood::TakesAfter(Duration::from_millis(400)));
    let tenant = first.world.tenant().await;
    let owner = tenant.owner();
    let early = async {
        until("the vendor is called", async || vendor.calls() > 0).await;
        let body = vendor.last_body();
        let (_, name) = body.split_once("clientRequestId=").unwrap();
        ask(&second, "line", &token("line"), name).await
    };

    let (sent, answer) = tokio::join!(owner.post("/messages/send", call()), early);

    assert_text(&answer, SPOKEN);
    let sent = sent.data(201);
    assert_eq!((&sent["status"], vendor.calls()), (&json!("SENT"), 1));
    assert_eq!(sent["attempts"][0]["providerMessageId"], "ATVId_1");
    tenant.assert_ledger_adds_up().await;
}
