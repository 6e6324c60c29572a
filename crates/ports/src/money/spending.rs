//! Spending rules of organizations, and alerts on low balances.

use async_trait::async_trait;
use domain::{
    identity::{organization::Organization, spending::SpendingRules},
    shared::{id::Id, money::Money},
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

/// Wallet whose balance fell below the threshold of its organization, or rose to it again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BalanceChange {
    /// Organization that owns the wallet.
    pub organization: Id<Organization>,
    /// Balance of the wallet.
    pub balance: Money,
    /// Threshold of the organization.
    pub threshold: Money,
    /// Number of earlier falls below the threshold.
    pub falls: i32,
}

impl BalanceChange {
    /// Returns true if the balance fell.
    pub fn is_fall(&self) -> bool {
        self.balance < self.threshold
    }
}

/// Watches the wallets of organizations that set a threshold.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait LowBalances: Send + Sync {
    /// Returns at most `limit` wallets that crossed their threshold since the last recorded change, in the
    /// order of the organizations, beginning after `after`.
    async fn changes(
        &self,
        after: Option<Id<Organization>>,
        limit: usize,
    ) -> Result<Vec<BalanceChange>, StoreError>;

    /// Records that a change was handled. Has no effect if it was recorded before.
    async fn note(&self, change: &BalanceChange) -> Result<(), StoreError>;
}
