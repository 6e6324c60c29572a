//! Events of the gateway whose texts cannot be stored as they are.

use ports::money::payments::KeptEvent;

use super::*;
use crate::shared::digest;

#[tokio::test]
async fn the_texts_of_a_kept_payment_can_be_stored() {
    let payment = Payment {
        reference: "pay\0ment".into(),
        currency: Some("G\0HS\n".into()),
        ..payment(PaymentStatus::Succeeded, AMOUNT)
    };
    for news in [GatewayNews::Paid, GatewayNews::TakenBack(ExceptionReason::Refunded)] {
        let mut mocks = Mocks::knowing(TopUpStatus::Pending);
        mocks.payments.expect_keep_exception().once().returning(|exception| {
            assert_eq!(exception.reference, "payment");
            assert_eq!(exception.currency.as_deref(), Some("GHS"));
            Ok(true)
        });
        let event = GatewayEvent { news, ..event(payment.clone()) };
        assert_eq!(receive(event, mocks).await, EventOutcome::Exception);
    }
}

#[tokio::test]
async fn an_event_is_kept_with_the_beginning_of_its_body_and_a_clean_name() {
    let body = vec![b'x'; 64 * 1_024 + 1];
    let mut mocks = Mocks::default();
    let failed = GatewayEvent {
        kind: Some("charge\0.failed".into()),
        news: GatewayNews::Other,
        payment: Some(Payment { reference: "a\0b".into(), ..payment(PaymentStatus::Open, AMOUNT) }),
    };
    mocks.gateway.expect_receive().return_once(|_, _| Ok(failed));
    let expected = KeptEvent {
        hash: digest::of_secret(&body),
        kind: Some("charge.failed".into()),
        reference: Some("ab".into()),
        body: body[..64 * 1_024].to_vec(),
        size: body.len(),
        received_at: NOW,
    };
    mocks.payments.expect_keep_event().once().with(eq(expected)).returning(|_| Ok(()));
    let note = mocks.payments.expect_note_outcome().once();
    note.with(eq(digest::of_secret(&body)), eq(EventOutcome::Ignored)).returning(|_, _| Ok(()));

    mocks.top_ups().receive(Some("signed"), &body).await.unwrap();
}

#[tokio::test]
async fn an_event_without_a_reference_is_kept_without_one() {
    let mut mocks = Mocks::default();
    let nameless = Payment { reference: String::new(), ..payment(PaymentStatus::Open, AMOUNT) };
    let event = GatewayEvent { news: GatewayNews::Other, ..event(nameless) };
    mocks.gateway.expect_receive().return_once(|_, _| Ok(event));
    let keep = mocks.payments.expect_keep_event().once();
    keep.withf(|kept| kept.reference.is_none()).returning(|_| Ok(()));
    mocks.payments.expect_note_outcome().once().returning(|_, _| Ok(()));

    mocks.top_ups().receive(Some("signed"), b"body").await.unwrap();
}
