//! Defects, to show that they are found.

use adapters_memory::MemoryStore;
use async_trait::async_trait;
use domain::{
    messaging::{
        job::{AttemptBegun, Job, JobConcluded, JobPostponed, Step},
        message::Message,
    },
    money::wallet::{Credit, LedgerKind},
    shared::{id::Id, money::Money},
};
use ports::{
    messaging::messages::{ClaimLimits, Intake, IntakeError, Jobs, Receipt, Recorded, Submission},
    money::billing::WalletRepository,
    shared::{clock::Clock, store::StoreError},
};

use crate::virtual_clock::VirtualClock;

/// Promise that a store, or a process, does not keep.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Defect {
    /// The store accepts a step under any lease.
    LeasesUnchecked,
    /// The store refunds a failed message twice.
    RefundsTwice,
    /// The store sometimes reports an acceptance that it did not store.
    AcceptanceLost,
    /// The process never considers that others have taken over its leases. Its worlds stop
    /// processes instead of making other disturbances.
    LeasesTrusted,
}

/// Store with a defect, or without one.
#[derive(Clone)]
pub(crate) struct Defective {
    pub(crate) store: MemoryStore,
    pub(crate) clock: VirtualClock,
    pub(crate) defect: Option<Defect>,
}

impl Defective {
    /// Returns the step as if it was made under the valid lease.
    fn under_any_lease(&self, step: Step) -> Step {
        let Some((lease, _)) = self.store.lease(step.message().id) else { return step };
        match step {
            Step::AttemptBegun(begun) => AttemptBegun { lease, ..begun }.into(),
            Step::JobConcluded(concluded) => JobConcluded { lease, ..concluded }.into(),
            Step::JobPostponed(postponed) => JobPostponed { lease, ..postponed }.into(),
            Step::ReportApplied(applied) => applied.into(),
        }
    }

    async fn refund_again(&self, message: &Message, amount: Money) -> Result<(), StoreError> {
        let credit = Credit {
            id: Id::new_in(self.clock.now(), message.organization),
            organization: message.organization,
            kind: LedgerKind::MessageRefund,
            amount,
            reference: message.id.to_string(),
            at: self.clock.now(),
        };
        self.store.credit(&credit).await.map(drop)
    }
}

#[async_trait]
impl Intake for Defective {
    async fn accept(&self, submission: Submission) -> Result<Receipt, IntakeError> {
        let is_unlucky = self.clock.now().timestamp_subsec_millis().is_multiple_of(10);
        if self.defect != Some(Defect::AcceptanceLost) || !is_unlucky {
            return self.store.accept(submission).await;
        }
        let forgetful = MemoryStore::new(std::sync::Arc::new(self.clock));
        forgetful.open(submission.organization, Money::from_cedis(1_000), self.clock.now()).await?;
        forgetful.accept(submission).await
    }
}

#[async_trait]
impl Jobs for Defective {
    async fn claim(&self, limits: &ClaimLimits) -> Result<Vec<Job>, StoreError> {
        self.store.claim(limits).await
    }

    async fn record(&self, step: Step) -> Result<Recorded, StoreError> {
        let refund = step.refund();
        let message = step.message().clone();
        let recorded = if self.defect == Some(Defect::LeasesUnchecked) {
            self.store.record(self.under_any_lease(step)).await?
        } else {
            self.store.record(step).await?
        };
        if self.defect == Some(Defect::RefundsTwice)
            && recorded == Recorded::Done
            && refund > Money::ZERO
        {
            self.refund_again(&message, refund).await?;
        }
        Ok(recorded)
    }

    async fn release(&self, jobs: &[Job]) -> Result<(), StoreError> {
        self.store.release(jobs).await
    }

    async fn find(&self, id: Id<Message>) -> Result<Option<Message>, StoreError> {
        Jobs::find(&self.store, id).await
    }
}
