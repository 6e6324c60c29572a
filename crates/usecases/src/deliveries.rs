//! Handing messages to providers, and hearing what became of them.

mod attempts;
mod groups;
mod recent;
mod recipients;
mod tally;

use std::sync::Arc;

use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    delivery::{Delivery, DeliveryEvent, Failure, FailureCode, Status},
    job::{Job, Step},
    message::Message,
    provider::{LookUp, Outcome, Report},
    retry,
    round::{Conclusion, Round},
};
use ports::{
    callbacks::CallbackRepository,
    clock::Clock,
    contacts::DeviceTokens,
    messages::{Jobs, Recorded},
    providers::{MessagingProvider, ReportSink},
    random::Random,
    store::StoreError,
};

use self::{
    attempts::{Interruption, end_abandoned, end_attempt, holder, observe},
    groups::Head,
    recent::Recent,
    recipients::Recipients,
    tally::Tally,
};
use crate::providers::{Providers, Stop};

/// How long a round may begin further attempts.
const ROUND: TimeDelta = TimeDelta::seconds(60);
/// How often a report is decided anew when the message moves on meanwhile.
const REPORT_TRIES: usize = 3;

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
                tracing::error!(message = %known.id, %error, "a job does not fit its message");
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

    async fn step(&self, mut job: Job) -> Result<Step, Interruption> {
        if !job.is_fresh && end_abandoned(&mut job.message, self.clock.now()) {
            return self.follow_up(job).await;
        }
        match &job.message.delivery {
            Delivery::Queued { .. } => match job.message.refusal().cloned() {
                Some(refusal) => self.fail(job, refusal),
                None => self.round(job, None).await,
            },
            Delivery::Pending { .. } | Delivery::Sent { .. } => self.follow_up(job).await,
            // Nothing follows a final state, and no provider may hear of the message again: the
            // step changes nothing, and ends the job.
            last @ (Delivery::Delivered { .. } | Delivery::Failed { .. }) => {
                let delivery = last.clone();
                Ok(job.step(delivery))
            }
        }
    }

    fn fail(&self, job: Job, failure: Failure) -> Result<Step, Interruption> {
        let event = DeliveryEvent::Rejected { at: self.clock.now(), failure };
        let delivery = job.message.delivery.after(event)?;
        Ok(job.step(delivery))
    }

    /// Tries the routes of a message, one after the other. `head` is what came of the first if the
    /// message was already handed over.
    async fn round(&self, mut job: Job, mut head: Option<Head<'_>>) -> Result<Step, Interruption> {
        let began = self.clock.now();
        let category = job.message.draft.category;
        let mut round = Round::begin(category, job.message.created_at, job.rounds + 1);
        let mut conclusion = None;
        for stop in self.stops(&job.message, head.as_ref(), began) {
            let now = self.clock.now();
            if now - began > ROUND {
                break;
            }
            let outcome = match head.take() {
                Some(head) => head.outcome,
                None => match self.attempt(&mut job, stop, now).await? {
                    Some(outcome) => outcome,
                    None => continue,
                },
            };
            let now = self.clock.now();
            if let Outcome::Rejected(failure) = &outcome {
                self.heed(&job.message, failure).await;
            }
            observe(&job.message, &outcome, stop.name);
            end_attempt(&mut job.message, now, &outcome);
            conclusion = round.hear(outcome);
            if conclusion.is_some() {
                break;
            }
        }

        let now = self.clock.now();
        if self.providers.serve(&job.message.draft, job.message.is_sandbox) {
            round.expect(Failure::new(
                FailureCode::ProviderUnavailable,
                "every provider for this recipient is out of order",
            ));
        }
        let conclusion = conclusion.unwrap_or_else(|| round.end(now, self.random.fraction()));
        self.conclude(job, conclusion)
    }

    /// The providers to try for a message, the one that it was already handed to first: whatever is
    /// thought of that by now, it may have the message.
    fn stops<'s>(
        &'s self,
        message: &Message,
        head: Option<&Head<'s>>,
        now: DateTime<Utc>,
    ) -> Vec<Stop<'s>> {
        let mut stops = self.providers.route(message, now);
        if let Some(head) = head {
            stops.retain(|stop| stop.name != head.stop.name);
            stops.insert(0, head.stop);
        }
        stops
    }

    /// Hands a message to a provider, unless its vendor would certainly not take it now. None if that
    /// is not to be tried after all.
    async fn attempt(
        &self,
        job: &mut Job,
        stop: Stop<'_>,
        now: DateTime<Utc>,
    ) -> Result<Option<Outcome>, Interruption> {
        let Stop { name, is_probe } = stop;
        let Some(adapter) = self.providers.adapter(name) else { return Ok(None) };
        if let Some(failure) = self.closed_session(&job.message, name, adapter, now).await? {
            self.begin_attempt(job, name, now).await?;
            return Ok(Some(Outcome::Rejected(failure)));
        }
        let standings = self.providers.standings();
        if is_probe && !standings.begin_probe(name, now).await {
            return Ok(None);
        }
        self.begin_attempt(job, name, now).await?;
        let outcome = adapter.send(&job.message).await;
        standings.hear(stop, &outcome, self.clock.now()).await;
        Ok(Some(outcome))
    }

    /// Why the vendor would not take the message now, if it takes free texts only for a while after
    /// the recipient wrote.
    async fn closed_session(
        &self,
        message: &Message,
        provider: &str,
        adapter: &Arc<dyn MessagingProvider>,
        now: DateTime<Utc>,
    ) -> Result<Option<Failure>, StoreError> {
        let Some(recipients) = &self.recipients else { return Ok(None) };
        let Some(window) = adapter.session_window() else { return Ok(None) };
        if message.draft.vendor_template.is_some() {
            return Ok(None);
        }
        let heard = recipients.callbacks.last_heard(provider, &message.draft.recipient).await?;
        let is_open = heard.is_some_and(|at| now - at < window);
        let failure = || {
            let hours = window.num_hours();
            let reason = format!("the recipient has not written within {hours} hours");
            Failure::new(FailureCode::SessionWindowClosed, reason)
        };
        Ok((!is_open).then(failure))
    }

    fn conclude(&self, mut job: Job, conclusion: Conclusion) -> Result<Step, Interruption> {
        // One that was foreseen and never began.
        job.message.attempts.retain(|attempt| !attempt.is_open());
        let holder = holder(&job.message.attempts).map(|attempt| attempt.provider.clone());
        let patience = self.providers.patience(holder.as_deref().unwrap_or_default());
        let (delivery, due_in) =
            conclusion.apply(&job.message.delivery, self.clock.now(), patience)?;
        let adapter = holder.as_deref().and_then(|name| self.providers.adapter(name));
        let minds = self.recipients.is_some();
        let can_be_answered = minds && adapter.is_some_and(|adapter| adapter.can_be_answered());
        let mut step = job.step(delivery);
        step.message.provider = holder.or(step.message.provider);
        Ok(Step { rounds: step.rounds + 1, can_be_answered, due_in, ..step })
    }

    /// Asks the provider that has, or may have, the message. When it does not know of a message
    /// that is in doubt, the next round begins.
    async fn follow_up(&self, job: Job) -> Result<Step, Interruption> {
        let name = holder(&job.message.attempts).map(|attempt| attempt.provider.clone());
        let name = name.or_else(|| job.message.provider.clone()).unwrap_or_default();
        let answer = match self.providers.adapter(&name) {
            Some(adapter) => adapter.look_up(&job.message).await,
            None => LookUp::Unavailable,
        };
        let word = match answer {
            LookUp::Found(event) => Some(event),
            // Who knows of a message has taken it.
            LookUp::Waiting => Some(DeliveryEvent::Accepted { at: self.clock.now() }),
            LookUp::NotFound | LookUp::Unavailable => None,
        };
        let before = &job.message.delivery;
        let delivery = match (word.and_then(|event| before.after_report(event).ok()), before) {
            (Some(after), _) => after,
            (None, Delivery::Sent { .. }) => before.clone(),
            (None, _) => return self.round_in_doubt(job).await,
        };
        let due_in = self.next_follow_up(&delivery, &name);
        if let Some(failure) = delivery.failure() {
            self.heed(&job.message, failure).await;
        }
        if delivery.status() == Status::Sent && due_in.is_none() {
            let hours = retry::MAX_FOLLOW_UP.num_hours();
            let reason = format!("the provider did not report within {hours} hours");
            return self.fail(job, Failure::new(FailureCode::NoReport, reason));
        }
        let mut step = job.step(delivery);
        step.message.provider.get_or_insert(name);
        Ok(Step { due_in, ..step })
    }

    /// Begins the next round of a message that may be on its way, or gives it up after the last.
    async fn round_in_doubt(&self, job: Job) -> Result<Step, Interruption> {
        let (accepted_at, now) = (job.message.created_at, self.clock.now());
        if retry::back_off(job.rounds, accepted_at, now, None, 0).is_some() {
            return self.round(job, None).await;
        }
        let doubt = job.message.delivery.failure().cloned().unwrap_or_else(|| {
            Failure::new(FailureCode::UnknownOutcome, "no provider gave a clear answer")
        });
        self.fail(job, doubt)
    }

    fn next_follow_up(&self, delivery: &Delivery, provider: &str) -> Option<TimeDelta> {
        let Delivery::Sent { at } = delivery else { return None };
        retry::follow_up(*at, self.clock.now(), self.providers.patience(provider))
    }

    /// Takes a provider's report in. One that is late, repeated or of an unknown message changes
    /// nothing, and is no error.
    pub async fn report(&self, report: Report) -> Result<(), StoreError> {
        let mut remembered = self.recent.take(report.message);
        for _ in 0..REPORT_TRIES {
            let message = match remembered.take() {
                Some(message) => Some(message),
                None => self.jobs.find(report.message).await?,
            };
            let Some(message) = message else {
                tracing::info!(message = %report.message, "a report of an unknown message");
                return Ok(());
            };
            let Ok(delivery) = message.delivery.after_report(report.event.clone()) else {
                return Ok(());
            };
            if let Some(failure) = delivery.failure() {
                self.heed(&message, failure).await;
            }
            let provider = message.provider.as_deref().unwrap_or_default();
            let due_in = self.next_follow_up(&delivery, provider);
            let step = Step {
                from: message.delivery.status(),
                message: Message { delivery, ..message },
                lease: None,
                rounds: 0,
                keeps_lease: false,
                can_be_answered: false,
                due_in,
            };
            if self.record(step).await? == Recorded::Done {
                return Ok(());
            }
        }
        Ok(())
    }
}

/// Takes reports in by [`Deliveries::report`].
#[async_trait]
impl ReportSink for Deliveries {
    async fn report(&self, report: Report) {
        if let Err(error) = Self::report(self, report).await {
            tracing::warn!(%error, "a report could not be written; the provider will be asked");
        }
    }
}

#[cfg(test)]
mod tests;
