//! Steps of organizations with rows that another transaction has locked. They wait separately, so
//! that all others continue, and their leases are kept meanwhile: another worker would send the
//! message again.

use std::time::Duration;

use async_trait::async_trait;
use domain::{identity::organization::Organization, messaging::job::Step, shared::id::Id};
use tokio::time::Instant;

use super::{
    update,
    writer::{PendingStep, StepWriter, by_organization, one_step_each},
};
use crate::{
    messaging::waiting_room::{Expiring, Retrier, WaitingRoom},
    shared::task::Task,
};

/// Interval between renewals of the leases of locked steps.
const RENEWAL: Duration = Duration::from_secs(30);

/// Sender to the waiting room of locked steps.
pub(super) struct LockedSteps(WaitingRoom<LockedStepWriter>);

impl LockedSteps {
    /// Creates the sender, and the task that writes the waiting steps. The task ends when the
    /// sender is dropped and the room is empty.
    pub(super) fn new(writer: StepWriter) -> (Self, Task) {
        let writer = StepWriter { kept: writer.kept.without_more(), ..writer };
        let retrier = LockedStepWriter { writer, renewed_at: None };
        let (room, task) = WaitingRoom::new("writer of locked steps", retrier);
        (Self(room), task)
    }

    /// Takes the steps of organizations that already have some in the room, and returns the rest.
    pub(super) async fn divert(&self, steps: Vec<PendingStep>) -> Vec<PendingStep> {
        let (locked, rest) = self.0.divert(steps);
        self.add(locked).await;
        rest
    }

    /// Adds steps that met a lock. Without room, all writing waits.
    pub(super) async fn add(&self, steps: Vec<PendingStep>) {
        for pending in steps {
            self.0.add(pending).await;
        }
    }
}

/// Writer of locked steps, organization by organization.
struct LockedStepWriter {
    writer: StepWriter,
    /// `None` while no step waits.
    renewed_at: Option<Instant>,
}

#[async_trait]
impl Retrier for LockedStepWriter {
    type Entry = PendingStep;

    const CAPACITY: usize = 4_096;
    const TIMEOUT: Option<Duration> = None;
    const PAUSE: Duration = Duration::from_millis(100);

    fn organization(pending: &PendingStep) -> Id<Organization> {
        pending.item.message().organization
    }

    fn batches(steps: Vec<PendingStep>) -> Vec<Vec<PendingStep>> {
        by_organization(steps)
    }

    async fn retry(&mut self, steps: Vec<PendingStep>) -> Vec<PendingStep> {
        // The leases of steps that have just come are still long enough.
        self.renewed_at.get_or_insert_with(Instant::now);
        let (batch, later) = one_step_each(steps);
        let mut left = self.writer.write_with_fallback(batch).await;
        left.extend(later);
        left
    }

    async fn help(&mut self, waiting: &[Expiring<PendingStep>]) -> bool {
        if waiting.is_empty() {
            self.renewed_at = None;
        } else if self.renewed_at.is_some_and(|at| at.elapsed() >= RENEWAL) {
            self.renewed_at = Some(Instant::now());
            self.renew_leases(waiting).await;
        }
        false
    }
}

impl LockedStepWriter {
    async fn renew_leases(&self, waiting: &[Expiring<PendingStep>]) {
        let is_same = |one: &Expiring<PendingStep>, other: &Expiring<PendingStep>| {
            Self::organization(&one.entry) == Self::organization(&other.entry)
        };
        for steps in waiting.chunk_by(is_same) {
            let steps: Vec<&Step> = steps
                .iter()
                .map(|it| &it.entry.item)
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
