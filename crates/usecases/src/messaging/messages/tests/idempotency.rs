//! The rules of repeated requests.

use super::*;
use crate::shared::fixtures::{not_accepted, queued, with};

fn keyed(command: SendMessage) -> SendMessage {
    SendMessage { idempotency_key: Some("order-1".into()), ..command }
}

async fn fingerprint(caller: &Caller, command: SendMessage) -> [u8; 32] {
    let (mut test_ports, submissions) = TestPorts::open();
    test_ports.live.expect_send().returning(|_| not_accepted());
    test_ports.sandbox.expect_send().returning(|_| not_accepted());
    test_ports.messages().send(caller, keyed(command)).await.unwrap();
    let submission = submissions.lock().unwrap().pop().unwrap();
    let idempotency = submission.idempotency.unwrap();
    assert_eq!(idempotency.key, "order-1");
    idempotency.fingerprint
}

#[tokio::test]
async fn equal_requests_have_equal_fingerprints_and_others_do_not() {
    let original = fingerprint(&owner(), send(sms("0241234567"))).await;

    let another_member = member(Role::Developer);
    assert_eq!(fingerprint(&another_member, send(sms("0241234567"))).await, original);

    let others = [
        send_async(sms("0241234567")),
        send(sms("0241234568")),
        send(MessageRequest { body: Some("Hello".into()), ..sms("0241234567") }),
        send(MessageRequest { sender: Some("Kofi".into()), ..sms("0241234567") }),
        send(MessageRequest { category: Some(Category::Otp), ..sms("0241234567") }),
        send(MessageRequest { country: Some(Country::GH), ..sms("0241234567") }),
    ];
    for other in others {
        let shown = format!("{other:?}");
        assert_ne!(fingerprint(&owner(), other).await, original, "{shown}");
    }
}

#[tokio::test]
async fn a_sandbox_request_never_equals_a_live_one() {
    let scopes = ["messages:send"];
    let live = fingerprint(&program(&scopes, false), send(sms("0241234567"))).await;
    let sandbox = fingerprint(&program(&scopes, true), send(sms("0241234567"))).await;
    assert_ne!(live, sandbox);
}

#[tokio::test]
async fn a_synchronous_replay_needs_an_outcome() {
    let open = Receipt::Replayed(vec![queued(Category::Transactional)]);
    let messages = TestPorts::answering(open).messages();
    let error = messages.send(&owner(), keyed(send(sms("0241234567")))).await.unwrap_err();
    assert_eq!(error.code(), "IDEMPOTENCY_IN_PROGRESS", "{error}");

    let failure = failure(FailureCode::InvalidRecipient);
    let failed = with("live", Delivery::Failed { sent_at: None, at: NOW, failure });
    let messages = TestPorts::answering(Receipt::Replayed(vec![failed.clone()])).messages();
    let sent = messages.send(&owner(), keyed(send(sms("0241234567")))).await.unwrap();
    assert_eq!(sent, Sent { accepted: failed, is_replay: true });
}

#[tokio::test]
async fn a_bulk_request_is_recognized_by_all_of_its_messages() {
    let submitted = async |recipients: &[&str]| {
        let (test_ports, submissions) = TestPorts::open();
        let messages = recipients.iter().map(|to| sms(to)).collect();
        let idempotency_key = Some("list-1".into());
        let command = SendBulk { messages, idempotency_key, is_async: true, ..SendBulk::default() };
        test_ports.messages().send_bulk(&owner(), command).await.unwrap();
        let submission = submissions.lock().unwrap().pop().unwrap();
        submission.idempotency.unwrap().fingerprint
    };
    let list = submitted(&["0241234567", "0241234568"]).await;

    assert_eq!(submitted(&["0241234567", "0241234568"]).await, list);
    assert_ne!(submitted(&["0241234568", "0241234567"]).await, list);
    let single = submitted(&["0241234567"]).await;
    assert_ne!(single, list);
    assert_ne!(single, fingerprint(&owner(), send_async(sms("0241234567"))).await);
}

#[tokio::test]
async fn an_unreadable_request_is_no_repetition() {
    let faults = Faults::field("colour", "is not a known field");
    let command = SendMessage { faults, ..keyed(send(sms("0241234567"))) };

    let error = TestPorts::closed().messages().send(&owner(), command).await.unwrap_err();

    assert!(matches!(error, Error::Invalid(_)), "{error}");
}
