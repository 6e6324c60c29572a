//! Single top-ups, as their payers see them.

use super::*;

fn reference() -> String {
    top_up(TopUpStatus::Pending).reference.to_string()
}

#[tokio::test]
async fn an_unpaid_top_up_has_its_payment_page_and_a_paid_one_has_none() {
    for (status, expected) in [
        (TopUpStatus::Pending, Some(URL)),
        (TopUpStatus::Abandoned, Some(URL)),
        (TopUpStatus::Credited, None),
        (TopUpStatus::Failed, None),
    ] {
        let mut mocks = Mocks::knowing(status);
        mocks.top_ups.expect_checkout().returning(|_| Ok(Some(URL.into())));
        let found = mocks.top_ups().find(&member(Role::Viewer), &reference()).await.unwrap();
        assert_eq!((found.top_up.status, found.checkout_url.as_deref()), (status, expected));
    }
}

#[tokio::test]
async fn the_top_up_of_another_organization_is_not_found() {
    let other = Caller { organization: stranger(), ..member(Role::Owner) };
    let top_ups = Mocks::knowing(TopUpStatus::Pending).top_ups();
    assert_eq!(code(top_ups.find(&other, &reference()).await), "NOT_FOUND");
    assert_eq!(code(top_ups.check(&other, &reference()).await), "NOT_FOUND");
    assert_eq!(code(top_ups.find(&member(Role::Owner), "topup-1").await), "NOT_FOUND");
}

#[tokio::test]
async fn a_check_credits_a_payment_and_leaves_a_missing_one_open() {
    let paid = payment(PaymentStatus::Succeeded, AMOUNT);
    let mocks = Mocks::knowing(TopUpStatus::Pending).credits(1, true).answers(Ok(paid));
    let checked = mocks.top_ups().check(&member(Role::Admin), &reference()).await.unwrap();
    assert_eq!(checked, Settled::Credited(Credited { is_new: true, balance: AMOUNT }));

    for answer in [Ok(payment(PaymentStatus::Open, AMOUNT)), Err(GatewayError::UnknownPayment)] {
        let mocks = Mocks::knowing(TopUpStatus::Pending).credits(0, true).answers(answer);
        let checked = mocks.top_ups().check(&member(Role::Admin), &reference()).await.unwrap();
        assert_eq!(checked, Settled::NotPaid);
    }
}

#[tokio::test]
async fn a_check_of_a_credited_top_up_asks_no_gateway() {
    let mocks = Mocks::knowing(TopUpStatus::Credited).credits(1, false);
    let checked = mocks.top_ups().check(&member(Role::Admin), &reference()).await.unwrap();
    assert_eq!(checked, Settled::Credited(Credited { is_new: false, balance: AMOUNT }));
}
