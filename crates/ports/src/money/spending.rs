//! What organizations have decided about their spending, and wallets that fell below what they named.

use async_trait::async_trait;
use domain::{
    identity::organization::Organization,
    money::spending::SpendingRules,
    shared::{id::Id, money::Money},
};

use crate::shared::store::StoreError;

/// Brings the rules of organizations to their wallets, which may be on another server. Each change of an
/// organization has a version, so that an older one never follows a newer one.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait SpendingRulesStore: Send + Sync {
    /// Organizations whose wallets do not have their rules yet, so many at the most.
    async fn unapplied(&self, limit: usize) -> Result<Vec<Id<Organization>>, StoreError>;

    /// The rules of an organization, and which version of them that is.
    async fn rules(
        &self,
        organization: Id<Organization>,
    ) -> Result<Option<(SpendingRules, i64)>, StoreError>;

    /// Writes rules to the wallet, unless it has a newer version. False if there is no wallet yet.
    async fn apply(
        &self,
        organization: Id<Organization>,
        rules: SpendingRules,
        version: i64,
    ) -> Result<bool, StoreError>;

    /// Notes that the wallet has a version.
    async fn mark_applied(
        &self,
        organization: Id<Organization>,
        version: i64,
    ) -> Result<(), StoreError>;
}

/// A wallet whose balance fell below the threshold of its organization, or rose to it again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BalanceChange {
    /// Whose wallet.
    pub organization: Id<Organization>,
    /// What it holds.
    pub balance: Money,
    /// The threshold.
    pub threshold: Money,
    /// How often it fell before.
    pub falls: i32,
}

impl BalanceChange {
    /// Whether it fell.
    pub fn is_fall(&self) -> bool {
        self.balance < self.threshold
    }
}

/// Watches the wallets of organizations that named a threshold.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait LowBalances: Send + Sync {
    /// Wallets that changed sides since somebody was told, in the order of the organizations: those
    /// after one of them, so many at the most.
    async fn changes(
        &self,
        after: Option<Id<Organization>>,
        limit: usize,
    ) -> Result<Vec<BalanceChange>, StoreError>;

    /// Notes that a change was dealt with. Nothing happens if that was noted before.
    async fn note(&self, change: &BalanceChange) -> Result<(), StoreError>;
}
