//! Payments at the simulated gateway.

use domain::{money::top_up::PaymentMethod, shared::money::Money};
use ports::shared::mock::{MockSimulatedPaymentRepository, MockWebhookSender};

use super::*;
use crate::shared::fixtures::{NOW, SECRET, clock, organizations, tenant};

fn payment(status: PaymentStatus) -> SimulatedPayment {
    SimulatedPayment {
        reference: TopUpReference::new_in(tenant(), SECRET),
        organization: tenant(),
        amount: Money::from_cedis(50),
        method: PaymentMethod::Card,
        status,
    }
}

fn checkouts(payments: MockSimulatedPaymentRepository, webhook: MockWebhookSender) -> Checkouts {
    let deps = SimulatedGatewayDeps { payments: Arc::new(payments), webhook: Arc::new(webhook) };
    Checkouts::new(Some(deps), Arc::new(organizations()), clock())
}

/// Pays with a webhook that answers `answer`; the payment `has_changed` or was decided before.
async fn pay(answer: Result<(), String>, has_changed: bool) -> Result<Checkout, Error> {
    let mut payments = MockSimulatedPaymentRepository::new();
    let paid = payment(PaymentStatus::Succeeded);
    let reference = paid.reference.to_string();
    payments.expect_decide().once().returning(move |_, status, notify_at| {
        assert_eq!(status, PaymentStatus::Succeeded);
        assert!(notify_at > NOW, "somebody else tells it if this fails");
        Ok(Some((paid.clone(), has_changed)))
    });
    let is_marked = usize::from(answer.is_ok() && has_changed);
    payments.expect_mark_notified().times(is_marked).returning(|_| Ok(()));
    let mut webhook = MockWebhookSender::new();
    webhook.expect_notify().times(usize::from(has_changed)).returning(move |_| answer.clone());
    checkouts(payments, webhook).decide(&reference, true).await
}

#[tokio::test]
async fn the_webhook_is_notified_of_a_payment_once() {
    assert_eq!(pay(Ok(()), true).await.unwrap().organization, "Kente");
    pay(Ok(()), false).await.unwrap();
}

#[tokio::test]
async fn a_payment_succeeds_even_if_the_webhook_does_not_answer() {
    let paid = pay(Err("it did not answer".into()), true).await.unwrap();
    assert_eq!(paid.payment.status, PaymentStatus::Succeeded);

    let mut payments = MockSimulatedPaymentRepository::new();
    let left = payment(PaymentStatus::Failed);
    payments.expect_take_pending().return_once(move |_, _, _| Ok(vec![left]));
    payments.expect_mark_notified().once().returning(|_| Ok(()));
    let mut webhook = MockWebhookSender::new();
    webhook.expect_notify().once().returning(|_| Ok(()));
    checkouts(payments, webhook).notify_pending().await.unwrap();
}
