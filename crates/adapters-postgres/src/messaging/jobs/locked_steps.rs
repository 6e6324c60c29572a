//! Steps of organizations with rows that another transaction has locked. They wait separately, so
//! that all others continue, and their leases are kept meanwhile: another worker would send the
//! message again.

use std::{
    collections::{BTreeMap, HashSet},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use domain::{identity::organization::Organization, messaging::job::Step, shared::id::Id};
use tokio::{
    sync::mpsc,
    time::{Instant, sleep},
};

use super::{
    update,
    writer::{PendingStep, StepWriter, one_step_each},
};
use crate::shared::task::Task;

/// Maximum number of locked steps queued before all writing waits.
const CAPACITY: usize = 4_096;
/// Interval between attempts to write them.
const PAUSE: Duration = Duration::from_millis(100);
/// Interval between renewals of their leases.
const RENEWAL: Duration = Duration::from_secs(30);

/// Queue of locked steps.
pub(super) struct LockedSteps {
    queue: mpsc::Sender<PendingStep>,
    organizations: Organizations,
}

/// Organizations whose steps wait.
type Organizations = Arc<Mutex<HashSet<Id<Organization>>>>;

impl LockedSteps {
    /// Creates an empty queue, and the task that writes its steps. The task ends when the queue is
    /// dropped and empty.
    pub(super) fn new(writer: StepWriter) -> (Self, Task) {
        let (queue, arriving) = mpsc::channel(CAPACITY);
        let organizations = Organizations::default();
        let locked = LockedStepWriter {
            writer,
            organizations: Arc::clone(&organizations),
            waiting: BTreeMap::new(),
            renewed_at: Instant::now(),
        };
        let task = Task::new("writer of locked steps", locked.run(arriving));
        (Self { queue, organizations }, task)
    }

    /// Takes the steps of organizations that already have some in the queue, and returns the rest.
    pub(super) async fn divert(&self, steps: Vec<PendingStep>) -> Vec<PendingStep> {
        let organizations = lock(&self.organizations).clone();
        if organizations.is_empty() {
            return steps;
        }
        let (locked, rest) = steps
            .into_iter()
            .partition(|pending| organizations.contains(&pending.item.message().organization));
        self.add(locked).await;
        rest
    }

    /// Adds steps that met a lock.
    pub(super) async fn add(&self, steps: Vec<PendingStep>) {
        for pending in steps {
            lock(&self.organizations).insert(pending.item.message().organization);
            // Fails only when the writer has ended; then the caller gets the error of the lost
            // reply.
            let _ = self.queue.send(pending).await;
        }
    }
}

fn lock(organizations: &Organizations) -> MutexGuard<'_, HashSet<Id<Organization>>> {
    organizations.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Writer of locked steps, organization by organization.
struct LockedStepWriter {
    writer: StepWriter,
    organizations: Organizations,
    waiting: BTreeMap<Id<Organization>, Vec<PendingStep>>,
    renewed_at: Instant,
}

impl LockedStepWriter {
    async fn run(mut self, mut arriving: mpsc::Receiver<PendingStep>) {
        loop {
            if self.waiting.is_empty() {
                let Some(pending) = arriving.recv().await else { return };
                self.keep(pending);
                self.renewed_at = Instant::now();
            }
            while let Ok(pending) = arriving.try_recv() {
                self.keep(pending);
            }
            if !self.write().await {
                sleep(PAUSE).await;
            }
            if self.renewed_at.elapsed() >= RENEWAL {
                self.renewed_at = Instant::now();
                self.renew_leases().await;
            }
        }
    }

    fn keep(&mut self, pending: PendingStep) {
        self.waiting.entry(pending.item.message().organization).or_default().push(pending);
    }

    /// Tries the steps of each organization once, and returns true if any were written.
    async fn write(&mut self) -> bool {
        let mut is_any_written = false;
        for (organization, steps) in std::mem::take(&mut self.waiting) {
            let (batch, later) = one_step_each(steps);
            let count = batch.len();
            let mut left = self.writer.write_with_fallback(batch).await;
            is_any_written |= left.len() < count;
            left.extend(later);
            if left.is_empty() {
                lock(&self.organizations).remove(&organization);
            } else {
                self.waiting.insert(organization, left);
            }
        }
        is_any_written
    }

    async fn renew_leases(&self) {
        for steps in self.waiting.values() {
            let steps: Vec<&Step> = steps
                .iter()
                .map(|pending| &pending.item)
                .filter(|step| step.lease().is_some())
                .collect();
            let renewed = async {
                let session = self.writer.store.session().await?;
                update::renew(session.pipeline(), &steps).await
            };
            if let Err(error) = renewed.await {
                tracing::warn!(%error, steps = steps.len(), "failed to renew leases");
            }
        }
    }
}
