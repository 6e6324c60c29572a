//! Asking a provider what became of a message that it has, or may have.

use std::panic::AssertUnwindSafe;

use chrono::TimeDelta;
use domain::{
    attempts,
    delivery::{Delivery, DeliveryEvent, Failure, FailureCode, Status},
    job::{Job, Step},
    provider::{LookUp, WithoutReport},
    retry,
};
use futures_util::FutureExt;

use super::{
    Deliveries, Patience, Progress,
    attempts::{Interruption, holder},
};

/// Why nobody can say whether a provider has a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Doubt {
    /// Its worker has just been found to have ended amid a call.
    Abandoned,
    /// The provider gave no clear answer, and its word has been waited for.
    Old,
}

impl Deliveries {
    /// Asks the provider that has, or may have, the message. When it does not know of a message
    /// that is in doubt, the next round begins.
    pub(super) async fn follow_up(
        &self,
        job: Job,
        doubt: Doubt,
        patience: Patience,
    ) -> Result<Progress, Interruption> {
        let name = holder(&job.message.attempts).map(|attempt| attempt.provider.clone());
        let name = name.or_else(|| job.message.provider.clone()).unwrap_or_default();
        let answer = match self.providers.adapter(&name) {
            Some(adapter) => {
                let look_up = AssertUnwindSafe(adapter.look_up(&job.message)).catch_unwind();
                look_up.await.unwrap_or(LookUp::Unavailable)
            }
            None => LookUp::Unavailable,
        };
        let is_not_there = answer == LookUp::NotFound;
        let word = match answer {
            LookUp::Found(event) => Some(event.sanitized(job.message.created_at, self.clock.now())),
            // Who knows of a message has taken it.
            LookUp::Waiting => Some(DeliveryEvent::Accepted { at: self.clock.now() }),
            LookUp::NotFound | LookUp::Unavailable => None,
        };
        let before = &job.message.delivery;
        let delivery = match (word.and_then(|event| before.after_report(event).ok()), before) {
            (Some(after), _) => after,
            (None, Delivery::Sent { .. }) => before.clone(),
            (None, _) if is_not_there => return self.retry_unknown(job, patience).await,
            (None, _) => return self.retry_in_doubt(job, doubt, patience).await,
        };
        let due_in = self.next_follow_up(&delivery, &name);
        if let Some(failure) = delivery.failure() {
            self.heed(&job.message, failure).await;
        }
        if delivery.status() == Status::Sent && due_in.is_none() {
            return self.close_unreported(job, &delivery, name).map(Progress::Step);
        }
        let mut step = job.step(delivery);
        step.message.provider.get_or_insert(name);
        Ok(Progress::Step(Step { due_in, ..step }))
    }

    /// Begins the next round of a message that its provider does not know, if it is still worth
    /// sending.
    async fn retry_unknown(&self, job: Job, patience: Patience) -> Result<Progress, Interruption> {
        if self.clock.now() < job.message.expires_at {
            return self.next_round(job, patience).await;
        }
        let may_have_it = job.message.attempts.iter().filter(|it| it.may_have_it());
        if may_have_it.count() > 1 {
            return self.await_word(job).map(Progress::Step);
        }
        let reason = "it was not handed over in time: the provider does not know it";
        let failure = Failure::new(FailureCode::Expired, reason);
        self.fail(job, failure).map(Progress::Step)
    }

    /// Begins the next round of a message that may be on its way. One that is not urgent is waited
    /// for first, and none is sent again when it is not worth it, or was often enough.
    async fn retry_in_doubt(
        &self,
        job: Job,
        doubt: Doubt,
        patience: Patience,
    ) -> Result<Progress, Interruption> {
        let is_urgent = job.message.draft.category.is_urgent();
        let is_over = self.clock.now() >= job.message.expires_at
            || attempts::doubts(&job.message.attempts) >= retry::MAX_DOUBTS;
        if is_over {
            return self.await_word(job).map(Progress::Step);
        }
        if doubt == Doubt::Abandoned && !is_urgent {
            let provider = holder(&job.message.attempts).map(|it| it.provider.clone());
            let wait = self.providers.patience(provider.as_deref().unwrap_or_default());
            return Self::stay_in_doubt(job, wait).map(Progress::Step);
        }
        self.next_round(job, patience).await
    }

