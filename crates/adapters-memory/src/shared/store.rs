//! Store in memory.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use chrono::{DateTime, Utc};
use domain::{
    identity::organization::Organization,
    messaging::{job::Lease, message::Message},
    shared::id::Id,
};
use ports::{messaging::messages::LocalQueue, shared::clock::Clock};

use crate::shared::state::{LedgerEntry, State};

/// Store in memory, as an instance of a service sees it. Clones share everything.
///
/// It implements the ports
///
/// - `Intake`, `Jobs`, `DeliveryLogRepository` and `AnalyticsRepository`,
/// - `WalletRepository` and `PricingRepository`,
/// - `OrganizationRepository`, `TemplateRepository` and `SuppressionRepository`,
/// - `CallbackRepository`, `ProviderRegistry` and `TriggerRepository`,
/// - `WebhookSubscriptions` and `HeldCampaigns`.
///
/// [`put_contact`](Self::put_contact) adds the contacts that suppressions need. Submissions of campaigns
/// are refused as [overtaken](ports::messaging::messages::IntakeError::Overtaken), as those of a campaign
/// that is not being sent.
#[derive(Clone)]
pub struct MemoryStore {
    state: Arc<Mutex<State>>,
    clock: Arc<dyn Clock>,
    pub(crate) instance: u64,
    pub(crate) local_queue: Option<Arc<dyn LocalQueue>>,
}

impl MemoryStore {
    /// Creates an empty store, as instance 1 sees it.
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        Self { state: Arc::default(), clock, instance: 1, local_queue: None }
    }

    /// Returns the same store as another instance sees it, which leases jobs in its own name.
    #[must_use]
    pub fn instance(&self, number: u64) -> Self {
        Self { instance: number, local_queue: None, ..self.clone() }
    }

    /// Returns the same store with a queue that takes newly accepted jobs over for the workers of this
    /// instance. Without a queue, such jobs wait to be claimed. The queue is called while the store is
    /// locked, so it must not call the store.
    #[must_use]
    pub fn with_local_queue(self, queue: Arc<dyn LocalQueue>) -> Self {
        Self { local_queue: Some(queue), ..self }
    }

    /// Releases the jobs that a dead instance has leased, for others to take over. Returns their number.
    pub fn release_instance(&self, number: u64) -> usize {
        let now = self.now();
        self.state().jobs.release_instance(number, now)
    }

    /// Returns the movements of an organization's wallet, oldest first. Their sum is its balance.
    pub fn ledger(&self, organization: Id<Organization>) -> Vec<LedgerEntry> {
        self.state().wallets.entries(organization).cloned().collect()
    }

    /// Returns all messages, in the order of their identifiers.
    pub fn messages(&self) -> Vec<Message> {
        self.state().messages.all().cloned().collect()
    }

    /// Returns the messages that have a job, in order of acceptance, each with the time at which it is due,
    /// if any, and true if an instance holds it.
    pub fn jobs(&self) -> Vec<(Id<Message>, Option<DateTime<Utc>>, bool)> {
        let state = self.state();
        state.jobs.all().map(|job| (job.message, job.due_at, job.lease.is_held())).collect()
    }

    /// Returns the lease under which an instance holds a message, and its end.
    pub fn lease(&self, message: Id<Message>) -> Option<(Lease, DateTime<Utc>)> {
        let state = self.state();
        let job = state.jobs.find(message).filter(|job| job.lease.is_held())?;
        Some((job.lease, job.due_at?))
    }

    pub(crate) fn now(&self) -> DateTime<Utc> {
        self.clock.now()
    }

    /// Locks the data. The guard must not be held across an `await`.
    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests;
