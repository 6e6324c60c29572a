//! Cached current prices, for requests and workers.

use std::sync::{Arc, PoisonError, RwLock};

use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use domain::money::pricing::{Plan, PriceList};
use ports::{
    money::pricing::PricingRepository,
    shared::{
        changes::Changes,
        clock::Clock,
        signals::{Change, ChangeBroadcast},
        store::StoreError,
    },
};

use crate::shared::change_follower::FollowedCache;

/// Validity of cached prices after the last check for changes.
const MAX_AGE: TimeDelta = TimeDelta::milliseconds(800);

/// Current prices, read once and cached until they change. Clones share the cache.
#[derive(Clone)]
pub struct Prices {
    repository: Arc<dyn PricingRepository>,
    clock: Arc<dyn Clock>,
    known: Arc<RwLock<Option<CachedList>>>,
    change_broadcaster: Arc<dyn ChangeBroadcast>,
}

#[derive(Clone)]
struct CachedList {
    /// Time of the last check that the list is current.
    seen_at: DateTime<Utc>,
    list: Arc<PriceList>,
}

impl Prices {
    /// Creates the cache over `repository`. Changes of this instance are broadcast to others.
    pub fn new(
        repository: Arc<dyn PricingRepository>,
        clock: Arc<dyn Clock>,
        change_broadcaster: Arc<dyn ChangeBroadcast>,
    ) -> Self {
        Self { repository, clock, known: Arc::default(), change_broadcaster }
    }

    /// Returns the same prices over other connections, on which the follower of changes rereads them
    /// without waiting for requests.
    #[must_use]
    pub fn through(&self, repository: Arc<dyn PricingRepository>) -> Self {
        Self { repository, ..self.clone() }
    }

    /// Returns all active pricing rules, at most a second old. Older ones are used only while the store
    /// is unavailable.
    pub async fn current(&self) -> Result<Arc<PriceList>, StoreError> {
        let now = self.clock.now();
        let known = self.known();
        if let Some(known) = &known
            && (now - known.seen_at).abs() < MAX_AGE
        {
            return Ok(Arc::clone(&known.list));
        }
        match (self.refresh().await, known) {
            (Err(StoreError::Unavailable(_)), Some(known)) => Ok(known.list),
            (read, _) => read,
        }
    }

    /// Returns all active plans, cheapest first.
    pub async fn plans(&self) -> Result<Vec<Plan>, StoreError> {
        self.repository.plans().await
    }

    /// Rereads the prices after a change by this instance, and broadcasts the change.
    pub(crate) async fn changed(&self) -> Result<(), StoreError> {
        self.change_broadcaster.broadcast(Change::Prices);
        self.refresh().await.map(drop)
    }

    async fn refresh(&self) -> Result<Arc<PriceList>, StoreError> {
        let seen_at = self.clock.now();
        let list = Arc::new(self.repository.price_list().await?);
        self.learn(CachedList { seen_at, list: Arc::clone(&list) });
        Ok(list)
    }

    fn known(&self) -> Option<CachedList> {
        self.known.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Caches a list unless a newer one is cached: the read may have begun before a change.
    fn learn(&self, seen: CachedList) {
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        match &*known {
            Some(known) if known.list.version() > seen.list.version() => {}
            _ => *known = Some(seen),
        }
    }
}

#[async_trait]
impl FollowedCache for Prices {
    fn kind(&self) -> Change {
        Change::Prices
    }

    async fn apply(&self, changes: &Changes, read_at: DateTime<Utc>) -> Result<(), StoreError> {
        match self.known() {
            Some(known) if changes.are_none() => {
                self.learn(CachedList { seen_at: read_at, list: known.list });
                Ok(())
            }
            _ => self.refresh().await.map(drop),
        }
    }
}

#[cfg(test)]
mod tests;
