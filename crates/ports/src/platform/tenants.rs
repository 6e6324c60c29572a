//! What platform administrators see of organizations.

use std::collections::HashMap;

use async_trait::async_trait;
use domain::{
    identity::organization::Organization,
    money::revenue::RevenueLine,
    platform::tenant::TenantFilter,
    shared::{
        id::Id,
        money::Money,
        page::{Page, Paged},
    },
};

use crate::shared::store::StoreError;

/// Looks across organizations.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait TenantRepository: Send + Sync {
    /// A page of organizations without the platform's own, newest first.
    async fn page(
        &self,
        filter: &TenantFilter,
        page: Page,
    ) -> Result<Paged<Organization>, StoreError>;

    /// How many members these organizations have. One that has none may be left out.
    async fn members(
        &self,
        organizations: &[Id<Organization>],
    ) -> Result<HashMap<Id<Organization>, u64>, StoreError>;

    /// What these organizations have in their wallets. One without a wallet is left out.
    async fn balances(
        &self,
        organizations: &[Id<Organization>],
    ) -> Result<HashMap<Id<Organization>, Money>, StoreError>;

    /// What organizations paid for messages of each month and channel, of all time.
    async fn revenue(&self) -> Result<Vec<RevenueLine>, StoreError>;

    /// What is in all wallets together.
    async fn wallet_balances(&self) -> Result<Money, StoreError>;
}
