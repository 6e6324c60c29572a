//! Delivery of accepted messages.
//!
//! A worker takes a leased job and performs the step that is due: `dispatch` hands the message to
//! providers, `follow_up` queries the provider that has it. `reports` applies the reports that
//! providers send on their own. The result of all three is recorded as a [`Step`].

mod being_written;
mod counters;
mod dispatch;
mod follow_up;
mod groups;
mod holding;
mod inquiry;
mod outcomes;
mod recipients;
mod reports;
mod screening;
mod sent_cache;
mod traces;
mod withdrawal;

use std::sync::Arc;

use chrono::TimeDelta;
use domain::{
    messaging::{
        attempts,
        delivery::{Delivery, DeliveryEvent, Failure, InvalidTransition, Status},
        hold::Hold,
        job::{Job, JobConcluded, Step},
        message::Message,
    },
    platform::fraud_guard::SettledMessage,
};
use ports::{
    messaging::messages::{Jobs, OwnLeases, Recorded},
    shared::{clock::Clock, random::Random, store::StoreError, traces::Tracer},
};

use self::{
    being_written::BeingWritten, counters::DeliveryCounters, follow_up::Doubt,
    screening::Screening, sent_cache::SentCache,
};
pub use self::{inquiry::Inquiry, outcomes::register_attempts, recipients::Recipients};
use crate::{
    identity::policies::Policies,
    messaging::{fraud_guard::TrafficCounter, holding::Holding},
    providers::provider_registry::Providers,
    webhooks::event_publisher::EventPublisher,
};

/// Result of the work on a job.
#[derive(Debug)]
pub enum WorkResult {
    /// Message in its current state.
    Done(Message),
    /// No provider could be called, nothing was written, and the lease still holds.
    Waiting(Job),
}

/// Progress of the work on a job.
enum Progress {
    /// The work is over for now.
    Concluded(Conclusion),
    /// The message may not be sent yet.
    Postponed(Hold),
    /// No provider can be called now.
    Waiting,
}

/// State in which a worker leaves the message of a job.
struct Conclusion {
    delivery: Delivery,
    /// Delay until the message is due again; `None` if it is not.
    due_in: Option<TimeDelta>,
    /// True if the recipient can answer over the provider that took the message.
    can_be_answered: bool,
}

/// Reason why the work on a job was interrupted.
enum Interruption {
    /// Another worker holds the lease now.
    LeaseLost,
    /// The job does not fit its message.
    Misfit(InvalidTransition),
    /// The store failed.
    Store(StoreError),
}

/// Time to wait for the permit to call a provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AdmissionWait {
    /// No wait: a worker has other jobs to do.
    None,
    /// A short wait: a request waits for the outcome.
    Brief,
}

/// Operations on accepted messages.
#[derive(Clone)]
pub struct Deliveries {
    deps: Arc<DeliveriesDeps>,
    counters: Arc<DeliveryCounters>,
    sent: Arc<SentCache>,
    being_written: Arc<BeingWritten>,
    traffic: TrafficCounter,
}

/// Dependencies of [`Deliveries`].
pub struct DeliveriesDeps {
    /// Jobs, and the record of their steps.
    pub jobs: Arc<dyn Jobs>,
    /// Leases of this process, which other processes take over when its heartbeat stops.
    pub own_leases: Arc<dyn OwnLeases>,
    /// Providers that carry messages.
    pub providers: Arc<Providers>,
    /// Stores of the state of recipients; `None` if it is neither read nor recorded.
    pub recipients: Option<Recipients>,
    /// Policies that mark the organizations whose messages are screened; `None` to screen none.
    pub policies: Option<Policies>,
    /// Reasons that hold messages back; `None` to hold none back.
    pub holding: Option<Holding>,
    /// Publisher of the status of messages to their organizations; `None` to publish nothing.
    pub publisher: Option<EventPublisher>,
    /// Source of the current time.
    pub clock: Arc<dyn Clock>,
    /// Source of chance.
    pub random: Arc<dyn Random>,
    /// Tracer of the calls of providers.
    pub tracer: Tracer,
}

impl Deliveries {
    /// Creates the operations from their dependencies.
    pub fn new(deps: DeliveriesDeps) -> Self {
        Self {
            deps: Arc::new(deps),
            counters: Arc::default(),
            sent: Arc::default(),
            being_written: Arc::default(),
            traffic: TrafficCounter::default(),
        }
    }

    /// Performs the step that is due for a leased message during a request, and returns the message
    /// afterwards. Leaves it to the workers if no provider can be called now.
    pub async fn deliver(&self, job: Job) -> Result<Message, StoreError> {
        let _active = self.counters.begin(1);
        let result = self.work(job, AdmissionWait::Brief).await?;
        self.leave_to_workers(result).await
    }

    /// Performs the step that is due for a leased message.
    async fn work(&self, mut job: Job, wait: AdmissionWait) -> Result<WorkResult, StoreError> {
        let progress = self.progress(&mut job, wait).await;
        self.finish(job, progress).await
    }

