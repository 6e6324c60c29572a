//! Validity of cached prices.

use ports::shared::{changes::LoggedChange, mock::MockPricingRepository, nobody::Nobody};

use super::*;
use crate::shared::fixtures::{NOW, away, broadcast_of, clock, manual_clock, price_list, tenant};

/// Version of the list with that many rules.
fn list(version: i64, rules: usize) -> PriceList {
    let rule = price_list().visible_to(tenant())[0].clone();
    PriceList::new(version, vec![rule; rules])
}

/// Repository that returns these answers in turn.
fn answering(answers: Vec<Result<PriceList, StoreError>>) -> MockPricingRepository {
    let mut repository = MockPricingRepository::new();
    for answer in answers {
        repository.expect_price_list().once().return_once(|| answer);
    }
    repository
}

/// Prices that return these answers in turn.
fn prices(answers: Vec<Result<PriceList, StoreError>>, clock: Arc<dyn Clock>) -> Prices {
    Prices::new(Arc::new(answering(answers)), clock, Arc::new(Nobody))
}

async fn rules(prices: &Prices) -> usize {
    prices.current().await.unwrap().visible_to(tenant()).len()
}

#[tokio::test]
async fn prices_are_reread_after_800_ms_without_a_check() {
    let (clock, clock_time) = manual_clock();
    let prices = prices(vec![Ok(list(1, 1)), Ok(list(1, 0))], clock);

    assert_eq!(rules(&prices).await, 1);
    *clock_time.lock().unwrap() = NOW + TimeDelta::milliseconds(799);
    assert_eq!(rules(&prices.clone()).await, 1);
    *clock_time.lock().unwrap() = NOW + TimeDelta::milliseconds(800);
    assert_eq!(rules(&prices).await, 0);
}

#[tokio::test]
async fn prices_stay_cached_until_a_change() {
    let (clock, clock_time) = manual_clock();
    let prices = prices(vec![Ok(list(1, 1)), Ok(list(2, 2)), Ok(list(3, 3))], clock);
    let none = || Changes::Known(Vec::new());
    let change = LoggedChange { kind: Change::Prices, organization: None, key: None };

    assert_eq!(rules(&prices).await, 1);
    for (seconds, changes, expected) in [
        (1, none(), 1),
        (2, none(), 1),
        (3, Changes::Known(vec![change]), 2),
        (4, none(), 2),
        (5, Changes::Unknown, 3),
    ] {
        let read_at = NOW + TimeDelta::seconds(seconds);
        *clock_time.lock().unwrap() = read_at;
        prices.apply(&changes, read_at).await.unwrap();
        assert_eq!(rules(&prices).await, expected, "{seconds}");
    }
}

#[tokio::test]
async fn a_read_begun_before_a_change_restores_no_old_prices() {
    let prices = prices(vec![Ok(list(2, 2)), Ok(list(1, 1))], clock());

    prices.refresh().await.unwrap();
    prices.refresh().await.unwrap();

    assert_eq!(rules(&prices).await, 2);
}

#[tokio::test]
async fn older_prices_apply_only_while_the_store_is_unavailable() {
    let (clock, clock_time) = manual_clock();
    let answers = vec![Ok(list(1, 1)), Err(away()), Ok(list(2, 0))];
    let prices = prices(answers, clock);

    prices.current().await.unwrap();
    *clock_time.lock().unwrap() = NOW + TimeDelta::hours(1);

    assert_eq!(rules(&prices).await, 1, "the store is away");
    assert_eq!(rules(&prices).await, 0, "the store is back");
}

#[tokio::test]
async fn a_failure_of_the_store_is_returned() {
    let never_known = prices(vec![Err(away())], clock());
    assert!(matches!(never_known.current().await, Err(StoreError::Unavailable(_))));

    let (clock, clock_time) = manual_clock();
    let broken = StoreError::Internal("a price cannot be read".into());
    let prices = prices(vec![Ok(list(1, 1)), Err(broken)], clock);
    prices.current().await.unwrap();
    *clock_time.lock().unwrap() = NOW + TimeDelta::hours(1);
    assert!(matches!(prices.current().await, Err(StoreError::Internal(_))));
}

#[tokio::test]
async fn a_change_of_prices_is_reread_and_broadcast() {
    let answers = vec![Ok(list(1, 1)), Ok(list(2, 2))];
    let repository = Arc::new(answering(answers));
    let prices = Prices::new(repository, clock(), broadcast_of(Change::Prices));
    assert_eq!(rules(&prices).await, 1);

    prices.changed().await.unwrap();

    assert_eq!(rules(&prices).await, 2);
}
