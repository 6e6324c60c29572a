//! Spending rules of organizations.
//!
//! ```
//! use domain::{identity::organization::Organization, shared::id::Id};
//! use ports::{money::spending::SpendingRulesStore, shared::store::StoreError};
//!
//! async fn has_limit(
//!     store: &dyn SpendingRulesStore,
//!     shop: Id<Organization>,
//! ) -> Result<bool, StoreError> {
//!     let found = store.rules(shop).await?;
//!     Ok(found.is_some_and(|(rules, _)| rules.daily_limit.is_some()))
//! }
//! ```

use async_trait::async_trait;
use domain::{
    identity::{organization::Organization, spending::SpendingRules},
    shared::id::Id,
};

use crate::shared::store::StoreError;

/// Copies the spending rules of organizations to their wallets, which may be on another server. Each change
/// has a version, so that an older one never overwrites a newer one.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait SpendingRulesStore: Send + Sync {
    /// Returns at most `limit` organizations whose wallets do not have their current rules yet.
    async fn unapplied(&self, limit: usize) -> Result<Vec<Id<Organization>>, StoreError>;

    /// Returns the rules of an organization and their version.
    async fn rules(
        &self,
        organization: Id<Organization>,
    ) -> Result<Option<(SpendingRules, i64)>, StoreError>;

    /// Writes rules to the wallet, unless it has a newer version. Returns false if there is no wallet yet.
    async fn apply(
        &self,
        organization: Id<Organization>,
        rules: SpendingRules,
        version: i64,
    ) -> Result<bool, StoreError>;

    /// Records that the wallet has a version.
    async fn mark_applied(
        &self,
        organization: Id<Organization>,
        version: i64,
    ) -> Result<(), StoreError>;
}
