//! Follow-up: a query for the state of a message at the provider that has it, or may have it.

use std::panic::AssertUnwindSafe;

use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    messaging::{
        attempts,
        delivery::{Delivery, DeliveryEvent, Failure, FailureCode, Status},
        hold::Hold,
        job::Job,
        outcome::LookUp,
        retry::{self, RetryRules},
    },
    providers::provider::WithoutReport,
};
use futures_util::FutureExt;

use super::{AdmissionWait, Conclusion, Deliveries, Interruption, Progress, holding::cancelled};

/// Reason why it is unknown whether a provider has a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Doubt {
    /// Its worker ended during a call, as was just found.
    Abandoned,
    /// The provider gave no clear answer, and its report is overdue.
    Overdue,
}

impl Deliveries {
    /// Queries the provider that has, or may have, the message. Begins the next round if the
    /// message is in doubt and the provider does not know it.
    pub(super) async fn follow_up(
        &self,
        job: &mut Job,
        doubt: Doubt,
        wait: AdmissionWait,
    ) -> Result<Progress, Interruption> {
        let holder = attempts::holder_or_last(&job.message.attempts);
        let provider = match holder {
            Some(attempt) => attempt.provider.clone(),
            None => job.message.provider.clone().unwrap_or_default(),
        };
        let answer = self.look_up(job, &provider).await;
        let is_unknown_to_provider = answer == LookUp::NotFound;
        let event = match answer {
            LookUp::Found(event) => {
                Some(event.sanitized(job.message.created_at, self.deps.clock.now()))
            }
            // A provider that knows of a message has taken it.
            LookUp::Waiting => Some(DeliveryEvent::Accepted { at: self.deps.clock.now() }),
            LookUp::NotFound | LookUp::Unavailable => None,
        };
        let before = &job.message.delivery;
        let after = event.and_then(|event| before.after_report(event).ok());
        let delivery = match after {
            Some(after) => after,
            None if matches!(before, Delivery::Sent { .. }) => before.clone(),
            None if is_unknown_to_provider => return self.retry_unknown(job, wait).await,
            None => return self.retry_in_doubt(job, doubt, wait).await,
        };
        if let Some(failure) = delivery.failure() {
            self.apply_recipient_feedback(&job.message, failure).await;
        }
        let due_in = self.next_follow_up(&delivery, &provider);
        let conclusion = if delivery.status() == Status::Sent && due_in.is_none() {
            self.close_unreported(delivery, &provider)?
        } else {
            Conclusion { due_in, ..Conclusion::of(delivery) }
        };
        // Another provider had it before, or was thought to. A message that was sent stays with the
        // provider for which it counts: figures are moved by the step that leaves the state.
        let message = &mut job.message;
        let counted = message.counted_provider(message.delivery.status()).map(str::to_owned);
        message.provider = counted.or(Some(provider));
        Ok(Progress::Concluded(conclusion))
    }

    pub(super) async fn look_up(&self, job: &Job, provider: &str) -> LookUp {
        let Some(adapter) = self.deps.providers.adapter(provider) else {
            return LookUp::Unavailable;
        };
        let answer = AssertUnwindSafe(adapter.look_up(&job.message)).catch_unwind().await;
        answer.unwrap_or_else(|_| {
            tracing::error!(provider, "looking a message up at a provider panicked");
            LookUp::Unavailable
        })
    }

    /// Begins the next round of a message that its provider does not know, if it is still to be sent.
    async fn retry_unknown(
        &self,
        job: &mut Job,
        wait: AdmissionWait,
    ) -> Result<Progress, Interruption> {
        let now = self.deps.clock.now();
        let is_expired = now >= job.message.expires_at;
        let is_cancelled = self.hold(job, now) == Some(Hold::Cancelled);
        if !is_expired && !is_cancelled && may_begin_another(job) {
            return self.next_round(job, wait).await;
        }
        let holders = job.message.attempts.iter().filter(|attempt| attempt.may_have_message());
        let conclusion = if holders.count() > 1 {
            self.await_report_in_doubt(job)
        } else if is_cancelled {
            self.fail(job, cancelled())
        } else if !is_expired {
            self.fail(job, doubt_of(job))
        } else {
            let reason = "it was not handed over in time: the provider does not know it";
            self.fail(job, Failure::new(FailureCode::Expired, reason))
        };
        conclusion.map(Progress::Concluded)
    }

    /// Begins the next round of a message that may be on its way. A message that is not urgent
    /// first waits for a report. It is not sent again if it is expired or cancelled, or was sent
    /// often enough.
    async fn retry_in_doubt(
        &self,
        job: &mut Job,
        doubt: Doubt,
        wait: AdmissionWait,
    ) -> Result<Progress, Interruption> {
        let now = self.deps.clock.now();
        let is_over = now >= job.message.expires_at
            || self.hold(job, now) == Some(Hold::Cancelled)
            || !may_begin_another(job)
            || attempts::doubts(&job.message.attempts) >= retry::MAX_DOUBTS;
        if is_over {
            return self.await_report_in_doubt(job).map(Progress::Concluded);
        }
        if doubt == Doubt::Abandoned && !job.message.draft.category.is_urgent() {
            let holder = attempts::holder_or_last(&job.message.attempts);
            let provider = holder.map(|attempt| attempt.provider.as_str()).unwrap_or_default();
            let due_in = self.deps.providers.report_timeout(provider);
            return stay_in_doubt(job, due_in).map(Progress::Concluded);
        }
        self.next_round(job, wait).await
    }

