//! Operations on the store: one read, one write and one operation on leases at a time.

use std::{collections::HashSet, future, mem, panic, sync::Arc, time::Duration};

use domain::{identity::organization::Organization, shared::id::Id};
use ports::{
    shared::store::StoreError,
    webhooks::webhook_queue::{
        DeliveryAttempt, DueDeliveries, DueRequest, EndpointChange, EndpointKey, EndpointLook,
        WebhookQueue,
    },
};
use tokio::{task::JoinSet, time::Instant};

/// Interval between looks for endpoints with due deliveries, and pause before the next part of an
/// unfinished look.
const LOOK: Duration = Duration::from_secs(1);
const NEXT_PART: Duration = Duration::from_millis(200);
/// Interval between renewals of leases: much shorter than a lease.
const RENEWAL: Duration = Duration::from_secs(180);
/// Time for which wake-ups gather before endpoints are leased for them.
const WAKE_PAUSE: Duration = Duration::from_millis(20);
/// Pause after the store failed.
const PAUSE: Duration = Duration::from_secs(1);

/// Completed operation, with its input and result.
pub(super) enum Done {
    Read(Vec<DueRequest>, Result<Vec<DueDeliveries>, StoreError>),
    Written(Vec<DeliveryAttempt>, Vec<EndpointChange>, Result<(), StoreError>),
    Looked(Result<EndpointLook, StoreError>),
    Leased(Vec<Id<Organization>>, Result<Vec<EndpointKey>, StoreError>),
    GivenBack(Vec<EndpointKey>, Result<(), StoreError>),
    Renewed(Result<(), StoreError>),
}

/// Pending operations on the store.
pub(super) struct StoreWork {
    queue: Arc<dyn WebhookQueue>,
    asked: JoinSet<Done>,
    is_reading: bool,
    is_writing: bool,
    /// True while leases are taken, renewed or given back; these operations run one after the
    /// other.
    is_leasing: bool,
    /// Endpoints to give back, and organizations whose endpoints are to be leased.
    idle: Vec<EndpointKey>,
    wanted: HashSet<Id<Organization>>,
    lease_at: Instant,
    look_at: Instant,
    renew_at: Instant,
    /// Endpoint after which the next look begins.
    passed: Option<EndpointKey>,
}

impl StoreWork {
    pub(super) fn new(queue: Arc<dyn WebhookQueue>) -> Self {
        let now = Instant::now();
        Self {
            queue,
            asked: JoinSet::new(),
            is_reading: false,
            is_writing: false,
            is_leasing: false,
            idle: Vec::new(),
            wanted: HashSet::new(),
            lease_at: now,
            look_at: now,
            renew_at: now + RENEWAL,
            passed: None,
        }
    }

    pub(super) const fn is_reading(&self) -> bool {
        self.is_reading
    }

    pub(super) const fn is_writing(&self) -> bool {
        self.is_writing
    }

    pub(super) fn read(&mut self, requests: Vec<DueRequest>) {
        self.is_reading = true;
        let queue = Arc::clone(&self.queue);
        self.asked.spawn(async move {
            let read = queue.due(&requests).await;
            Done::Read(requests, read)
        });
    }

    pub(super) fn write(&mut self, attempts: Vec<DeliveryAttempt>, changes: Vec<EndpointChange>) {
        self.is_writing = true;
        let queue = Arc::clone(&self.queue);
        self.asked.spawn(async move {
            let written = queue.record(&attempts, &changes).await;
            Done::Written(attempts, changes, written)
        });
    }

    /// Schedules a lease of the endpoints of an organization.
    pub(super) fn lease(&mut self, organization: Id<Organization>) {
        self.wanted.insert(organization);
    }

    /// Schedules the return of endpoints.
    pub(super) fn give_back(&mut self, idle: Vec<EndpointKey>) {
        self.idle.extend(idle);
    }

    /// Starts the next operation on leases. Endpoints are given back before they are leased again.
    pub(super) fn keep_leases(&mut self, now: Instant) {
        if self.is_leasing {
            return;
        }
        let queue = Arc::clone(&self.queue);
        if !self.idle.is_empty() {
            let idle = mem::take(&mut self.idle);
            self.asked.spawn(async move {
                let given = queue.give_back(&idle).await;
                Done::GivenBack(idle, given)
            });
        } else if now >= self.renew_at {
            self.renew_at = now + RENEWAL;
            self.asked.spawn(async move { Done::Renewed(queue.renew().await) });
        } else if !self.wanted.is_empty() && now >= self.lease_at {
            self.lease_at = now + WAKE_PAUSE;
            let wanted: Vec<_> = self.wanted.drain().collect();
            self.asked.spawn(async move {
                let leased = queue.lease_of(&wanted).await;
                Done::Leased(wanted, leased)
            });
        } else if now >= self.look_at {
            let after = self.passed;
            self.asked.spawn(async move { Done::Looked(queue.look(after).await) });
        } else {
            return;
        }
        self.is_leasing = true;
    }

    /// Returns the time of the next operation on leases; `None` while one is running.
    pub(super) fn next_look(&self) -> Option<Instant> {
        if self.is_leasing {
            return None;
        }
        let lease_at = Some(self.lease_at).filter(|_| !self.wanted.is_empty());
        lease_at.into_iter().chain([self.look_at]).min()
    }

    /// Waits for an operation to complete; for ever if there is none.
    pub(super) async fn done(&mut self) -> Done {
        match self.last_done().await {
            Some(done) => done,
            None => future::pending().await,
        }
    }

    /// Waits for an operation to complete; returns `None` if there is none.
    pub(super) async fn last_done(&mut self) -> Option<Done> {
        let done = match self.asked.join_next().await? {
            Ok(done) => done,
            Err(error) => match error.try_into_panic() {
                Ok(panic) => panic::resume_unwind(panic),
                Err(_) => return None,
            },
        };
        match &done {
            Done::Read(..) => self.is_reading = false,
            Done::Written(..) => self.is_writing = false,
            Done::Looked(looked) => {
                self.passed = looked.as_ref().ok().and_then(|look| look.next);
                let pause = if self.passed.is_some() { NEXT_PART } else { LOOK };
                self.look_at = Instant::now() + pause;
            }
            // The next look finds due deliveries.
            Done::Leased(_, Err(_)) => self.lease_at = Instant::now() + PAUSE,
            Done::GivenBack(..) | Done::Renewed(_) | Done::Leased(_, Ok(_)) => {}
        }
        if !matches!(done, Done::Read(..) | Done::Written(..)) {
            self.is_leasing = false;
        }
        Some(done)
    }
}
