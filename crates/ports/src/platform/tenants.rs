//! Organizations as platform administrators see them.
//!
//! ```
//! use domain::{identity::organization::Organization, shared::id::Id};
//! use ports::{platform::tenants::TenantRepository, shared::store::StoreError};
//!
//! async fn members(
//!     tenants: &dyn TenantRepository,
//!     shop: Id<Organization>,
//! ) -> Result<u64, StoreError> {
//!     let members = tenants.members(&[shop]).await?;
//!     Ok(members.get(&shop).copied().unwrap_or_default())
//! }
//! ```

use std::collections::HashMap;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::{
    identity::organization::Organization,
    money::revenue::RevenueLine,
    platform::{activity::Activity, tenant::TenantFilter},
    shared::{
        id::Id,
        money::Money,
        page::{Page, Paged},
    },
};

use crate::shared::store::StoreError;

/// Reads data of all organizations.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait TenantRepository: Send + Sync {
    /// Returns a page of organizations without the platform's own, newest first.
    async fn page(
        &self,
        filter: &TenantFilter,
        page: Page,
    ) -> Result<Paged<Organization>, StoreError>;

    /// Returns the number of members of each of these organizations. Organizations without members may be
    /// left out.
    async fn members(
        &self,
        organizations: &[Id<Organization>],
    ) -> Result<HashMap<Id<Organization>, u64>, StoreError>;

    /// Returns the wallet balances of these organizations. Organizations without a wallet are left out.
    async fn balances(
        &self,
        organizations: &[Id<Organization>],
    ) -> Result<HashMap<Id<Organization>, Money>, StoreError>;

    /// Returns the revenue from messages of all time, by day and channel.
    async fn revenue(&self) -> Result<Vec<RevenueLine>, StoreError>;

    /// Returns the sum of all wallet balances.
    async fn wallet_balances(&self) -> Result<Money, StoreError>;

    /// Returns the traffic and the payments of all organizations, from stored counts.
    async fn activity(&self, now: DateTime<Utc>) -> Result<Activity, StoreError>;
}
