//! The prices that hold, as requests and workers know them.

use std::sync::{Arc, PoisonError, RwLock};

use chrono::{DateTime, TimeDelta, Utc};
use domain::money::pricing::{Plan, PriceList};
use ports::{
    money::pricing::PricingRepository,
    shared::{
        clock::Clock,
        signals::{Change, ChangeBroadcast},
        store::StoreError,
    },
};

use crate::shared::change_broadcaster::ChangeBroadcaster;

/// How long prices are trusted after it was looked whether they have changed.
const TRUST: TimeDelta = TimeDelta::milliseconds(800);

/// The current prices, read once and trusted until they change. Clones know the same.
#[derive(Clone)]
pub struct Prices {
    repository: Arc<dyn PricingRepository>,
    clock: Arc<dyn Clock>,
    known: Arc<RwLock<Option<Known>>>,
    change_broadcaster: ChangeBroadcaster,
}

#[derive(Clone)]
struct Known {
    /// When it was looked last whether the list is still the current one.
    seen_at: DateTime<Utc>,
    list: Arc<PriceList>,
}

impl Prices {
    /// Prices as `repository` knows them.
    pub fn new(repository: Arc<dyn PricingRepository>, clock: Arc<dyn Clock>) -> Self {
        Self {
            repository,
            clock,
            known: Arc::default(),
            change_broadcaster: ChangeBroadcaster::default(),
        }
    }

    /// Tells other instances at once what this one changes. Without that they find it by themselves.
    #[must_use]
    pub fn broadcasting(self, broadcast: Arc<dyn ChangeBroadcast>) -> Self {
        Self { change_broadcaster: ChangeBroadcaster::new(broadcast), ..self }
    }

    /// The same prices over other connections.
    #[must_use]
    pub fn through(&self, repository: Arc<dyn PricingRepository>) -> Self {
        Self { repository, ..self.clone() }
    }

    /// All active pricing rules, as they were within the last second. Older ones serve only while the
    /// store is away.
    pub async fn current(&self) -> Result<Arc<PriceList>, StoreError> {
        let now = self.clock.now();
        let known = self.known();
        if let Some(known) = &known
            && (now - known.seen_at).abs() < TRUST
        {
            return Ok(Arc::clone(&known.list));
        }
        match (self.refresh().await, known) {
            (Err(StoreError::Unavailable(_)), Some(known)) => Ok(known.list),
            (read, _) => read,
        }
    }

    /// All active plans, cheapest first.
    pub async fn plans(&self) -> Result<Vec<Plan>, StoreError> {
        self.repository.plans().await
    }

    /// Looks whether prices have changed, and reads them if so. What is known is trusted only as long as
    /// this is called several times a second.
    pub async fn follow(&self) -> Result<(), StoreError> {
        let now = self.clock.now();
        let version = self.repository.version().await?;
        match self.known() {
            Some(known) if known.list.version() >= version => {
                self.learn(Known { seen_at: now, list: known.list });
                Ok(())
            }
            _ => self.refresh().await.map(drop),
        }
    }

    /// Reads the prices that this instance has changed, and has others read them.
    pub(crate) async fn changed(&self) -> Result<(), StoreError> {
        self.change_broadcaster.broadcast(Change::Prices);
        self.refresh().await.map(drop)
    }

    async fn refresh(&self) -> Result<Arc<PriceList>, StoreError> {
        let seen_at = self.clock.now();
        let list = Arc::new(self.repository.price_list().await?);
        self.learn(Known { seen_at, list: Arc::clone(&list) });
        Ok(list)
    }

    fn known(&self) -> Option<Known> {
        self.known.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Keeps a list, unless a newer one is known: whoever read it may have begun before a change.
    fn learn(&self, seen: Known) {
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        match &*known {
            Some(known) if known.list.version() > seen.list.version() => {}
            _ => *known = Some(seen),
        }
    }
}

#[cfg(test)]
mod tests;
