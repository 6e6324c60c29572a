//! Wake-ups of the webhook pool.

use std::{
    collections::HashSet,
    sync::{Mutex, MutexGuard, PoisonError},
};

use domain::{identity::organization::Organization, shared::id::Id};
use ports::webhooks::calls::WebhookWakeup;
use tokio::sync::Notify;

/// Waker of this instance's pool for organizations.
#[derive(Debug, Default)]
pub struct WebhookWaker {
    wakeups: Notify,
    organizations: Mutex<HashSet<Id<Organization>>>,
    /// Organizations for which another instance sent a wake-up, because it could not lease their
    /// endpoints.
    held: Mutex<HashSet<Id<Organization>>>,
}

impl WebhookWaker {
    /// Waits for a wake-up.
    pub(super) async fn woken(&self) {
        self.wakeups.notified().await;
    }

    /// Takes the organizations woken by this instance.
    pub(super) fn take(&self) -> Vec<Id<Organization>> {
        self.organizations().drain().collect()
    }

    /// Takes the organizations woken by other instances.
    pub(super) fn take_held(&self) -> Vec<Id<Organization>> {
        self.held().drain().collect()
    }

    /// Wakes the pool for an organization, if this instance has leased its endpoints.
    pub fn wake_held(&self, organization: Id<Organization>) {
        if self.held().insert(organization) {
            self.wakeups.notify_one();
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
            self.wakeups.notify_one();
        }
    }
}
