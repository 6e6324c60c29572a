//! Task that keeps the caches of this instance current.

use std::{sync::Arc, time::Duration};

use tokio::sync::Mutex;
use usecases::shared::change_follower::ChangeFollower;

use crate::{
    background::{Task, Turn, then_idle},
    service::{stores::BackgroundStores, wiring::Wiring},
};

/// Interval between reads of the log of changes if no signal comes.
const CHANGES: Duration = Duration::from_millis(300);

pub(super) fn tasks(wiring: &Wiring, stores: &BackgroundStores) -> Vec<Task> {
    let follower = Arc::new(Mutex::new(wiring.follower(&stores.changes)));
    let signals = Arc::clone(&wiring.core.signals);
    vec![
        // While it fails, each use of most caches looks data up, so that its pauses do not grow.
        Task::every("changes of cached data", CHANGES, follower, follow_changes)
            .retry_steadily()
            .woken_by(signals, |signals, limit| async move { signals.changes(limit).await }),
    ]
}

/// Hands what other instances have changed to the caches.
async fn follow_changes(follower: Arc<Mutex<ChangeFollower>>) -> Turn {
    then_idle(follower.lock().await.follow().await)
}
