//! Who tells other instances what this one has changed.

use std::sync::Arc;

use ports::shared::signals::{Change, ChangeBroadcast};

/// Tells other instances of changes, if there is anybody to tell.
#[derive(Clone, Default)]
pub(crate) struct ChangeBroadcaster(Option<Arc<dyn ChangeBroadcast>>);

impl ChangeBroadcaster {
    pub(crate) fn new(broadcast: Arc<dyn ChangeBroadcast>) -> Self {
        Self(Some(broadcast))
    }

    /// Tells them to look at the store, in which the change is by now.
    pub(crate) fn broadcast(&self, change: Change) {
        if let Some(broadcast) = &self.0 {
            broadcast.broadcast(change);
        }
    }
}
