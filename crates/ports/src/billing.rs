//! Wallets, prices and plans.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::{
    id::Id,
    money::Money,
    organization::Organization,
    pricing::{Plan, PriceList},
    wallet::Wallet,
};

use crate::store::StoreError;

/// Keeps wallets and their ledgers. Messages are paid for in [`crate::messages`].
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait WalletRepository: Send {
    /// Opens the wallet of a new organization with a trial credit.
    async fn open(
        &mut self,
        organization: Id<Organization>,
        credit: Money,
        now: DateTime<Utc>,
    ) -> Result<(), StoreError>;

    /// Finds the wallet of an organization.
    async fn find(&mut self, organization: Id<Organization>) -> Result<Option<Wallet>, StoreError>;
}

/// Keeps prices and plans.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait PricingRepository: Send {
    /// All active rules, of all organizations.
    async fn price_list(&mut self) -> Result<PriceList, StoreError>;

    /// All active plans, cheapest first.
    async fn plans(&mut self) -> Result<Vec<Plan>, StoreError>;
}
