//! Wallets.
//!
//! ```
//! use domain::{
//!     identity::organization::Organization,
//!     shared::{id::Id, money::Money},
//! };
//! use ports::{money::billing::WalletRepository, shared::store::StoreError};
//!
//! async fn balance(
//!     wallets: &dyn WalletRepository,
//!     shop: Id<Organization>,
//! ) -> Result<Option<Money>, StoreError> {
//!     let found = wallets.find(shop).await?;
//!     Ok(found.map(|wallet| wallet.balance))
//! }
//! ```

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::{
    identity::organization::Organization,
    money::wallet::{Credit, Credited, Wallet},
    shared::{id::Id, money::Money},
};

use crate::shared::store::StoreError;

/// Opens and reads wallets. Messages are paid for in [`crate::messaging::messages`].
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait WalletRepository: Send + Sync {
    /// Opens the wallet of a new organization with a trial credit. If it is open already, nothing
    /// changes.
    async fn open(
        &self,
        organization: Id<Organization>,
        credit: Money,
        now: DateTime<Utc>,
    ) -> Result<(), StoreError>;

    /// Credits a wallet, unless it was credited for the same reference before. Fails if there is no wallet.
    /// Credits that belong to another change are part of that change's transaction.
    async fn credit(&self, credit: &Credit) -> Result<Credited, StoreError>;

    /// Finds the wallet of an organization. A new one has none until it is provisioned.
    async fn find(&self, organization: Id<Organization>) -> Result<Option<Wallet>, StoreError>;
}
