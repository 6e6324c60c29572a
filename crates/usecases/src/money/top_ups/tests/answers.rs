//! Answers of the gateway, and what is recorded of them.

use super::*;

/// Begins a top-up at a gateway that answers so, and returns the error's code.
async fn begin(answer: GatewayError, is_closed: bool) -> &'static str {
    let mut mocks = Mocks::default();
    mocks.top_ups.expect_insert().returning(|_, _, _| Ok(true));
    mocks.gateway.expect_initialize().return_once(|_| Err(answer));
    let close = mocks.top_ups.expect_close().times(usize::from(is_closed));
    close.with(mockall::predicate::always(), eq(TopUpStatus::Failed)).returning(|_, _| Ok(()));
    code(mocks.top_ups().top_up(&payer(), request(), Faults::default()).await)
}

#[tokio::test]
async fn a_top_up_that_may_be_paid_stays_open_without_an_answer() {
    assert_eq!(begin(GatewayError::Unanswered("late".into()), false).await, "SERVICE_UNAVAILABLE");
    assert_eq!(begin(GatewayError::Refused("no".into()), true).await, "SERVICE_UNAVAILABLE");
}

#[tokio::test]
async fn the_outcome_of_an_event_says_if_it_credited_the_wallet() {
    for (is_new, expected) in
        [(true, EventOutcome::Credited), (false, EventOutcome::AlreadyCredited)]
    {
        let mocks = Mocks::knowing(TopUpStatus::Pending).credits(1, is_new);
        let paid = payment(PaymentStatus::Succeeded, AMOUNT);
        assert_eq!(receive(event(paid), mocks).await, expected);
    }
}

#[tokio::test]
async fn a_verification_asks_for_a_missing_reference() {
    for reference in [None, Some("  ".to_owned())] {
        let top_ups = Mocks::default().top_ups();
        let verified = top_ups.verify(&member(Role::Owner), reference, Faults::default()).await;
        assert_eq!(code(verified), "REFERENCE_REQUIRED");
    }
}