    /// Begins the next round of a message in doubt. If no provider can be called, or the message is
    /// held back, records that too, so that the doubt is not lost.
    async fn next_round(
        &self,
        job: &mut Job,
        wait: AdmissionWait,
    ) -> Result<Progress, Interruption> {
        let now = self.deps.clock.now();
        let longest = retry::longest_back_off(job.message.draft.category);
        let due_in = match self.hold(job, now) {
            Some(Hold::Until(at)) => at - now,
            Some(Hold::Paused | Hold::Cancelled | Hold::Suspended(_)) => longest,
            None => match self.dispatch(job, None, wait).await? {
                Progress::Waiting if self.is_only_busy(job, now) => {
                    retry::wait_for_place(self.deps.random.fraction())
                }
                Progress::Waiting => {
                    let in_doubt_for = now - doubted_since(job);
                    retry::wait_while_closed(job.message.draft.category, in_doubt_for)
                }
                progress => return Ok(progress),
            },
        };
        stay_in_doubt(job, due_in).map(Progress::Concluded)
    }

    /// True if a provider can be called but has no room for a message at the moment.
    fn is_only_busy(&self, job: &Job, now: DateTime<Utc>) -> bool {
        let provider_queue = self.deps.providers.provider_queue(&job.message);
        self.deps.providers.queue_capacity(provider_queue, now).capacity > 0
    }

    /// Waits for a provider's report on a message that is not sent again. Fails the message if the
    /// report stays out for too long.
    pub(super) fn await_report_in_doubt(&self, job: &mut Job) -> Result<Conclusion, Interruption> {
        let since = doubted_since(job);
        let holder = attempts::holder(&job.message.attempts);
        let provider = holder.map(|attempt| attempt.provider.as_str()).unwrap_or_default();
        let report_timeout = self.deps.providers.report_timeout(provider);
        match retry::follow_up(since, self.deps.clock.now(), report_timeout) {
            Some(due_in) => stay_in_doubt(job, due_in),
            None => self.fail(job, doubt_of(job)),
        }
    }

    /// Closes a message that its provider took and never reported on.
    fn close_unreported(&self, sent: Delivery, provider: &str) -> Result<Conclusion, Interruption> {
        let hours = retry::MAX_FOLLOW_UP.num_hours();
        let reason = format!("the provider did not report within {hours} hours");
        let failure = Failure::new(FailureCode::NoReport, reason);
        let delivery = match self.deps.providers.without_report(provider) {
            WithoutReport::Noted => sent.after(DeliveryEvent::Unreported { failure })?,
            WithoutReport::Refunded => {
                sent.after(DeliveryEvent::Rejected { at: self.deps.clock.now(), failure })?
            }
            WithoutReport::Expected => sent,
        };
        Ok(Conclusion::of(delivery))
    }

    /// True if another report is expected on a message that `provider` has, or may have.
    pub(super) fn is_awaited(&self, delivery: &Delivery, provider: &str) -> bool {
        delivery.status() != Status::Sent
            || self.deps.providers.without_report(provider) != WithoutReport::Expected
    }

    /// Delay until the next query about a message that `provider` took; `None` if none is due.
    pub(super) fn next_follow_up(&self, delivery: &Delivery, provider: &str) -> Option<TimeDelta> {
        let Delivery::Sent { at } = delivery else { return None };
        if !self.is_awaited(delivery, provider) {
            return None;
        }
        retry::follow_up(*at, self.deps.clock.now(), self.deps.providers.report_timeout(provider))
    }
}

/// True if the sender's rules allow another round.
fn may_begin_another(job: &Job) -> bool {
    RetryRules::allow_another(job.message.draft.retry_rules, job.rounds)
}

/// Time since which a provider may have the message.
fn doubted_since(job: &Job) -> DateTime<Utc> {
    let holder = attempts::holder(&job.message.attempts);
    holder.map_or(job.message.created_at, |attempt| attempt.started_at)
}

fn stay_in_doubt(job: &mut Job, due_in: TimeDelta) -> Result<Conclusion, Interruption> {
    let failure = doubt_of(job);
    let dispatched = job.message.delivery.after(DeliveryEvent::Dispatched)?;
    let delivery = dispatched.after(DeliveryEvent::Doubted { failure })?;
    if let Some(attempt) = attempts::holder_or_last(&job.message.attempts) {
        job.message.provider = Some(attempt.provider.clone());
    }
    Ok(Conclusion { due_in: Some(due_in), ..Conclusion::of(delivery) })
}

/// Failure that put the message in doubt, as far as it is known.
fn doubt_of(job: &Job) -> Failure {
    match job.message.delivery.failure() {
        Some(failure) if failure.code == FailureCode::UnknownOutcome => failure.clone(),
        _ => Failure::new(FailureCode::UnknownOutcome, "no provider gave a clear answer"),
    }
}
