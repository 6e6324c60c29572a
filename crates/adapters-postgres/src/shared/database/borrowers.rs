//! Borrowers of connections of a pool that shares its places with others.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use deadpool::managed::Pool;
use tokio::{sync::Notify, time::timeout};

use crate::shared::database::{connections::Connections, places::Places};

/// Time to wait for a connection in use before another is opened. Most statements are answered in a
/// fraction of it, and to open a connection costs the server as much as dozens of them.
const MAX_WAIT: Duration = Duration::from_millis(100);
/// Further time to wait if another connection would take the place of one that was just used. When an
/// instance starts, all its tasks begin, and would take the places from each other.
const MAX_WAIT_FOR_PLACE: Duration = Duration::from_millis(900);

/// Borrowers of a pool. Clones are the same borrowers.
#[derive(Clone)]
pub(crate) struct Borrowers(Arc<Shared>);

struct Shared {
    places: Places,
    /// Number of those that have a connection, or open one.
    active: AtomicUsize,
    left: Notify,
}

/// One of the borrowers. It ends when this is dropped, which is after its connection was returned.
pub(crate) struct Borrower(Borrowers);

impl Borrowers {
    /// Creates the borrowers of a pool whose connections have these places.
    pub(crate) fn new(places: Places) -> Self {
        Self(Arc::new(Shared { places, active: AtomicUsize::new(0), left: Notify::new() }))
    }

    /// Waits until a connection of the pool is unused, but not for long, and not if it has none.
    pub(crate) async fn enter(&self, pool: &Pool<Connections>) -> Borrower {
        if let Ok(borrower) = timeout(MAX_WAIT, self.find_unused(pool)).await {
            return borrower;
        }
        if !self.0.places.have_room()
            && let Ok(borrower) = timeout(MAX_WAIT_FOR_PLACE, self.find_unused(pool)).await
        {
            return borrower;
        }
        // Another connection is opened.
        self.0.active.fetch_add(1, Ordering::SeqCst);
        Borrower(self.clone())
    }

    async fn find_unused(&self, pool: &Pool<Connections>) -> Borrower {
        loop {
            let connections = pool.status().size.max(1);
            let enter = |active| (active < connections).then_some(active + 1);
            if self.0.active.fetch_update(Ordering::SeqCst, Ordering::SeqCst, enter).is_ok() {
                return Borrower(self.clone());
            }
            self.0.left.notified().await;
        }
    }
}

impl Drop for Borrower {
    fn drop(&mut self) {
        let Self(Borrowers(shared)) = self;
        shared.active.fetch_sub(1, Ordering::SeqCst);
        shared.left.notify_one();
    }
}
