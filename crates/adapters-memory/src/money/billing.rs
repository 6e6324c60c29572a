//! Wallets.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::{
    identity::organization::Organization,
    money::wallet::{Credit, Credited, Wallet},
    shared::{id::Id, money::Money},
};
use ports::{money::billing::WalletRepository, shared::store::StoreError};

use crate::shared::store::MemoryStore;

#[async_trait]
impl WalletRepository for MemoryStore {
    async fn open(
        &self,
        organization: Id<Organization>,
        credit: Money,
        now: DateTime<Utc>,
    ) -> Result<(), StoreError> {
        self.state().wallets.open(organization, credit, now);
        Ok(())
    }

    async fn credit(&self, credit: &Credit) -> Result<Credited, StoreError> {
        let credited = self.state().wallets.credit(credit);
        credited.ok_or_else(|| StoreError::Internal("the organization has no wallet".into()))
    }

    async fn find(&self, organization: Id<Organization>) -> Result<Option<Wallet>, StoreError> {
        Ok(self.state().wallets.find(organization))
    }
}
