//! Refunded and disputed payments.

use super::*;

#[tokio::test]
async fn a_refund_is_kept_as_an_exception_and_stays_credited() {
    for reason in [ExceptionReason::Disputed, ExceptionReason::Refunded] {
        let mut mocks = Mocks::knowing(TopUpStatus::Credited).credits(0, true);
        mocks.payments.expect_keep_exception().once().returning(move |exception| {
            let top_up = top_up(TopUpStatus::Credited);
            assert_eq!((exception.reason, exception.organization), (reason, Some(tenant())));
            assert_eq!(exception.reference, top_up.reference.as_str());
            assert_eq!(exception.amount, Some(Money::from_cedis(20)));
            assert_eq!(exception.expected, Some(AMOUNT));
            Ok(true)
        });
        let payment = payment(PaymentStatus::Open, Money::from_cedis(20));
        let event = GatewayEvent {
            kind: Some("refund.processed".into()),
            news: GatewayNews::TakenBack(reason),
            payment: Some(payment),
        };

        assert_eq!(receive(event, mocks).await, EventOutcome::Exception);
    }
}
