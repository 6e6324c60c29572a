//! Wallets, prices and plans.

use async_trait::async_trait;
use domain::{
    id::Id,
    organization::Organization,
    pricing::{Plan, PriceList},
    wallet::Wallet,
};

use crate::store::StoreError;

/// Reads wallets. They are opened in [`crate::identity`]; messages are paid for in
/// [`crate::messages`].
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait WalletRepository: Send + Sync {
    /// Finds the wallet of an organization.
    async fn find(&self, organization: Id<Organization>) -> Result<Option<Wallet>, StoreError>;
}

/// Keeps prices and plans.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait PricingRepository: Send + Sync {
    /// All active rules, of all organizations.
    async fn price_list(&self) -> Result<PriceList, StoreError>;

    /// All active plans, cheapest first.
    async fn plans(&self) -> Result<Vec<Plan>, StoreError>;
}
