//! Rounds: a message goes through its routes until a provider takes it.

use std::{panic::AssertUnwindSafe, sync::Arc};

use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    delivery::{Delivery, DeliveryEvent, Failure, FailureCode, Status},
    job::{Job, Step},
    message::Message,
    provider::{Attempt, Outcome},
    round::{Conclusion, End, Round},
};
use futures_util::FutureExt;
use ports::{
    providers::{Admission, Demand, MessagingProvider},
    store::StoreError,
};

use super::{
    Deliveries, Patience, Progress,
    attempts::{Interruption, end_abandoned, end_attempt, holder, observe, sanitized},
    follow_up::Doubt,
    groups::Head,
};
use crate::providers::Stop;

/// How long a round may begin further attempts.
const ROUND: TimeDelta = TimeDelta::seconds(60);

/// What came of trying a provider.
enum Tried {
    /// It was called.
    Called(Outcome),
    /// It could not be called now.
    Later,
    /// It is not there any more.
    Gone,
}

impl Deliveries {
    pub(super) async fn step(
        &self,
        mut job: Job,
        patience: Patience,
    ) -> Result<Progress, Interruption> {
        let now = self.clock.now();
        let status = job.message.delivery.status();
        if status.is_final() || matches!(job.message.delivery, Delivery::Unreported { .. }) {
            // No provider may hear of the message again: the step changes nothing, and ends the job.
            let delivery = job.message.delivery.clone();
            return Ok(Progress::Step(job.step(delivery)));
        }
        if !job.is_fresh && end_abandoned(&mut job.message, now) {
            job.rounds = job.rounds.max(1);
            return self.follow_up(job, Doubt::Abandoned, patience).await;
        }
        if status != Status::Queued {
            return self.follow_up(job, Doubt::Old, patience).await;
        }
        if let Some(refusal) = job.message.refusal().cloned() {
            return self.fail(job, refusal).map(Progress::Step);
        }
        if now >= job.message.expires_at {
            return self.expire(job).map(Progress::Step);
        }
        self.round(job, None, patience).await
    }

    pub(super) fn fail(&self, job: Job, failure: Failure) -> Result<Step, Interruption> {
        let event = DeliveryEvent::Rejected { at: self.clock.now(), failure };
        let delivery = job.message.delivery.after(event)?;
        Ok(job.step(delivery))
    }

    /// Gives a message up that was not handed over while it was worth sending. One that a provider
    /// may have is not sent again, but its provider's word is waited for.
    pub(super) fn expire(&self, mut job: Job) -> Result<Step, Interruption> {
        job.message.attempts.retain(|attempt| !attempt.is_open());
        if job.message.attempts.iter().any(Attempt::may_have_it) {
            return self.await_word(job);
        }
        let last = job.message.delivery.failure();
        let reason = match last {
            Some(last) => format!("it was not handed over in time: {}", last.message),
            None => "it was not handed over in time".to_owned(),
        };
        let vendor_code = last.and_then(|failure| failure.vendor_code.clone());
        self.fail(job, Failure { vendor_code, ..Failure::new(FailureCode::Expired, reason) })
    }

    /// Tries the routes of a message, one after the other. `head` is what came of the first if the
    /// message was already handed over.
    pub(super) async fn round(
        &self,
        mut job: Job,
        mut head: Option<Head<'_>>,
        patience: Patience,
    ) -> Result<Progress, Interruption> {
        let began = self.clock.now();
        let (category, expires_at) = (job.message.draft.category, job.message.expires_at);
        let mut round = Round::begin(category, expires_at, job.rounds.saturating_add(1));
        let mut conclusion = None;
        for stop in self.stops(&job.message, head.as_ref(), began) {
            let now = self.clock.now();
            if now - began > ROUND {
                break;
            }
            let tried = match head.take() {
                Some(head) => Tried::Called(head.outcome),
                None => self.attempt(&mut job, stop, now, patience).await?,
            };
            let Tried::Called(outcome) = tried else { continue };
            let outcome = sanitized(outcome);
            if let Outcome::Rejected(failure) = &outcome {
                self.heed(&job.message, failure).await;
            }
            observe(&job.message, &outcome, stop.name);
            end_attempt(&mut job.message, self.clock.now(), &outcome);
            conclusion = round.hear(outcome);
            if conclusion.is_some() {
                break;
            }
        }

        if self.providers.serve(&job.message.draft, job.message.is_sandbox) {
            round.expect_place();
        }
        let conclusion = match conclusion {
            Some(conclusion) => conclusion,
            None => match round.end(self.clock.now(), self.random.fraction()) {
                End::Concluded(conclusion) => conclusion,
                End::Waiting => return Ok(Progress::Waiting(job)),
            },
        };
        self.conclude(job, conclusion).map(Progress::Step)
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

    /// Hands a message to a provider, unless its vendor would certainly not take it now, or it cannot
    /// be called.
    async fn attempt(
        &self,
        job: &mut Job,
        stop: Stop<'_>,
        now: DateTime<Utc>,
        patience: Patience,
    ) -> Result<Tried, Interruption> {
        let Stop { name, is_probe } = stop;
        let Some(adapter) = self.providers.adapter(name) else { return Ok(Tried::Gone) };
        if let Some(failure) = self.closed_session(&job.message, name, adapter, now).await? {
            self.begin_attempt(job, name, now).await?;
            return Ok(Tried::Called(Outcome::Rejected(failure)));
        }
        let demand = Demand { messages: 1, is_urgent: job.message.draft.category.is_urgent() };
        let Admission::Granted(place) = admit(adapter, demand, patience).await else {
            return Ok(Tried::Later);
        };
        let states = self.providers.states();
        if is_probe && !states.begin_probe(name, now).await {
            return Ok(Tried::Later);
        }
        if let Err(interruption) = self.begin_attempt(job, name, self.clock.now()).await {
            if is_probe {
                states.give_probe_back(name, self.clock.now()).await;
            }
            return Err(interruption);
        }
        let outcome = caught(name, adapter.send(&job.message)).await;
        drop(place);
        states.hear(stop, &outcome, self.clock.now()).await;
        Ok(Tried::Called(outcome))
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
        let due_in = due_in.filter(|_| self.is_awaited(&delivery, holder.as_deref()));
        let adapter = holder.as_deref().and_then(|name| self.providers.adapter(name));
        let minds = self.recipients.is_some();
        let can_be_answered = minds && adapter.is_some_and(|adapter| adapter.can_be_answered());
        let mut step = job.step(delivery);
        step.message.provider = holder.or(step.message.provider);
        let rounds = step.rounds.saturating_add(1);
        Ok(Step { rounds, can_be_answered, due_in, ..step })
    }
}

/// Asks for the right to call a provider.
pub(super) async fn admit(
    adapter: &Arc<dyn MessagingProvider>,
    demand: Demand,
    patience: Patience,
) -> Admission {
    match patience {
        Patience::None => adapter.try_admit(demand),
        Patience::Brief => adapter.admit(demand).await,
    }
}

/// The outcome of a call. When the code that makes it panics, nobody can say what became of the
/// message; whoever works on it goes on.
async fn caught(provider: &str, call: impl Future<Output = Outcome>) -> Outcome {
    AssertUnwindSafe(call).catch_unwind().await.unwrap_or_else(|_| {
        tracing::error!(provider, "a call to a provider panicked");
        Outcome::Unknown(Failure::new(FailureCode::UnknownOutcome, "the call broke off"))
    })
}
