//! Handing messages to providers, and hearing what became of them.

mod attempts;
mod groups;

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    delivery::{Delivery, DeliveryEvent, Failure, FailureCode, Status},
    job::{Job, Step},
    message::Message,
    provider::{Attempt, LookUp, Outcome, Report},
    retry,
    round::{Conclusion, Round},
};
use ports::{
    callbacks::CallbackRepository,
    clock::Clock,
    messages::{Jobs, Recorded},
    providers::{MessagingProvider, ReportSink},
    random::Random,
    store::StoreError,
};

use self::{
    attempts::{Interruption, end_abandoned, end_attempt, holder, observe},
    groups::Head,
};
use crate::providers::{Providers, Stop};

/// How long a round may begin further attempts: a lease outlives it by the slowest provider's
/// time-out, so that two workers never have the same message.
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
    recipients: Option<Arc<dyn CallbackRepository>>,
}

/// What came of messages since the process began.
#[derive(Default)]
struct Tally {
    completed: AtomicU64,
    failed: AtomicU64,
}

impl Deliveries {
    /// Delivers through `providers` and writes down in `jobs`.
    pub fn new(
        jobs: Arc<dyn Jobs>,
        providers: Arc<Providers>,
        clock: Arc<dyn Clock>,
        random: Arc<dyn Random>,
    ) -> Self {
        Self { jobs, providers, clock, random, tally: Arc::default(), recipients: None }
    }

    /// The same operations, with regard to what recipients told us: when they last wrote, and that
    /// they do not want our messages.
    #[must_use]
    pub fn minding(self, recipients: Arc<dyn CallbackRepository>) -> Self {
        Self { recipients: Some(recipients), ..self }
    }

    /// Does what is due for a leased message, and returns it as it stands afterwards.
    pub async fn deliver(&self, job: Job) -> Result<Message, StoreError> {
        self.deliver_after(job, None).await
    }

    /// Goes on with a message that was, perhaps, already handed to its first provider.
    async fn deliver_after(&self, job: Job, head: Option<Head<'_>>) -> Result<Message, StoreError> {
        let id = job.message.id;
        let before = job.message.clone();
        let recorded = match self.step(job, head).await {
            Ok(step) => {
                let after = step.message.clone();
                self.record(step).await.map(|recorded| (recorded, after))
            }
            Err(Interruption::Store(error)) => Err(error),
            Err(Interruption::Lost) => Ok((Recorded::TooLate, before)),
            Err(Interruption::Misfit(error)) => {
                tracing::error!(message = %id, %error, "a job does not fit its message");
                Ok((Recorded::Done, before))
            }
        };
        match recorded? {
            (Recorded::Done, after) => Ok(after),
            (Recorded::TooLate, known) => Ok(self.jobs.find(id).await?.unwrap_or(known)),
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
        self.tally.completed.load(Ordering::Relaxed)
    }

    /// How many messages failed for good since the process began.
    pub fn failed(&self) -> u64 {
        self.tally.failed.load(Ordering::Relaxed)
    }

    async fn step(&self, mut job: Job, head: Option<Head<'_>>) -> Result<Step, Interruption> {
        if !job.is_fresh && end_abandoned(&mut job.message, self.clock.now()) {
            return self.follow_up(job).await;
        }
        match &job.message.delivery {
            Delivery::Queued { .. } => match job.message.refusal().cloned() {
                Some(refusal) => self.fail(job, refusal),
                None => self.round(job, head).await,
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

    /// Tries the routes of a message, one after the other.
    async fn round(&self, mut job: Job, mut head: Option<Head<'_>>) -> Result<Step, Interruption> {
        let began = self.clock.now();
        let category = job.message.draft.category;
        let mut round = Round::begin(category, job.message.created_at, job.rounds + 1);
        let mut conclusion = None;
        for Stop { name, is_probe } in self.providers.route(&job.message, began) {
            let Some(adapter) = self.providers.adapter(name) else { continue };
            let now = self.clock.now();
            if now - began > ROUND {
                break;
            }
            let standings = self.providers.standings();
            if is_probe && !standings.begin_probe(name, now).await {
                continue;
            }
            self.begin_attempt(&mut job, name, now).await?;
            let known = head.take().filter(|head| head.provider == name);
            let outcome = match known {
                Some(head) => head.outcome,
                None => self.hand_over(&job.message, name, adapter, now).await?,
            };
            let now = self.clock.now();
            self.heed_opt_out(&job.message, &outcome, now).await;
            standings.hear(name, &outcome, now).await;
            observe(&job.message, &outcome, name);
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

    async fn hand_over(
        &self,
        message: &Message,
        provider: &str,
        adapter: &Arc<dyn MessagingProvider>,
        now: DateTime<Utc>,
    ) -> Result<Outcome, StoreError> {
        Ok(match self.closed_session(message, provider, adapter, now).await? {
            Some(failure) => Outcome::Rejected(failure),
            None => adapter.send(message).await,
        })
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
        let heard = recipients.last_heard(provider, &message.draft.recipient).await?;
        let is_open = heard.is_some_and(|at| now - at < window);
        let failure = || {
            let hours = window.num_hours();
            let reason = format!("the recipient has not written within {hours} hours");
            Failure::new(FailureCode::SessionWindowClosed, reason)
        };
        Ok((!is_open).then(failure))
    }

    /// Suppresses a recipient of whom the vendor says that they do not want our messages.
    async fn heed_opt_out(&self, message: &Message, outcome: &Outcome, now: DateTime<Utc>) {
        let (Outcome::Rejected(failure), Some(recipients)) = (outcome, &self.recipients) else {
            return;
        };
        if failure.code != FailureCode::RecipientOptedOut {
            return;
        }
        let (draft, organization) = (&message.draft, message.organization);
        let suppressed = recipients.suppress(organization, draft.channel, &draft.recipient, now);
        if let Err(error) = suppressed.await {
            tracing::warn!(%error, message = %message.id, "an opt-out could not be kept");
        }
    }

    /// Keeps an attempt before it begins. The first one was kept when the message was accepted, if
    /// it goes to the provider that was foreseen.
    async fn begin_attempt(
        &self,
        job: &mut Job,
        provider: &str,
        now: DateTime<Utc>,
    ) -> Result<(), Interruption> {
        let attempts = &mut job.message.attempts;
        if job.is_fresh && attempts.last().is_some_and(|it| it.is_open() && it.provider == provider)
        {
            return Ok(());
        }
        attempts.retain(|attempt| !attempt.is_open());
        attempts.push(Attempt::start(provider, now));
        let dispatched = job.message.delivery.after(DeliveryEvent::Dispatched)?;
        let step = Step { keeps_lease: true, ..job.clone().step(dispatched.clone()) };
        match self.record(step).await? {
            Recorded::Done => {
                job.message.delivery = dispatched;
                Ok(())
            }
            Recorded::TooLate => Err(Interruption::Lost),
        }
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
        for _ in 0..REPORT_TRIES {
            let Some(message) = self.jobs.find(report.message).await? else {
                tracing::info!(message = %report.message, "a report of an unknown message");
                return Ok(());
            };
            let Ok(delivery) = message.delivery.after_report(report.event.clone()) else {
                return Ok(());
            };
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

impl Tally {
    fn count(&self, from: Status, to: Status) {
        match (from, to) {
            (_, Status::Failed) => self.failed.fetch_add(1, Ordering::Relaxed),
            (Status::Queued | Status::Pending, Status::Sent | Status::Delivered) => {
                self.completed.fetch_add(1, Ordering::Relaxed)
            }
            _ => 0,
        };
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
