//! Wallets, and what organizations pay.

use std::sync::Arc;

use domain::{
    identity::{caller::Caller, permission::Permission},
    money::{
        pricing::{Plan, PricingRule},
        wallet::Wallet,
    },
};
use ports::{money::billing::WalletRepository, shared::store::StoreError};

use crate::{Error, money::prices::Prices};

/// Operations on money.
#[derive(Clone)]
pub struct Billing {
    wallets: Arc<dyn WalletRepository>,
    prices: Prices,
}

/// What an organization may pay, and for what.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tariff {
    /// The pricing rules that hold for it.
    pub rules: Vec<PricingRule>,
    /// The plans on offer.
    pub plans: Vec<Plan>,
}

impl Billing {
    /// Money as `wallets` and `prices` keep it.
    pub fn new(wallets: Arc<dyn WalletRepository>, prices: Prices) -> Self {
        Self { wallets, prices }
    }

    /// The caller's wallet.
    pub async fn wallet(&self, caller: &Caller) -> Result<Wallet, Error> {
        caller.authorize(Permission::Read)?;
        let wallet = self.wallets.find(caller.organization).await?;
        wallet.ok_or_else(wallet_not_open)
    }

    /// The prices and plans that hold for the caller.
    pub async fn pricing(&self, caller: &Caller) -> Result<Tariff, Error> {
        caller.authorize(Permission::Read)?;
        let list = self.prices.current().await?;
        let rules = list.visible_to(caller.organization).into_iter().cloned().collect();
        let plans = self.prices.plans().await?;
        Ok(Tariff { rules, plans })
    }
}

/// The organization was founded a moment ago, and is still to be provisioned.
pub(crate) fn wallet_not_open() -> Error {
    StoreError::Unavailable("the wallet is not open yet".into()).into()
}

#[cfg(test)]
mod tests;
