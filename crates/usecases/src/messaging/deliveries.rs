//! Delivering messages that were accepted.
//!
//! A worker takes a leased job and does what is due for it: `dispatch` hands the message to
//! providers, `follow_up` asks the provider that has it. `reports` takes in what providers tell on
//! their own. What comes of all three is written down as a [`Step`].

mod counters;
mod dispatch;
mod follow_up;
mod groups;
mod holding;
mod outcomes;
mod recipients;
mod reports;
mod screening;
mod sent_cache;

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
    audience::contacts::DeviceTokens,
    messaging::{
        callbacks::CallbackRepository,
        messages::{Jobs, OwnLeases, Recorded},
    },
    shared::{clock::Clock, random::Random, store::StoreError},
};

use self::{
    counters::DeliveryCounters, follow_up::Doubt, recipients::Recipients, screening::Screening,
    sent_cache::SentCache,
};
use crate::{
    identity::policies::Policies, messaging::holding::Holding, platform::traffic::TrafficCounter,
    providers::provider_registry::Providers, webhooks::event_publisher::EventPublisher,
};

/// What came of working on a job.
#[derive(Debug)]
pub enum WorkResult {
    /// The message as it stands.
    Done(Message),
    /// No provider could be called, nothing was written, and the lease still holds.
    Waiting(Job),
}

/// How far a job was brought.
enum Progress {
    /// The work is over for now.
    Concluded(Conclusion),
    /// It may not go yet.
    Postponed(Hold),
    /// No provider can be called now.
    Waiting,
}

/// How a worker leaves the message of a job.
struct Conclusion {
    delivery: Delivery,
    /// When it is due again, if ever.
    due_in: Option<TimeDelta>,
    /// Whether the recipient can answer over the provider that took it.
    can_be_answered: bool,
}

/// Why the work on a job was given up.
enum Interruption {
    /// Another worker has it now.
    LeaseLost,
    /// The job does not fit its message.
    Misfit(InvalidTransition),
    /// The store failed.
    Store(StoreError),
}

/// How long to wait for the right to call a provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AdmissionWait {
    /// Not at all: a worker has other jobs to do.
    None,
    /// A moment: somebody waits for the outcome.
    Brief,
}

/// Operations on messages that were accepted.
#[derive(Clone)]
pub struct Deliveries {
    jobs: Arc<dyn Jobs>,
    own_leases: Option<Arc<dyn OwnLeases>>,
    providers: Arc<Providers>,
    clock: Arc<dyn Clock>,
    random: Arc<dyn Random>,
    counters: Arc<DeliveryCounters>,
    sent: Arc<SentCache>,
    recipients: Option<Recipients>,
    policies: Option<Policies>,
    holding: Option<Holding>,
    telling: Option<EventPublisher>,
    traffic: TrafficCounter,
}

impl Deliveries {
    /// Delivers through `providers` and writes down in `jobs`.
    pub fn new(
        jobs: Arc<dyn Jobs>,
        providers: Arc<Providers>,
        clock: Arc<dyn Clock>,
        random: Arc<dyn Random>,
    ) -> Self {
        Self {
            jobs,
            own_leases: None,
            providers,
            clock,
            random,
            counters: Arc::default(),
            sent: Arc::default(),
            recipients: None,
            policies: None,
            holding: None,
            telling: None,
            traffic: TrafficCounter::default(),
        }
    }

    /// The same operations, by a process whose leases others take over when it shows no sign of life.
    #[must_use]
    pub fn with_own_leases(self, own_leases: Arc<dyn OwnLeases>) -> Self {
        Self { own_leases: Some(own_leases), ..self }
    }

    /// The same operations, with regard to what is known of recipients: when they last wrote, that
    /// they do not want our messages, and that a device is gone.
    #[must_use]
    pub fn with_recipient_state(
        self,
        callbacks: Arc<dyn CallbackRepository>,
        devices: Arc<dyn DeviceTokens>,
    ) -> Self {
        Self { recipients: Some(Recipients { callbacks, devices }), ..self }
    }

    /// The same operations, with regard to the organizations that are screened.
    #[must_use]
    pub fn screening(self, policies: Policies) -> Self {
        Self { policies: Some(policies), ..self }
    }

    /// The same operations, with regard to what keeps messages from going now.
    #[must_use]
    pub fn holding_back(self, holding: Holding) -> Self {
        Self { holding: Some(holding), ..self }
    }

