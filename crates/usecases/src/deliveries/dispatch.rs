//! Rounds: a message goes through its routes until a provider takes it.

use std::sync::Arc;

use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    delivery::{Delivery, DeliveryEvent, Failure, FailureCode},
    job::{Job, Step},
    message::Message,
    provider::Outcome,
    round::{Conclusion, Round},
};
use ports::{providers::MessagingProvider, store::StoreError};

use super::{
    Deliveries,
    attempts::{Interruption, end_abandoned, end_attempt, holder, observe, taken_in},
    groups::Head,
};
use crate::providers::Stop;

/// How long a round may begin further attempts.
const ROUND: TimeDelta = TimeDelta::seconds(60);

impl Deliveries {
    pub(super) async fn step(&self, mut job: Job) -> Result<Step, Interruption> {
        let is_final = job.message.delivery.status().is_final();
        if !is_final && !job.is_fresh && end_abandoned(&mut job.message, self.clock.now()) {
            return self.follow_up(job).await;
        }
        match &job.message.delivery {
            Delivery::Queued { .. } => match job.message.refusal().cloned() {
                Some(refusal) => self.fail(job, refusal),
                None => self.round(job, None).await,
            },
            Delivery::Pending { .. } | Delivery::Sent { .. } => self.follow_up(job).await,
            // Nothing is done any more, and no provider may hear of the message again: the step
            // changes nothing, and ends the job.
            last @ (Delivery::Unreported { .. }
            | Delivery::Delivered { .. }
            | Delivery::Failed { .. }) => {
                let delivery = last.clone();
                Ok(job.step(delivery))
            }
        }
    }

    pub(super) fn fail(&self, job: Job, failure: Failure) -> Result<Step, Interruption> {
        let event = DeliveryEvent::Rejected { at: self.clock.now(), failure };
        let delivery = job.message.delivery.after(event)?;
        Ok(job.step(delivery))
    }

    /// Tries the routes of a message, one after the other. `head` is what came of the first if the
    /// message was already handed over.
    pub(super) async fn round(
        &self,
        mut job: Job,
        mut head: Option<Head<'_>>,
    ) -> Result<Step, Interruption> {
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
            let outcome = taken_in(outcome);
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
        let due_in = due_in.filter(|_| self.is_awaited(&delivery, holder.as_deref()));
        let adapter = holder.as_deref().and_then(|name| self.providers.adapter(name));
        let minds = self.recipients.is_some();
        let can_be_answered = minds && adapter.is_some_and(|adapter| adapter.can_be_answered());
        let mut step = job.step(delivery);
        step.message.provider = holder.or(step.message.provider);
        Ok(Step { rounds: step.rounds + 1, can_be_answered, due_in, ..step })
    }
}
