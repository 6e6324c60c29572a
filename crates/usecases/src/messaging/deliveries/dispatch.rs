//! Dispatch: a message goes through its routes, round by round, until a provider takes it.

use std::{sync::Arc, time::Duration};

use chrono::{DateTime, TimeDelta, Utc};
use domain::messaging::{
    attempts,
    delivery::{DeliveryEvent, Failure, FailureCode},
    job::{AttemptBegun, Job},
    message::Message,
    outcome::Outcome,
    round::{self, Round},
    spans,
};
use ports::{
    messaging::messages::Recorded,
    providers::provider::{Admission, Demand, MessagingProvider},
    shared::store::StoreError,
};

use super::{
    AdmissionWait, Conclusion, Deliveries, Interruption, Progress,
    outcomes::{observe, outcome_of, sanitized},
};
use crate::providers::provider_registry::RouteStep;

/// Time during which a round may begin further attempts.
const ROUND: TimeDelta = TimeDelta::seconds(60);
/// Age of an accepted message up to which its lease certainly outlives a call that begins. A lease
/// lasts 120 s and a call at most 60 s; the rest is for recording the outcome.
const YOUNG: Duration = Duration::from_secs(30);

/// Outcome of a call.
pub(super) struct Called {
    pub(super) outcome: Outcome,
    /// Time at which the call began; `None` if it is not traced, or was not made.
    pub(super) began_at: Option<DateTime<Utc>>,
}

/// Outcome of a group call that handed a message to its first provider.
pub(super) struct SharedOutcome<'p> {
    pub(super) provider: &'p str,
    pub(super) called: Called,
}

impl Deliveries {
    /// Performs a round: tries the routes of a message, one after the other. `shared` is the
    /// outcome of the first if a group call was already made.
    pub(super) async fn dispatch(
        &self,
        job: &mut Job,
        shared: Option<SharedOutcome<'_>>,
        wait: AdmissionWait,
    ) -> Result<Progress, Interruption> {
        let began = self.deps.clock.now();
        let (category, expires_at) = (job.message.draft.category, job.message.expires_at);
        let round = Round::begin(category, expires_at, job.rounds.saturating_add(1));
        let mut round = round.by(job.message.draft.retry_rules);
        let mut route = self.deps.providers.route(&job.message, began);
        let mut conclusion = None;
        if let Some(SharedOutcome { provider, called }) = shared {
            route.retain(|step| step.provider != provider);
            conclusion = round.on_outcome(self.end_attempt(job, provider, called).await);
        }
        for step in route {
            let now = self.deps.clock.now();
            if conclusion.is_some() || now - began > ROUND {
                break;
            }
            if let Some(called) = self.attempt(job, step, now, wait).await? {
                let outcome = self.end_attempt(job, step.provider, called).await;
                conclusion = round.on_outcome(outcome);
            }
        }
        if conclusion.is_none() {
            let is_served = self.deps.providers.serves(&job.message.draft, job.message.is_sandbox);
            conclusion =
                round.finish(is_served, self.deps.clock.now(), self.deps.random.fraction());
        }
        match conclusion {
            // A message that an earlier provider may have is not given up.
            Some(round::Conclusion::Exhausted(_))
                if attempts::holder(&job.message.attempts).is_some() =>
            {
                job.rounds = job.rounds.saturating_add(1);
                self.await_report_in_doubt(job).map(Progress::Concluded)
            }
            Some(conclusion) => self.conclude_round(job, conclusion).map(Progress::Concluded),
            None => Ok(Progress::Waiting),
        }
    }

    /// Hands a message to a provider. Returns `None` if the provider cannot be called now.
    async fn attempt(
        &self,
        job: &mut Job,
        step: RouteStep<'_>,
        now: DateTime<Utc>,
        wait: AdmissionWait,
    ) -> Result<Option<Called>, Interruption> {
        let RouteStep { provider, is_probe } = step;
        let Some(adapter) = self.deps.providers.adapter(provider) else { return Ok(None) };
        if let Some(failure) = self.closed_session(&job.message, provider, adapter, now).await? {
            self.begin_attempt(job, provider, now).await?;
            return Ok(Some(Called { outcome: Outcome::Rejected(failure), began_at: None }));
        }
        let demand = Demand { messages: 1, is_urgent: job.message.draft.category.is_urgent() };
        let Admission::Granted(permit) = admit(adapter, demand, wait).await else {
            return Ok(None);
        };
        let states = self.deps.providers.states();
        if is_probe && !states.begin_probe(provider, now).await {
            return Ok(None);
        }
        if let Err(interruption) = self.begin_attempt(job, provider, self.deps.clock.now()).await {
            if is_probe {
                states.cancel_probe(provider, self.deps.clock.now()).await;
            }
            return Err(interruption);
        }
        let began_at = job.message.trace.map(|_| self.deps.clock.now());
        let outcome = outcome_of(provider, adapter.send(&job.message)).await;
        drop(permit);
        states.on_outcome(step, &outcome, self.deps.clock.now()).await;
        Ok(Some(Called { outcome, began_at }))
    }

