//! The rules of prices.

use chrono::TimeDelta;
use domain::{organization::Role, pricing::PriceList};
use ports::mock::{MockPricingRepository, MockWalletRepository};

use super::*;
use crate::fixtures::{NOW, away, clock, hand_clock, member, price_list};

/// A repository that answers so, one after the other.
fn answering(answers: Vec<Result<PriceList, StoreError>>) -> Arc<MockPricingRepository> {
    let mut repository = MockPricingRepository::new();
    for answer in answers {
        repository.expect_price_list().once().return_once(|| answer);
    }
    Arc::new(repository)
}

#[tokio::test]
async fn prices_are_remembered_for_ten_seconds() {
    let (clock, hand) = hand_clock();
    let prices = Prices::new(answering(vec![Ok(price_list()), Ok(PriceList::default())]), clock);

    assert_eq!(prices.current().await.unwrap().0.len(), 1);
    *hand.lock().unwrap() = NOW + TimeDelta::milliseconds(9_999);
    assert_eq!(prices.clone().current().await.unwrap().0.len(), 1);
    *hand.lock().unwrap() = NOW + TimeDelta::seconds(10);
    assert_eq!(prices.current().await.unwrap().0.len(), 0);
}

#[tokio::test]
async fn older_prices_serve_while_the_store_is_away_and_no_longer() {
    let (clock, hand) = hand_clock();
    let answers = vec![Ok(price_list()), Err(away()), Ok(PriceList::default())];
    let prices = Prices::new(answering(answers), clock);

    prices.current().await.unwrap();
    *hand.lock().unwrap() = NOW + TimeDelta::hours(1);

    assert_eq!(prices.current().await.unwrap().0.len(), 1, "the store is away");
    assert_eq!(prices.current().await.unwrap().0.len(), 0, "the store is back");
}

#[tokio::test]
async fn a_store_that_fails_is_told_and_not_covered_up() {
    let never_known = Prices::new(answering(vec![Err(away())]), clock());
    assert!(matches!(never_known.current().await, Err(StoreError::Unavailable(_))));

    let (clock, hand) = hand_clock();
    let broken = StoreError::Internal("a price cannot be read".into());
    let prices = Prices::new(answering(vec![Ok(price_list()), Err(broken)]), clock);
    prices.current().await.unwrap();
    *hand.lock().unwrap() = NOW + TimeDelta::hours(1);
    assert!(matches!(prices.current().await, Err(StoreError::Internal(_))));
}

#[tokio::test]
async fn an_organization_sees_its_own_prices_and_the_general_ones() {
    let mut list = price_list();
    let others = PricingRule { organization: Some(domain::id::Id::new(NOW)), ..list.0[0].clone() };
    list.0.push(others);
    let mut repository = MockPricingRepository::new();
    let known = list.clone();
    repository.expect_price_list().once().return_once(|| Ok(known));
    repository.expect_plans().once().return_once(|| Ok(Vec::new()));

    let prices = Prices::new(Arc::new(repository), clock());
    let billing = Billing::new(Arc::new(MockWalletRepository::new()), prices);
    let tariff = billing.pricing(&member(Role::Viewer)).await.unwrap();

    assert_eq!(tariff.rules, list.0[..1]);
}

#[tokio::test]
async fn a_program_sees_neither_wallet_nor_prices() {
    let prices = Prices::new(answering(Vec::new()), clock());
    let billing = Billing::new(Arc::new(MockWalletRepository::new()), prices);
    let program = crate::fixtures::program(&["messages:read"], false);

    assert!(matches!(billing.wallet(&program).await, Err(Error::Forbidden(_))));
    assert!(matches!(billing.pricing(&program).await, Err(Error::Forbidden(_))));
}
