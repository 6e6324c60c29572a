//! Wallets and prices of organizations.

use std::sync::Arc;

use derive_more::Constructor;
use domain::{
    identity::{caller::Caller, permission::Permission},
    money::{
        pricing::{Plan, PricingRule},
        wallet::Wallet,
    },
};
use ports::money::billing::WalletRepository;

use crate::{Error, money::prices::Prices, shared::refusals::wallet_not_open};

/// Operations on wallets and prices.
#[derive(Clone, Constructor)]
pub struct Billing {
    wallets: Arc<dyn WalletRepository>,
    prices: Prices,
}

/// Prices and plans for an organization.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tariff {
    /// Pricing rules that apply to the organization.
    pub rules: Vec<PricingRule>,
    /// Active plans.
    pub plans: Vec<Plan>,
}

impl Billing {
    /// Returns the caller's wallet.
    pub async fn wallet(&self, caller: &Caller) -> Result<Wallet, Error> {
        caller.authorize(Permission::Read)?;
        let wallet = self.wallets.find(caller.organization).await?;
        wallet.ok_or_else(wallet_not_open)
    }

    /// Returns the prices and plans that apply to the caller.
    pub async fn pricing(&self, caller: &Caller) -> Result<Tariff, Error> {
        caller.authorize(Permission::Read)?;
        let list = self.prices.current().await?;
        let rules = list.visible_to(caller.organization).into_iter().cloned().collect();
        let plans = self.prices.plans().await?;
        Ok(Tariff { rules, plans })
    }
}
