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
    pub fn minding(
        self,
        callbacks: Arc<dyn CallbackRepository>,
        devices: Arc<dyn DeviceTokens>,
    ) -> Self {
        Self { recipients: Some(Recipients { callbacks, devices }), ..self }
    }

    /// Does what is due for a leased message, and returns it as it stands afterwards.
    pub async fn deliver(&self, job: Job) -> Result<Message, StoreError> {
        let known = job.message.clone();
        let step = self.step(job).await;
        self.finish(known, step).await
    }

    /// Writes down what was done for a message, and returns it as it stands afterwards.
    async fn finish(
        &self,
        known: Message,
        step: Result<Step, Interruption>,
    ) -> Result<Message, StoreError> {
        let step = match step {
            Ok(step) => step,
            Err(interruption) => return self.put_down(known, interruption).await,
        };
        let after = step.message.clone();
        let is_awaited = after.delivery.status() == Status::Sent && step.due_in.is_some();
        match self.record(step).await? {
            Recorded::Done => {
                if is_awaited {
                    self.recent.remember(after.clone());
                }
                Ok(after)
            }
            Recorded::TooLate => self.put_down(after, Interruption::Lost).await,
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
