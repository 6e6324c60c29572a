//! Wallets and prices.

use std::sync::{Arc, PoisonError, RwLock};

use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    caller::Caller,
    permission::Permission,
    pricing::{Plan, PriceList, PricingRule},
    wallet::Wallet,
};
use ports::{
    billing::{PricingRepository, WalletRepository},
    clock::Clock,
    store::StoreError,
};

use crate::Error;

/// How long prices are remembered before they are read again.
const PRICES_LAST: TimeDelta = TimeDelta::seconds(10);

/// The current prices, remembered for ten seconds.
#[derive(Clone)]
pub struct Prices {
    repository: Arc<dyn PricingRepository>,
    clock: Arc<dyn Clock>,
    known: Arc<RwLock<Option<Known>>>,
}

#[derive(Clone)]
struct Known {
    read_at: DateTime<Utc>,
    list: Arc<PriceList>,
}

impl Prices {
    /// Prices as `repository` knows them.
    pub fn new(repository: Arc<dyn PricingRepository>, clock: Arc<dyn Clock>) -> Self {
        Self { repository, clock, known: Arc::default() }
    }

    /// All active pricing rules. Older ones than of ten seconds ago serve only while the store is
    /// away.
    pub async fn current(&self) -> Result<Arc<PriceList>, StoreError> {
        let now = self.clock.now();
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some(known) = &known
            && now - known.read_at < PRICES_LAST
        {
            return Ok(Arc::clone(&known.list));
        }
        match (self.repository.price_list().await, known) {
            (Ok(list), _) => {
                let list = Arc::new(list);
                let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
                *known = Some(Known { read_at: now, list: Arc::clone(&list) });
                Ok(list)
            }
            (Err(StoreError::Unavailable(_)), Some(known)) => Ok(known.list),
            (Err(error), _) => Err(error),
        }
    }
}

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
    /// The plans it can book.
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
        let plans = self.prices.repository.plans().await?;
        Ok(Tariff { rules, plans })
    }
}

/// The organization was founded a moment ago, and is still to be provisioned.
pub(crate) fn wallet_not_open() -> Error {
    StoreError::Unavailable("the wallet is not open yet".into()).into()
}

#[cfg(test)]
mod tests;