    /// Returns the failure of a free text outside the messaging window of its recipient; `None` if
    /// the vendor takes the message.
    async fn closed_session(
        &self,
        message: &Message,
        provider: &str,
        adapter: &Arc<dyn MessagingProvider>,
        now: DateTime<Utc>,
    ) -> Result<Option<Failure>, StoreError> {
        let Some(recipients) = &self.deps.recipients else { return Ok(None) };
        let Some(window) = adapter.session_window() else { return Ok(None) };
        if message.draft.vendor_template.is_some() {
            return Ok(None);
        }
        let received =
            recipients.callbacks.last_inbound(provider, &message.draft.recipient).await?;
        if received.is_some_and(|at| now - at < window) {
            return Ok(None);
        }
        let reason = format!("the recipient has not written within {} hours", window.num_hours());
        Ok(Some(Failure::new(FailureCode::SessionWindowClosed, reason)))
    }

    /// Records an attempt and its round before the call begins, which proves that the lease still
    /// holds, and renews it. A planned attempt was recorded at acceptance: it needs no second write
    /// while its lease is young and no other worker can have taken it over.
    pub(super) async fn begin_attempt(
        &self,
        job: &mut Job,
        provider: &str,
        now: DateTime<Utc>,
    ) -> Result<(), Interruption> {
        if self.holds_young_lease(job, now)
            && attempts::begin_planned(&mut job.message.attempts, provider)
        {
            return Ok(());
        }
        attempts::begin(&mut job.message.attempts, provider, now);
        let dispatched = job.message.delivery.after(DeliveryEvent::Dispatched)?;
        let begun = AttemptBegun {
            message: Message { delivery: dispatched.clone(), ..job.message.clone() },
            from: job.message.delivery.status(),
            lease: job.lease,
            rounds: job.rounds.saturating_add(1),
        };
        match self.record(begun).await? {
            Recorded::Done => {
                job.message.delivery = dispatched;
                Ok(())
            }
            Recorded::Stale => Err(Interruption::LeaseLost),
        }
    }

    /// True if the lease of the acceptance certainly still holds for long enough.
    fn holds_young_lease(&self, job: &Job, now: DateTime<Utc>) -> bool {
        // The age is unknown if the clock was set back.
        let Ok(age) = (now - job.message.created_at).to_std() else { return false };
        age <= YOUNG && self.deps.own_leases.are_certain(age)
    }

    /// Applies the outcome of the running attempt, and returns it sanitized.
    async fn end_attempt(&self, job: &mut Job, provider: &str, called: Called) -> Outcome {
        let outcome = sanitized(called.outcome);
        if let Outcome::Rejected(failure) = &outcome {
            self.apply_recipient_feedback(&job.message, failure).await;
        }
        observe(&job.message, &outcome, provider);
        attempts::end(&mut job.message.attempts, self.deps.clock.now(), &outcome);
        if let Some(began_at) = called.began_at {
            self.deps.tracer.export(spans::attempted(&job.message, began_at));
        }
        outcome
    }

    fn conclude_round(
        &self,
        job: &mut Job,
        conclusion: round::Conclusion,
    ) -> Result<Conclusion, Interruption> {
        let message = &mut job.message;
        attempts::drop_planned(&mut message.attempts);
        if let Some(attempt) = attempts::holder_or_last(&message.attempts) {
            message.provider = Some(attempt.provider.clone());
        }
        let provider = message.provider.as_deref().unwrap_or_default();
        let report_timeout = self.deps.providers.report_timeout(provider);
        let (delivery, mut due_in) =
            conclusion.apply(&message.delivery, self.deps.clock.now(), report_timeout)?;
        if !self.is_awaited(&delivery, provider) {
            due_in = None;
        }
        let adapter = self.deps.providers.adapter(provider);
        let can_be_answered = self.deps.recipients.is_some()
            && adapter.is_some_and(|adapter| adapter.can_be_answered());
        job.rounds = job.rounds.saturating_add(1);
        Ok(Conclusion { delivery, due_in, can_be_answered })
    }

    /// Fails a message that was not handed over before it expired. If a provider may have it, waits
    /// for that provider's report instead.
    pub(super) fn expire(&self, job: &mut Job) -> Result<Conclusion, Interruption> {
        attempts::drop_planned(&mut job.message.attempts);
        if attempts::holder(&job.message.attempts).is_some() {
            return self.await_report_in_doubt(job);
        }
        let last = job.message.delivery.failure();
        let reason = match last {
            Some(last) => format!("it was not handed over in time: {}", last.message),
            None => "it was not handed over in time".to_owned(),
        };
        let vendor_code = last.and_then(|failure| failure.vendor_code.clone());
        self.fail(job, Failure { vendor_code, ..Failure::new(FailureCode::Expired, reason) })
    }
}

/// Requests the permit to call a provider.
pub(super) async fn admit(
    adapter: &Arc<dyn MessagingProvider>,
    demand: Demand,
    wait: AdmissionWait,
) -> Admission {
    match wait {
        AdmissionWait::None => adapter.try_admit(demand),
        AdmissionWait::Brief => adapter.admit(demand).await,
    }
}