    /// Begins the next round of a message in doubt. When no provider can be called, that is written
    /// down too: the doubt must not be forgotten.
    async fn next_round(&self, job: Job, patience: Patience) -> Result<Progress, Interruption> {
        let longest = retry::longest_back_off(job.message.draft.category);
        match self.round(job, None, patience).await? {
            Progress::Waiting(job) => Self::stay_in_doubt(job, longest).map(Progress::Step),
            step @ Progress::Step(_) => Ok(step),
        }
    }

    /// Waits for a provider's word on a message that is not sent again, and gives it up when that
    /// has stayed out for too long.
    pub(super) fn await_word(&self, job: Job) -> Result<Step, Interruption> {
        let last = job.message.attempts.iter().rfind(|attempt| attempt.may_have_it());
        let since = last.map_or(job.message.created_at, |attempt| attempt.started_at);
        let provider = last.map(|attempt| attempt.provider.as_str()).unwrap_or_default();
        let patience = self.providers.patience(provider);
        match retry::follow_up(since, self.clock.now(), patience) {
            Some(wait) => Self::stay_in_doubt(job, wait),
            None => {
                let failure = doubt_of(&job);
                self.fail(job, failure)
            }
        }
    }

    fn stay_in_doubt(job: Job, wait: TimeDelta) -> Result<Step, Interruption> {
        let failure = doubt_of(&job);
        let dispatched = job.message.delivery.after(DeliveryEvent::Dispatched)?;
        let delivery = dispatched.after(DeliveryEvent::Doubted { failure })?;
        let holder = holder(&job.message.attempts).map(|attempt| attempt.provider.clone());
        let mut step = job.step(delivery);
        step.message.provider = holder.or(step.message.provider);
        Ok(Step { due_in: Some(wait), ..step })
    }

    /// Ends the job of a message that its provider took and never reported on.
    fn close_unreported(
        &self,
        job: Job,
        sent: &Delivery,
        provider: String,
    ) -> Result<Step, Interruption> {
        let hours = retry::MAX_FOLLOW_UP.num_hours();
        let reason = format!("the provider did not report within {hours} hours");
        let failure = Failure::new(FailureCode::NoReport, reason);
        let delivery = match self.providers.without_report(&provider) {
            WithoutReport::Noted => sent.after(DeliveryEvent::Unreported { failure })?,
            WithoutReport::Refunded => {
                sent.after(DeliveryEvent::Rejected { at: self.clock.now(), failure })?
            }
            WithoutReport::Expected => sent.clone(),
        };
        let mut step = job.step(delivery);
        step.message.provider.get_or_insert(provider);
        Ok(step)
    }

    /// Whether anything more is waited for of a message that `provider` has, or may have.
    pub(super) fn is_awaited(&self, delivery: &Delivery, provider: Option<&str>) -> bool {
        let without_report = self.providers.without_report(provider.unwrap_or_default());
        delivery.status() != Status::Sent || without_report != WithoutReport::Expected
    }

    pub(super) fn next_follow_up(&self, delivery: &Delivery, provider: &str) -> Option<TimeDelta> {
        let Delivery::Sent { at } = delivery else { return None };
        if !self.is_awaited(delivery, Some(provider)) {
            return None;
        }
        retry::follow_up(*at, self.clock.now(), self.providers.patience(provider))
    }
}

fn doubt_of(job: &Job) -> Failure {
    let known = job.message.delivery.failure();
    known.filter(|failure| failure.code == FailureCode::UnknownOutcome).cloned().unwrap_or_else(
        || Failure::new(FailureCode::UnknownOutcome, "no provider gave a clear answer"),
    )
}
