//! Asking a provider what became of a message that it has, or may have.

use chrono::TimeDelta;
use domain::{
    delivery::{Delivery, DeliveryEvent, Failure, FailureCode, Status},
    job::{Job, Step},
    provider::{LookUp, WithoutReport},
    retry,
};

use super::{
    Deliveries,
    attempts::{Interruption, holder},
};

impl Deliveries {
    /// Asks the provider that has, or may have, the message. When it does not know of a message
    /// that is in doubt, the next round begins.
    pub(super) async fn follow_up(&self, job: Job) -> Result<Step, Interruption> {
        let name = holder(&job.message.attempts).map(|attempt| attempt.provider.clone());
        let name = name.or_else(|| job.message.provider.clone()).unwrap_or_default();
        let answer = match self.providers.adapter(&name) {
            Some(adapter) => adapter.look_up(&job.message).await,
            None => LookUp::Unavailable,
        };
        let word = match answer {
            LookUp::Found(event) => Some(event.taken_in(job.message.created_at, self.clock.now())),
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
            return self.close_unreported(job, &delivery, name);
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
