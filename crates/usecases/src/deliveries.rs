//! Handing messages to providers, and hearing what became of them.

mod attempts;
mod dispatch;
mod follow_up;
mod groups;
mod recent;
mod recipients;
mod report;
mod tally;

use std::sync::Arc;

use domain::{
    delivery::Status,
    job::{Job, Step},
    message::Message,
};
use ports::{
    callbacks::CallbackRepository,
    clock::Clock,
    contacts::DeviceTokens,
    messages::{Jobs, Recorded},
    random::Random,
    store::StoreError,
};

use self::{attempts::Interruption, recent::Recent, recipients::Recipients, tally::Tally};
use crate::providers::Providers;

/// What came of working on a job.
#[derive(Debug)]
pub enum Worked {
    /// The message as it stands.
    Done(Message),
    /// No provider could be called, nothing was written, and the lease still holds.
    Waiting(Job),
}

/// How far a job was brought.
enum Progress {
    /// To a step that is to be written down.
    Step(Step),
    /// Nowhere, for no provider can be called now.
    Waiting(Job),
}

/// How long to wait for the right to call a provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Patience {
    /// Not at all: a worker has other jobs to do.
    None,
    /// A moment: somebody waits for the outcome.
    Brief,
}

/// Operations on messages that were accepted.
#[derive(Clone)]
pub struct Deliveries {
    jobs: Arc<dyn Jobs>,
    providers: Arc<Providers>,
    clock: Arc<dyn Clock>,
    random: Arc<dyn Random>,
    tally: Arc<Tally>,
    recent: Arc<Recent>,
    recipients: Option<Recipients>,
}

impl Deliveries {
    /// Delivers through `providers` and writes down in `jobs`.
    pub fn new(
        jobs: Arc<dyn Jobs>,
        providers: Arc<Providers>,
        clock: Arc<dyn Clock>,
        random: Arc<dyn Random>,
    ) -> Self {
        let (tally, recent) = (Arc::default(), Arc::default());
        Self { jobs, providers, clock, random, tally, recent, recipients: None }
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

    /// Does what is due for a leased message in the course of a request, and returns it as it stands
    /// afterwards. When no provider can be called now, it is left to the workers.
    pub async fn deliver(&self, job: Job) -> Result<Message, StoreError> {
        let worked = self.work(job, Patience::Brief).await?;
        self.leave_to_workers(worked).await
    }

    pub(super) async fn work(&self, job: Job, patience: Patience) -> Result<Worked, StoreError> {
        let known = job.message.clone();
        let progress = self.step(job, patience).await;
        self.finish(known, progress).await
    }

    async fn leave_to_workers(&self, worked: Worked) -> Result<Message, StoreError> {
        match worked {
            Worked::Done(message) => Ok(message),
            Worked::Waiting(job) => {
                self.jobs.release(std::slice::from_ref(&job)).await?;
                let mut message = job.message;
                message.attempts.retain(|attempt| !attempt.is_open());
                Ok(message)
            }
        }
    }

    /// Writes down what was done for a message, and returns it as it stands afterwards.
    async fn finish(
        &self,
        known: Message,
        progress: Result<Progress, Interruption>,
    ) -> Result<Worked, StoreError> {
        let step = match progress {
            Ok(Progress::Step(step)) => step,
            Ok(Progress::Waiting(job)) => return Ok(Worked::Waiting(job)),
            Err(interruption) => return self.put_down(known, interruption).await.map(Worked::Done),
        };
        let after = step.message.clone();
        let is_awaited = after.delivery.status() == Status::Sent && step.due_in.is_some();
        match self.record(step).await? {
            Recorded::Done => {
                if is_awaited {
                    self.recent.remember(after.clone());
                }
                Ok(Worked::Done(after))
            }
            Recorded::Stale => self.put_down(after, Interruption::Lost).await.map(Worked::Done),
        }
    }

    /// The message of a job that cannot be gone on with.
    async fn put_down(
        &self,
        known: Message,
        interruption: Interruption,
    ) -> Result<Message, StoreError> {
        match interruption {
            Interruption::Lost => Ok(self.jobs.find(known.id).await?.unwrap_or(known)),
            Interruption::Misfit(error) => {
                tracing::error!(message_id = %known.id, %error, "a job does not fit its message");
                Ok(known)
            }
            Interruption::Store(error) => Err(error),
        }
    }

    async fn record(&self, step: Step) -> Result<Recorded, StoreError> {
        let (from, to) = (step.from, step.message.delivery.status());
        let recorded = self.jobs.record(step).await?;
        if recorded == Recorded::Done && to != from {
            self.tally.count(from, to);
        }
        Ok(recorded)
    }

    /// How many messages providers took since the process began.
    pub fn completed(&self) -> u64 {
        self.tally.completed()
    }

    /// How many messages failed for good since the process began.
    pub fn failed(&self) -> u64 {
        self.tally.failed()
    }
}

#[cfg(test)]
mod tests;
