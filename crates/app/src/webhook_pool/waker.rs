//! What tells that there is something to tell.

use std::{
    collections::HashSet,
    sync::{Mutex, MutexGuard, PoisonError},
};

use domain::{identity::organization::Organization, shared::id::Id};
use ports::webhooks::calls::WebhookWakeup;
use tokio::sync::Notify;

/// Wakes the pool of this instance for organizations.
#[derive(Debug, Default)]
pub struct WebhookWaker {
    rings: Notify,
    organizations: Mutex<HashSet<Id<Organization>>>,
    /// Those for whom another instance has rung, because it could not lease their endpoints.
    held: Mutex<HashSet<Id<Organization>>>,
}

impl WebhookWaker {
    /// Waits until it rings.
    pub(super) async fn woken(&self) {
        self.rings.notified().await;
    }

    /// For whom it has rung.
    pub(super) fn take(&self) -> Vec<Id<Organization>> {
        self.organizations().drain().collect()
    }

    /// For whom another instance has rung.
    pub(super) fn take_held(&self) -> Vec<Id<Organization>> {
        self.held().drain().collect()
    }

    /// Rings for an organization, if this instance has its endpoints.
    pub fn wake_held(&self, organization: Id<Organization>) {
        if self.held().insert(organization) {
            self.rings.notify_one();
        }
    }

    fn held(&self) -> MutexGuard<'_, HashSet<Id<Organization>>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn organizations(&self) -> MutexGuard<'_, HashSet<Id<Organization>>> {
        self.organizations.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl WebhookWakeup for WebhookWaker {
    fn wake(&self, organization: Id<Organization>) {
        if self.organizations().insert(organization) {
            self.rings.notify_one();
        }
    }
}
