//! Wake-ups of the webhook pool, and deliveries handed over to it.

use std::{
    collections::HashSet,
    mem,
    sync::{Mutex, MutexGuard, PoisonError},
};

use domain::{identity::organization::Organization, shared::id::Id};
use ports::webhooks::{
    calls::WebhookWakeup,
    webhook_queue::{FreshDeliveries, FreshDelivery},
};
use tokio::sync::Notify;

/// Maximum number of deliveries that wait for the pool. The rest is read.
const MOST_FRESH: usize = 4_096;
/// Maximum size of their data, in bytes: a mail may have a long text.
const MOST_FRESH_BYTES: usize = 16 << 20;

/// Waker of this instance's pool for organizations.
#[derive(Debug, Default)]
pub struct WebhookWaker {
    wakeups: Notify,
    woken: Mutex<Woken>,
}

/// Wake-ups since the pool last took them.
#[derive(Debug, Default)]
pub(super) struct Woken {
    /// Deliveries that this instance has just written. They come before the wake-ups.
    pub(super) fresh: Vec<FreshDelivery>,
    /// Size of their data, in bytes.
    fresh_bytes: usize,
    /// True once there was no room for one. Those that follow may come after it, and are read as well.
    is_full: bool,
    /// Organizations woken by this instance.
    pub(super) organizations: HashSet<Id<Organization>>,
    /// Organizations for which another instance sent a wake-up, because it could not lease their
    /// endpoints.
    pub(super) held: HashSet<Id<Organization>>,
}

impl WebhookWaker {
    /// Waits for a wake-up.
    pub(super) async fn woken(&self) {
        self.wakeups.notified().await;
    }

    /// Takes what has gathered.
    pub(super) fn take(&self) -> Woken {
        mem::take(&mut *self.gathered())
    }

    /// Wakes the pool for an organization, if this instance has leased its endpoints.
    pub fn wake_held(&self, organization: Id<Organization>) {
        if self.gathered().held.insert(organization) {
            self.wakeups.notify_one();
        }
    }

    fn gathered(&self) -> MutexGuard<'_, Woken> {
        self.woken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl WebhookWakeup for WebhookWaker {
    fn wake(&self, organization: Id<Organization>) {
        if self.gathered().organizations.insert(organization) {
            self.wakeups.notify_one();
        }
    }
}

impl FreshDeliveries for WebhookWaker {
    fn hand_over(&self, written: Vec<FreshDelivery>) {
        let mut gathered = self.gathered();
        for fresh in written {
            gathered.add(fresh);
        }
        drop(gathered);
        self.wakeups.notify_one();
    }
}

impl Woken {
    /// Adds a delivery, or wakes its organization if there is no room.
    fn add(&mut self, fresh: FreshDelivery) {
        let bytes = self.fresh_bytes + fresh.delivery.event.data.len();
        self.is_full |= self.fresh.len() == MOST_FRESH || bytes > MOST_FRESH_BYTES;
        if self.is_full {
            self.organizations.insert(fresh.key.organization);
        } else {
            self.fresh_bytes = bytes;
            self.fresh.push(fresh);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use chrono::DateTime;
    use domain::{shared::webhook_event::WebhookEvent, webhooks::outbound_event::OutboundEvent};
    use ports::webhooks::webhook_queue::{DueDelivery, EndpointKey};

    use super::*;

    fn fresh() -> FreshDelivery {
        fresh_of("{}".to_owned())
    }

    fn fresh_of(data: String) -> FreshDelivery {
        let at = DateTime::UNIX_EPOCH;
        let organization = Id::new(at);
        let event = OutboundEvent {
            id: Id::new_in(at, organization),
            organization,
            event: WebhookEvent::WalletLow,
            subject: organization.uuid(),
            data,
            at,
        };
        FreshDelivery {
            key: EndpointKey { organization, endpoint: Id::new_in(at, organization) },
            delivery: DueDelivery { event: Arc::new(event), attempts: 0, due_at: at, trace: None },
            is_first: true,
        }
    }

    #[test]
    fn deliveries_beyond_the_room_wake_their_organizations() {
        let (waker, last) = (WebhookWaker::default(), fresh());

        waker.hand_over(vec![fresh(); MOST_FRESH]);
        waker.hand_over(vec![last.clone()]);

        let woken = waker.take();
        assert_eq!(woken.fresh.len(), MOST_FRESH);
        assert_eq!(woken.organizations, HashSet::from([last.key.organization]));
        assert!(waker.take().fresh.is_empty());
    }

    #[test]
    fn nothing_overtakes_a_delivery_that_is_too_large() {
        let waker = WebhookWaker::default();

        waker.hand_over(vec![fresh_of("x".repeat(MOST_FRESH_BYTES + 1)), fresh()]);

        let woken = waker.take();
        assert!(woken.fresh.is_empty());
        assert_eq!(woken.organizations.len(), 2);
        waker.hand_over(vec![fresh()]);
        assert_eq!(waker.take().fresh.len(), 1, "there is room again");
    }
}
