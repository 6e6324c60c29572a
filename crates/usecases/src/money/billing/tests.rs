//! Access to wallets and prices.

use domain::{identity::organization::Role, money::pricing::PriceList, shared::id::Id};
use ports::shared::mock::{MockPricingRepository, MockWalletRepository};

use super::*;
use crate::shared::fixtures::{NOW, clock, member, price_list, tenant};

#[tokio::test]
async fn an_organization_sees_its_own_prices_and_the_general_ones() {
    let general = price_list().visible_to(tenant())[0].clone();
    let others = PricingRule { organization: Some(Id::new(NOW)), ..general.clone() };
    let list = PriceList::new(0, [general.clone(), others]);
    let mut repository = MockPricingRepository::new();
    repository.expect_price_list().once().return_once(|| Ok(list));
    repository.expect_plans().once().return_once(|| Ok(Vec::new()));

    let prices = Prices::new(Arc::new(repository), clock());
    let billing = Billing::new(Arc::new(MockWalletRepository::new()), prices);
    let tariff = billing.pricing(&member(Role::Viewer)).await.unwrap();

    assert_eq!(tariff.rules, [general]);
}

#[tokio::test]
async fn a_program_sees_neither_wallet_nor_prices() {
    let prices = Prices::new(Arc::new(MockPricingRepository::new()), clock());
    let billing = Billing::new(Arc::new(MockWalletRepository::new()), prices);
    let program = crate::shared::fixtures::program(&["messages:read"], false);

    assert!(matches!(billing.wallet(&program).await, Err(Error::Forbidden(_))));
    assert!(matches!(billing.pricing(&program).await, Err(Error::Forbidden(_))));
}
