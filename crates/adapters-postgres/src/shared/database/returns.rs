//! Returns of connections to a pool that shares its places with others.

use std::{sync::Arc, time::Duration};

use deadpool::managed::{Pool, Status};
use tokio::{sync::Notify, time::timeout};

use crate::shared::database::connections::Connections;

/// Time to wait for a connection in use before another is opened. Most statements are answered in a
/// fraction of it, and to open a connection costs the server as much as dozens of them.
const MAX_WAIT: Duration = Duration::from_millis(100);

/// Signal that a connection was returned. Clones are the same signal.
#[derive(Clone, Default)]
pub(crate) struct Returns(Arc<Notify>);

impl Returns {
    /// Notes that a connection was returned.
    pub(crate) fn note(&self) {
        self.0.notify_one();
    }

    /// Waits until a connection of the pool is unused, but not for long, and not if it has none.
    pub(crate) async fn wait(&self, pool: &Pool<Connections>) {
        let returned = async {
            while are_all_in_use(&pool.status()) {
                self.0.notified().await;
            }
        };
        // Afterwards another one is opened.
        let _ = timeout(MAX_WAIT, returned).await;
    }
}

fn are_all_in_use(status: &Status) -> bool {
    status.size > 0 && status.available == 0
}
