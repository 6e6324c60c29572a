//! The rules of repeated requests.

use super::*;
use crate::fixtures::{not_accepted, queued, with};

fn keyed(command: SendMessage) -> SendMessage {
    SendMessage { idempotency_key: Some("order-1".into()), ..command }
}

async fn fingerprint(caller: &Caller, command: SendMessage) -> [u8; 32] {
    let (mut desk, submissions) = Desk::open();
    desk.live.expect_send().returning(|_| not_accepted());
    desk.sandbox.expect_send().returning(|_| not_accepted());
    desk.messages().send(caller, keyed(command)).await.unwrap();
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
        send(Composition { body: Some("Hello".into()), ..sms("0241234567") }),
        send(Composition { sender: Some("Kofi".into()), ..sms("0241234567") }),
        send(Composition { category: Some(Category::Otp), ..sms("0241234567") }),
        send(Composition { country: Some(Country::GH), ..sms("0241234567") }),
    ];
    for other in others {
        let shown = format!("{other:?}");
        assert_ne!(fingerprint(&owner(), other).await, original, "{shown}");
    }
}

#[tokio::test]
async fn a_rehearsal_never_passes_for_the_message_itself() {
    let scopes = ["messages:send"];
    let live = fingerprint(&program(&scopes, false), send(sms("0241234567"))).await;
    let sandbox = fingerprint(&program(&scopes, true), send(sms("0241234567"))).await;
    assert_ne!(live, sandbox);
}

#[tokio::test]
async fn a_synchronous_replay_needs_an_outcome() {
    let open = Receipt::Replayed(vec![queued(Category::Transactional)]);
    let messages = Desk::answering(open).messages();
    let error = messages.send(&owner(), keyed(send(sms("0241234567")))).await.unwrap_err();
    assert!(matches!(error, Error::IdempotencyInProgress), "{error}");

    let failure = failure(FailureCode::InvalidRecipient);
    let failed = with("live", Delivery::Failed { sent_at: None, at: NOW, failure });
    let messages = Desk::answering(Receipt::Replayed(vec![failed.clone()])).messages();
    let message = messages.send(&owner(), keyed(send(sms("0241234567")))).await.unwrap();
    assert_eq!(message, failed);
}

#[tokio::test]
async fn an_asynchronous_replay_is_answered_like_the_first_time() {
    let sent = with("live", Delivery::Sent { at: NOW });
    let desk = Desk::answering(Receipt::Replayed(vec![sent.clone()]));

    let command = keyed(send_async(sms("0241234567")));
    let message = desk.messages().send(&owner(), command).await.unwrap();

    assert_eq!(message, sent.as_accepted());
}
