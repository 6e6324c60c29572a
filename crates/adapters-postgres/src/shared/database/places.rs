//! Places for connections: pools that share them open no more connections together than there are
//! places.

use std::{
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Time without use after which a connection may make room for the second one of another pool.
const IDLE: Duration = Duration::from_secs(1);

/// Places for the connections of several pools. Clones are the same places.
#[derive(Clone)]
pub(crate) struct Places(Arc<Shared>);

struct Shared {
    free: Arc<Semaphore>,
    /// Number of callers that wait for a place.
    waiting: AtomicUsize,
    pools: Mutex<Vec<Box<dyn Unused>>>,
}

/// Unused connections of a pool.
pub(crate) trait Unused: Send + Sync {
    /// Returns the time for which the one that was used the longest time ago is unused; `None` if
    /// all are in use.
    fn longest(&self) -> Option<Duration>;

    /// Closes one that was unused for at least this time, if there still is one.
    fn close(&self, unused_for: Duration);
}

/// Place of a connection. It is free once this is dropped.
pub(crate) struct Place {
    places: Places,
    _occupied: OwnedSemaphorePermit,
}

impl Place {
    /// Returns all places of which it is one.
    pub(crate) fn places(&self) -> Places {
        self.places.clone()
    }
}

impl Places {
    /// Creates that number of free places.
    pub(crate) fn new(number: usize) -> Self {
        Self(Arc::new(Shared {
            free: Arc::new(Semaphore::new(number)),
            waiting: AtomicUsize::new(0),
            pools: Mutex::default(),
        }))
    }

    /// Adds a pool whose unused connections are closed when another needs their place.
    pub(crate) fn add(&self, pool: Box<dyn Unused>) {
        self.0.pools.lock().unwrap_or_else(PoisonError::into_inner).push(pool);
    }

    /// Waits for a free place, after closing an unused connection if there is none. Returns `None` if
    /// the places have ended, which they never do.
    pub(crate) async fn take(&self) -> Option<Place> {
        let occupied = match Arc::clone(&self.0.free).try_acquire_owned() {
            Ok(occupied) => occupied,
            Err(_) => {
                // Counted first: a connection that is returned from here on is closed by whoever
                // returns it.
                let _waiting = Waiting::begin(&self.0.waiting);
                self.close_unused();
                Arc::clone(&self.0.free).acquire_owned().await.ok()?
            }
        };
        Some(Place { places: self.clone(), _occupied: occupied })
    }

    /// True if a place is free, or has a connection that was not used of late.
    pub(crate) fn have_room(&self) -> bool {
        let pools = self.0.pools.lock().unwrap_or_else(PoisonError::into_inner);
        let longest = pools.iter().filter_map(|pool| pool.longest()).max();
        self.0.free.available_permits() > 0 || longest.is_some_and(|time| time > IDLE)
    }

    /// Closes an unused connection if somebody waits for a place.
    pub(crate) fn make_room(&self) {
        if self.0.waiting.load(Ordering::SeqCst) > 0 {
            self.close_unused();
        }
    }

    /// Closes the connection that was used the longest time ago, if one is unused.
    fn close_unused(&self) {
        let pools = self.0.pools.lock().unwrap_or_else(PoisonError::into_inner);
        let unused = pools.iter().filter_map(|pool| Some((pool.longest()?, pool)));
        if let Some((time, pool)) = unused.max_by_key(|(time, _)| *time) {
            pool.close(time);
        }
    }
}

/// Caller that waits for a place. Its end, also by cancellation, is counted.
struct Waiting<'w>(&'w AtomicUsize);

impl<'w> Waiting<'w> {
    fn begin(waiting: &'w AtomicUsize) -> Self {
        waiting.fetch_add(1, Ordering::SeqCst);
        Self(waiting)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}
