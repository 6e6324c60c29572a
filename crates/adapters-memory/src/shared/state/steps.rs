//! Steps of messages, recorded all or nothing.

use chrono::{DateTime, Utc};
use domain::messaging::{
    attempts,
    delivery::Status,
    job::{Job, Step},
};
use ports::messaging::messages::Recorded;

use super::State;

impl State {
    /// Records a step, if the message still has the step's previous status and the lease that the step
    /// shows, if any, still holds.
    pub(crate) fn record(&mut self, step: &Step, now: DateTime<Utc>) -> Recorded {
        // The worker of a stale step handed the message to a provider all the same.
        self.vendors.note(step);
        if !self.is_in_time(step) {
            self.messages.keep_stale_attempts(step);
            return Recorded::Stale;
        }
        self.messages.apply(step);
        self.jobs.apply(step, now);
        self.wallets.refund(step.message(), step.refund(), now);
        self.triggers.note(step, now);
        self.providers.count(step);
        if let Some(event) = step.event() {
            self.outbound_events.publish(event);
        }
        Recorded::Done
    }

    fn is_in_time(&self, step: &Step) -> bool {
        let message = step.message();
        let is_there = self.messages.find(message.id).is_some_and(|kept| {
            kept.organization == message.organization
                && kept.delivery.status() == step.previous_status()
        });
        is_there && step.lease().is_none_or(|lease| self.jobs.holds(message.id, lease))
    }

    /// Releases a job. A planned attempt is discarded.
    pub(crate) fn release(&mut self, job: &Job, now: DateTime<Utc>) {
        let id = job.message.id;
        if !self.jobs.release(id, job.lease, job.provider_queue, now) {
            return;
        }
        if let Some(kept) = self.messages.find_mut(id)
            && attempts::planned(&job.message.attempts).is_some()
            && kept.delivery.status() == Status::Queued
        {
            kept.attempts.clear();
        }
    }
}
