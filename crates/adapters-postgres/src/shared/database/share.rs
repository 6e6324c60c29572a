//! Connections that stores for several kinds of work share.

use std::time::Duration;

use deadpool::managed::WeakPool;

use crate::shared::database::{
    config_error::ConfigError,
    connections::Connections,
    places::{Places, Unused},
    session::PgStore,
    start_options::Purpose,
    target::PgTarget,
};

/// Connections that stores for several kinds of background work share. A connection is opened with
/// the settings of its kind; when another kind needs its place, it is closed once it is unused. So
/// the stores hold no more connections together than there are places, and each statement runs
/// with the settings that it was written for. A caller waits for a place for up to half a minute.
///
/// Work must not borrow a second connection while it holds one: as many callers as there are places
/// would wait for each other.
pub struct PgShare {
    target: PgTarget,
    places: Places,
}

impl PgShare {
    /// Creates that number of places for connections to a database.
    pub fn new(target: impl Into<PgTarget>, places: usize) -> Self {
        let target = target.into();
        target.plan(places);
        Self { target, places: Places::new(places) }
    }

    /// Creates a store like [`PgStore::connect_writers`], with up to `most` of the connections.
    pub fn writers(&self, most: usize) -> Result<PgStore, ConfigError> {
        self.store(Purpose::Writers, most)
    }

    /// Creates a store like [`PgStore::connect_queues`], with up to `most` of the connections. Its
    /// leases begin with the prefix of an instance, and others free them when that dies.
    pub fn queues(&self, most: usize, lease_prefix: &str) -> Result<PgStore, ConfigError> {
        Ok(self.store(Purpose::Queues, most)?.leasing_by(lease_prefix))
    }

    /// Creates a store like [`PgStore::connect_background`], with up to `most` of the connections.
    pub fn background(&self, most: usize) -> Result<PgStore, ConfigError> {
        self.store(Purpose::Background, most)
    }

    /// Creates a store like [`PgStore::connect_maintenance`], with up to `most` of the connections.
    pub fn maintenance(&self, most: usize) -> Result<PgStore, ConfigError> {
        self.store(Purpose::Maintenance, most)
    }

    fn store(&self, purpose: Purpose, most: usize) -> Result<PgStore, ConfigError> {
        let connections = Connections::new(&self.target, purpose)?.sharing(self.places.clone());
        let store = PgStore::on(connections, most)?;
        self.places.add(Box::new(store.weak_pool()));
        Ok(store)
    }
}

impl Unused for WeakPool<Connections> {
    fn longest(&self) -> Option<Duration> {
        let mut longest: Option<Duration> = None;
        self.upgrade()?.retain(|_, metrics| {
            longest = longest.max(Some(metrics.last_used()));
            true
        });
        longest
    }

    fn close(&self, unused_for: Duration) {
        let Some(pool) = self.upgrade() else { return };
        let mut is_closed = false;
        pool.retain(|_, metrics| {
            let is_kept = is_closed || metrics.last_used() < unused_for;
            is_closed |= !is_kept;
            is_kept
        });
    }
}