    /// The same operations, which organizations are told of.
    #[must_use]
    pub fn telling(self, telling: EventPublisher) -> Self {
        Self { telling: Some(telling), ..self }
    }

    /// Does what is due for a leased message in the course of a request, and returns it as it stands
    /// afterwards. When no provider can be called now, it is left to the workers.
    pub async fn deliver(&self, job: Job) -> Result<Message, StoreError> {
        let _active = self.counters.begin(1);
        let result = self.work(job, AdmissionWait::Brief).await?;
        self.leave_to_workers(result).await
    }

    /// Does what is due for a leased message.
    async fn work(&self, mut job: Job, wait: AdmissionWait) -> Result<WorkResult, StoreError> {
        let progress = self.progress(&mut job, wait).await;
        self.finish(job, progress).await
    }

    /// Finds out what is due for a message, and does it.
    async fn progress(&self, job: &mut Job, wait: AdmissionWait) -> Result<Progress, Interruption> {
        let now = self.clock.now();
        let delivery = &job.message.delivery;
        if delivery.status().is_final() || matches!(delivery, Delivery::Unreported { .. }) {
            // No provider may hear of the message again. Its state stays, and its job ends.
            return Ok(Progress::Concluded(Conclusion::of(delivery.clone())));
        }
        if attempts::end_abandoned(&mut job.message.attempts, now) {
            job.rounds = job.rounds.max(1);
            return self.follow_up(job, Doubt::Abandoned, wait).await;
        }
        if job.message.delivery.status() != Status::Queued {
            return self.follow_up(job, Doubt::Overdue, wait).await;
        }
        if let Some(refusal) = job.message.refusal().cloned() {
            return self.fail(job, refusal).map(Progress::Concluded);
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

    /// The end of a message that is given up.
    fn fail(&self, job: &Job, failure: Failure) -> Result<Conclusion, Interruption> {
        let event = DeliveryEvent::Rejected { at: self.clock.now(), failure };
        Ok(Conclusion::of(job.message.delivery.after(event)?))
    }

    /// Writes down what was done for a message, and returns it as it stands afterwards.
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
        match self.record(concluded).await? {
            Recorded::Done => {
                if is_awaited {
                    self.sent.remember(message.clone());
                }
                Ok(WorkResult::Done(message))
            }
            Recorded::Stale => self.resolve_interruption(message, Interruption::LeaseLost).await,
        }
    }

    /// The message of a job that cannot be gone on with.
    async fn resolve_interruption(
        &self,
        message: Message,
        interruption: Interruption,
    ) -> Result<WorkResult, StoreError> {
        match interruption {
            Interruption::LeaseLost => {
                let found = self.jobs.find(message.id).await?;
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

    /// Gives the job of a message that waits for a provider back, and returns the message.
    async fn leave_to_workers(&self, result: WorkResult) -> Result<Message, StoreError> {
        match result {
            WorkResult::Done(message) => Ok(message),
            WorkResult::Waiting(mut job) => {
                self.jobs.release(std::slice::from_ref(&job)).await?;
                attempts::drop_planned(&mut job.message.attempts);
                Ok(job.message)
            }
        }
    }

    async fn record(&self, step: impl Into<Step>) -> Result<Recorded, StoreError> {
        let mut step = step.into();
        if let Some(telling) = &self.telling {
            step = telling.tell(step).await;
        }
        let (from, to) = (step.previous_status(), step.message().delivery.status());
        let told = step.told().map(|told| told.organization);
        let settled = SettledMessage::of(&step);
        let recorded = self.jobs.record(step).await?;
        if recorded == Recorded::Done && to != from {
            self.counters.count(from, to);
            if let Some(settled) = settled {
                self.traffic.count(settled);
            }
            if let (Some(telling), Some(organization)) = (&self.telling, told) {
                telling.written(organization);
            }
        }
        Ok(recorded)
    }

    /// What was counted of where messages arrived.
    pub fn traffic(&self) -> TrafficCounter {
        self.traffic.clone()
    }

    /// How many messages are being worked on.
    pub fn active(&self) -> u64 {
        self.counters.active()
    }

    /// How many messages providers took since the process began.
    pub fn completed(&self) -> u64 {
        self.counters.completed()
    }

    /// How many messages failed for good since the process began.
    pub fn failed(&self) -> u64 {
        self.counters.failed()
    }
}

impl Conclusion {
    /// The message is in `delivery`, and not due again.
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
