//! Tests of callbacks on calls, and of checks.

use std::sync::Arc;

use domain::{
    messaging::callback::{CallbackMethod, VendorReport},
    providers::provider::CheckStatus,
};
use ports::providers::provider::MessagingProvider;

use super::*;
use crate::{
    fixture::{self, declaration},
    secret::Secret,
};

fn calls() -> Arc<dyn MessagingProvider> {
    fixture::provider(&Declaration {
        credentials: [("username", "ama"), ("api_key", "k3y")]
            .map(|(key, text)| (key.into(), Secret::new(text)))
            .into(),
        sender: Some("+233302000000".into()),
        ..declaration("africas-talking-voice", Channel::Voice)
    })
}

fn callback(body: &str) -> Callback {
    Callback {
        method: CallbackMethod::Post,
        url: String::new(),
        query: vec![("token".into(), fixture::token("one"))],
        headers: Vec::new(),
        body: body.as_bytes().to_vec(),
    }
}

fn nothing() -> CallbackAnswer {
    xml("<Response/>".into())
}

#[test]
fn an_answered_call_requests_the_text_of_its_message() {
    let id = fixture::message().id;
    let asked = format!(
        "isActive=1&sessionId=ATVId_1&direction=Outbound&callerNumber=%2B233244123456\
         &destinationNumber=%2B233302000000&clientRequestId={}",
        id.internal()
    );

    let received = calls().receive(&callback(&asked)).unwrap();

    assert_eq!((received.asks_for, received.answer), (Some(id), nothing()));
    let event = DeliveryEvent::Accepted { at: fixture::now() };
    assert_eq!(received.reports, [VendorReport { about: MessageRef::Ours(id), event }]);
}

#[test]
fn a_text_is_read_out_as_xml() {
    let expected = "<Response><Say>1 &lt; 2 &amp; 3</Say></Response>";
    assert_eq!(calls().read_out("1 < 2 & 3"), xml(expected.into()));
}

#[test]
fn nothing_is_read_out_in_an_incoming_call() {
    let asked = "isActive=1&sessionId=ATVId_1&direction=Inbound";

    let received = calls().receive(&callback(asked)).unwrap();

    assert_eq!(received, Received { answer: nothing(), ..Received::default() });
}

#[test]
fn the_end_of_a_call_shows_if_it_was_answered() {
    use FailureCode as Code;

    for (fields, expected) in [
        ("durationInSeconds=39&callSessionState=Completed&hangupCause=NORMAL_CLEARING", None),
        ("durationInSeconds=39&status=Success", None),
        ("durationInSeconds=39", None),
        ("durationInSeconds=0&callSessionState=Completed", Some(Code::Undelivered)),
        ("durationInSeconds=0&hangupCause=USER_BUSY", Some(Code::Undelivered)),
        ("durationInSeconds=0", Some(Code::Undelivered)),
        ("callSessionState=NotAnswered", Some(Code::Undelivered)),
        ("status=Failed&hangupCause=UNALLOCATED_NUMBER", Some(Code::InvalidRecipient)),
    ] {
        let id = fixture::message().id;
        let body =
            format!("isActive=0&sessionId=ATVId_1&clientRequestId={}&{fields}", id.internal());

        let received = calls().receive(&callback(&body)).unwrap();

        let [VendorReport { about: MessageRef::Ours(about), event }] = received.reports.as_slice()
        else {
            panic!("{received:?}")
        };
        let code = match event {
            DeliveryEvent::Confirmed { .. } => None,
            DeliveryEvent::Rejected { failure, .. } => Some(failure.code),
            _ => panic!("{event:?}"),
        };
        assert_eq!((*about, code), (id, expected), "{fields}");
        assert_eq!((received.asks_for, received.answer), (None, nothing()));
    }
}

#[test]
fn a_call_without_our_identifier_has_the_vendors() {
    let body = "isActive=0&sessionId=ATVId_1&durationInSeconds=5";

    let received = calls().receive(&callback(body)).unwrap();

    assert_eq!(received.reports[0].about, MessageRef::Vendors("ATVId_1".into()));
}

#[test]
fn callbacks_that_are_not_the_vendors_are_refused() {
    let right = callback("isActive=0&sessionId=ATVId_1");
    for (callback, refusal) in [
        (Callback { query: Vec::new(), ..right.clone() }, CallbackRefused::Unauthorized),
        (Callback { method: CallbackMethod::Get, ..right }, CallbackRefused::Unsupported),
        (callback("isActive=1"), CallbackRefused::Malformed),
        (callback("sessionId=ATVId_1"), CallbackRefused::Malformed),
        (callback("sessionId=ATVId_1&isActive=2"), CallbackRefused::Malformed),
    ] {
        assert_eq!(calls().receive(&callback), Err(refusal), "{callback:?}");
    }
}

#[test]
fn the_queue_of_calls_shows_that_the_account_works() {
    let calls = Calls { username: "ama".into(), number: "+1".into() };
    let look = |body: &str| calls.check_result(&Answer::of(200, body));
    let waiting = r#"{"entries":[{"phoneNumber":"+1","queueName":"","numCalls":2}],"status":"x"}"#;

    assert_eq!(look(waiting).message, "2 calls are queued");
    assert_eq!(look(r#"{"entries":[]}"#).status, CheckStatus::Up);
    assert_eq!(look("{}").status, CheckStatus::Degraded);
}