    /// Determines the step that is due for a message, and performs it.
    async fn progress(&self, job: &mut Job, wait: AdmissionWait) -> Result<Progress, Interruption> {
        let now = self.deps.clock.now();
        let delivery = &job.message.delivery;
        if delivery.status().is_final() || matches!(delivery, Delivery::Unreported { .. }) {
            // The message must not reach a provider again: its state stays and its job ends.
            return Ok(Progress::Concluded(Conclusion::of(delivery.clone())));
        }
        if attempts::end_abandoned(&mut job.message.attempts, now) {
            job.rounds = job.rounds.max(1);
            return self.follow_up(job, Doubt::Abandoned, wait).await;
        }
        if job.message.delivery.status() != Status::Queued && !job.message.is_untried() {
            return self.follow_up(job, Doubt::Overdue, wait).await;
        }
        if let Some(refusal) = job.message.refusal().cloned() {
            return self.fail(job, refusal).map(Progress::Concluded);
        }
        if let Some(at) = job.message.scheduled_at.filter(|at| now < *at)
            && job.message.is_scheduled()
        {
            // The clock by which it was released is ahead of this one.
            return Ok(Progress::Postponed(Hold::Until(at)));
        }
        if let Some(hold) = self.hold(job, now) {
            return self.hold_back(job, hold);
        }
        if now >= job.message.expires_at {
            return self.expire(job).map(Progress::Concluded);
        }
        match self.screen(job).await {
            Screening::Passed => self.dispatch(job, None, wait).await,
            Screening::Blocked(failure) => self.block(job, failure).map(Progress::Concluded),
            Screening::Unknown => Ok(Progress::Waiting),
        }
    }

    /// Fails a message that is given up.
    fn fail(&self, job: &Job, failure: Failure) -> Result<Conclusion, Interruption> {
        let event = DeliveryEvent::Rejected { at: self.deps.clock.now(), failure };
        Ok(Conclusion::of(job.message.delivery.after(event)?))
    }

    /// Records the progress of a job, and returns its message afterwards.
    async fn finish(
        &self,
        job: Job,
        progress: Result<Progress, Interruption>,
    ) -> Result<WorkResult, StoreError> {
        let Conclusion { delivery, due_in, can_be_answered } = match progress {
            Ok(Progress::Concluded(conclusion)) => conclusion,
            Ok(Progress::Waiting) => return Ok(WorkResult::Waiting(job)),
            Ok(Progress::Postponed(hold)) => return self.postpone(job, hold).await,
            Err(interruption) => return self.resolve_interruption(job.message, interruption).await,
        };
        let concluded = JobConcluded { due_in, can_be_answered, ..job.conclude(delivery) };
        let message = concluded.message.clone();
        let is_awaited = message.delivery.status() == Status::Sent && due_in.is_some();
        let writing = is_awaited.then(|| self.being_written.begin(message.id));
        let recorded = self.record(concluded).await?;
        if is_awaited && recorded == Recorded::Done {
            self.sent.remember(message.clone());
        }
        drop(writing);
        match recorded {
            Recorded::Done => Ok(WorkResult::Done(message)),
            Recorded::Stale => self.resolve_interruption(message, Interruption::LeaseLost).await,
        }
    }

    /// Returns the message of an interrupted job. Fails if the store failed.
    async fn resolve_interruption(
        &self,
        message: Message,
        interruption: Interruption,
    ) -> Result<WorkResult, StoreError> {
        match interruption {
            Interruption::LeaseLost => {
                let found = self.deps.jobs.find(message.id).await?;
                Ok(WorkResult::Done(found.unwrap_or(message)))
            }
            Interruption::Misfit(error) => {
                tracing::error!(
                    message_id = %message.id, %error, "failed to work on a job: it does not fit its message"
                );
                Ok(WorkResult::Done(message))
            }
            Interruption::Store(error) => Err(error),
        }
    }

    /// Releases the job of a message that waits for a provider, and returns the message.
    async fn leave_to_workers(&self, result: WorkResult) -> Result<Message, StoreError> {
        match result {
            WorkResult::Done(message) => Ok(message),
            WorkResult::Waiting(mut job) => {
                self.deps.jobs.release(std::slice::from_ref(&job)).await?;
                attempts::drop_planned(&mut job.message.attempts);
                Ok(job.message)
            }
        }
    }

    async fn record(&self, step: impl Into<Step>) -> Result<Recorded, StoreError> {
        let (mut step, spans) = self.trace(step.into());
        if let Some(publisher) = &self.deps.publisher {
            step = publisher.publish(step).await;
        }
        let (from, to) = (step.previous_status(), step.message().delivery.status());
        let settled = SettledMessage::of(&step);
        let recorded = self.deps.jobs.record(step).await?;
        if recorded == Recorded::Done && to != from {
            self.counters.count(from, to);
            self.deps.tracer.export(spans);
            if let Some(settled) = settled {
                self.traffic.count(settled);
            }
        }
        Ok(recorded)
    }

    /// Returns the counter of settled messages.
    pub fn traffic(&self) -> TrafficCounter {
        self.traffic.clone()
    }

    /// Number of messages being worked on.
    pub fn active(&self) -> u64 {
        self.counters.active()
    }

    /// Number of messages that providers took since the process began.
    pub fn completed(&self) -> u64 {
        self.counters.completed()
    }

    /// Number of messages that failed for good since the process began.
    pub fn failed(&self) -> u64 {
        self.counters.failed()
    }
}

impl Conclusion {
    /// Leaves the message in `delivery`, not due again.
    const fn of(delivery: Delivery) -> Self {
        Self { delivery, due_in: None, can_be_answered: false }
    }
}

impl From<InvalidTransition> for Interruption {
    fn from(error: InvalidTransition) -> Self {
        Self::Misfit(error)
    }
}

impl From<StoreError> for Interruption {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

#[cfg(test)]
mod tests;
