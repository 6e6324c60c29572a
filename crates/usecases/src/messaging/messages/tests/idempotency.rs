//! The rules of repeated requests.

use ports::messaging::delivery_logs::Accepted;

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
async fn an_asynchronous_replay_is_answered_like_the_first_time() {
    let message = with("live", Delivery::Sent { at: NOW });
    let test_ports = TestPorts::answering(Receipt::Replayed(vec![message.clone()]));

    let command = keyed(send_async(sms("0241234567")));
    let sent = test_ports.messages().send(&owner(), command).await.unwrap();

    assert_eq!(sent, Sent { accepted: message.as_accepted(), is_replay: true });
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

/// Ports that accept nothing more, whose template is gone, and that accepted `command` before as
/// `message`.
async fn ports_that_accepted(command: SendMessage, message: Message) -> TestPorts {
    let (test_ports, submissions) = TestPorts::open();
    let first = test_ports.with_template(Some(template(true))).messages();
    first.send(&owner(), command).await.unwrap();
    let fingerprint = submissions.lock().unwrap()[0].idempotency.clone().unwrap().fingerprint;

    let mut test_ports = TestPorts::closed().with_template(Some(template(false)));
    let is_live =
        |_: &Id<Organization>, is_sandbox: &bool, key: &str| !is_sandbox && key == "order-1";
    let find = test_ports.delivery_logs.expect_find_accepted().withf(is_live);
    find.return_once(move |_, _, _| Ok(Some(Accepted { fingerprint, messages: vec![message] })));
    test_ports
}

#[tokio::test]
async fn an_accepted_request_is_replayed_even_if_now_refused() {
    let (command, message) = (keyed(send_async(by_template())), queued(Category::Otp));
    let test_ports = ports_that_accepted(command.clone(), message.clone()).await;

    let sent = test_ports.messages().send(&owner(), command).await.unwrap();

    assert_eq!(sent, Sent { accepted: message.as_accepted(), is_replay: true });
}

#[tokio::test]
async fn a_different_refused_request_still_reuses_the_key() {
    let (command, message) = (keyed(send_async(by_template())), queued(Category::Otp));
    let test_ports = ports_that_accepted(command, message).await;

    let other = MessageRequest { to: Some("0241234568".into()), ..by_template() };
    let error = test_ports.messages().send(&owner(), keyed(send_async(other))).await.unwrap_err();

    assert_eq!(error.code(), "IDEMPOTENCY_KEY_REUSED", "{error}");
}

#[tokio::test]
async fn an_unreadable_request_is_no_repetition() {
    let faults = Faults::field("colour", "is not a known field");
    let command = SendMessage { faults, ..keyed(send(sms("0241234567"))) };

    let error = TestPorts::closed().messages().send(&owner(), command).await.unwrap_err();

    assert!(matches!(error, Error::Invalid(_)), "{error}");
}
