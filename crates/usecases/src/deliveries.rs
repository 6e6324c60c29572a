//! Handing messages to providers, and hearing what became of them.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use async_trait::async_trait;
use chrono::TimeDelta;
use domain::{
    delivery::{Delivery, DeliveryEvent, Failure, FailureCode, InvalidTransition, Status},
    job::{Job, Step},
    message::Message,
    provider::{Attempt, AttemptOutcome, LookUp, Outcome, Report},
    retry,
    round::{Conclusion, Round},
};
use ports::{
    clock::Clock,
    messages::{Jobs, Recorded},
    providers::ReportSink,
    random::Random,
    store::StoreError,
};

use crate::providers::Providers;

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
        Self { jobs, providers, clock, random, tally: Arc::default() }
    }

    /// Does what is due for a leased message, and returns it as it stands afterwards.
    pub async fn deliver(&self, job: Job) -> Result<Message, StoreError> {
        let before = job.message.clone();
        match self.step(job).await {
            Ok(step) => {
                let after = step.message.clone();
                match self.record(step).await? {
                    Recorded::Done => Ok(after),
                    Recorded::TooLate => Ok(self.jobs.find(before.id).await?.unwrap_or(before)),
                }
            }
            Err(error) => {
                tracing::error!(message = %before.id, %error, "a job does not fit its message");
                Ok(before)
            }
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

    async fn step(&self, job: Job) -> Result<Step, InvalidTransition> {
        match &job.message.delivery {
            Delivery::Queued { .. } => match job.message.refusal().cloned() {
                Some(refusal) => self.fail(job, refusal),
                None => self.round(job).await,
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

    fn fail(&self, job: Job, failure: Failure) -> Result<Step, InvalidTransition> {
        let event = DeliveryEvent::Rejected { at: self.clock.now(), failure };
        let delivery = job.message.delivery.after(event)?;
        Ok(job.step(delivery))
    }

    /// Tries the routes of a message, one after the other.
    async fn round(&self, job: Job) -> Result<Step, InvalidTransition> {
        let message = &job.message;
        let began = self.clock.now();
        let mut round = Round::begin(message.draft.category, message.created_at, job.rounds + 1);
        let mut attempts = Vec::new();
        let mut conclusion = None;
        for name in self.providers.route(message) {
            let Some(adapter) = self.providers.adapter(name) else { continue };
            let started_at = self.clock.now();
            if started_at - began > ROUND {
                break;
            }
            let outcome = adapter.send(message).await;
            attempts.push(Attempt::record(name, started_at, self.clock.now(), &outcome));
            observe(message, &outcome, name);
            conclusion = round.hear(outcome);
            if conclusion.is_some() {
                break;
            }
        }

        let now = self.clock.now();
        let conclusion = conclusion.unwrap_or_else(|| round.end(now, self.random.fraction()));
        self.conclude(job, attempts, conclusion)
    }

    fn conclude(
        &self,
        job: Job,
        attempts: Vec<Attempt>,
        conclusion: Conclusion,
    ) -> Result<Step, InvalidTransition> {
        let holder = holder(&attempts).map(|attempt| attempt.provider.clone());
        let patience = self.providers.patience(holder.as_deref().unwrap_or_default());
        let (delivery, due_in) =
            conclusion.apply(&job.message.delivery, self.clock.now(), patience)?;
        let mut step = job.step(delivery);
        step.message.provider = holder.or(step.message.provider);
        step.message.attempts.extend(attempts.iter().cloned());
        Ok(Step { rounds: step.rounds + 1, attempts, due_in, ..step })
    }

    /// Asks the provider that has, or may have, the message. When it does not know of a message
    /// that is in doubt, the next round begins.
    async fn follow_up(&self, job: Job) -> Result<Step, InvalidTransition> {
        let name = job.message.provider.clone().unwrap_or_default();
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
        Ok(Step { due_in, ..job.step(delivery) })
    }

    /// Begins the next round of a message that may be on its way, or gives it up after the last.
    async fn round_in_doubt(&self, job: Job) -> Result<Step, InvalidTransition> {
        let (accepted_at, now) = (job.message.created_at, self.clock.now());
        if retry::back_off(job.rounds, accepted_at, now, None, 0).is_some() {
            return self.round(job).await;
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
                attempts: Vec::new(),
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

/// The attempt at which the message was, or may have been, taken; failing that, the last.
fn holder(attempts: &[Attempt]) -> Option<&Attempt> {
    let keeps = |attempt: &&Attempt| {
        matches!(attempt.outcome, AttemptOutcome::Accepted | AttemptOutcome::Unknown)
    };
    attempts.iter().rfind(keeps).or(attempts.last())
}

fn observe(message: &Message, outcome: &Outcome, provider: &str) {
    let (kind, failure) = match outcome {
        Outcome::Accepted { .. } => ("accepted", None),
        Outcome::Rejected(failure) => ("rejected", Some(failure)),
        Outcome::NotAccepted { failure, .. } => ("not accepted", Some(failure)),
        Outcome::Unknown(failure) => ("unknown", Some(failure)),
    };
    metrics::counter!("atumpan_attempts_total", "provider" => provider.to_owned(), "outcome" => kind)
        .increment(1);
    if let Some(failure) = failure {
        let recipient = message.draft.recipient.masked();
        tracing::info!(
            message = %message.id, provider, outcome = kind, code = failure.code.as_str(),
            recipient, "a provider did not take a message"
        );
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
