//! Broadcast of changes to other instances.

use std::sync::Arc;

use ports::shared::signals::{Change, ChangeBroadcast};

/// Broadcaster of changes; it does nothing without other instances.
#[derive(Clone, Default)]
pub(crate) struct ChangeBroadcaster(Option<Arc<dyn ChangeBroadcast>>);

impl ChangeBroadcaster {
    pub(crate) fn new(broadcast: Arc<dyn ChangeBroadcast>) -> Self {
        Self(Some(broadcast))
    }

    /// Broadcasts a change that is already in the store, so that other instances reread it.
    pub(crate) fn broadcast(&self, change: Change) {
        if let Some(broadcast) = &self.0 {
            broadcast.broadcast(change);
        }
    }
}
