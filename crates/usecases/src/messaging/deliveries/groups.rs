//! Groups: messages with the same text, handed over in one call if the vendor has such a call.

use std::{
    collections::{HashMap, HashSet},
    panic::AssertUnwindSafe,
    sync::Arc,
};

use domain::{
    messaging::{
        attempts,
        delivery::{Delivery, Failure, FailureCode},
        job::Job,
        message::Message,
        outcome::Outcome,
    },
    providers::breaker::BreakerSignal,
};
use futures_util::{FutureExt, StreamExt, future::join_all, stream};
use ports::{
    providers::provider::{Admission, CallPermit, Demand, MessagingProvider},
    shared::store::StoreError,
};

use super::{
    AdmissionWait, Deliveries, WorkResult,
    dispatch::{Called, SharedOutcome, admit},
};
use crate::providers::provider_registry::RouteStep;

/// Number of messages of a group handed over at the same time, each in its own call.
const CONCURRENCY: usize = 16;

/// Call to a provider for which the permit was granted.
struct SharedCall<'p> {
    step: RouteStep<'p>,
    adapter: &'p Arc<dyn MessagingProvider>,
    permit: CallPermit,
}

impl Deliveries {
    /// Maximum number of messages with the same text that may be delivered together with this one,
    /// itself included.
    pub fn group_limit(&self, job: &Job) -> usize {
        let is_new = job.message.delivery == Delivery::NEW;
        let provider = planned_provider(job).filter(|_| is_new);
        match provider.and_then(|provider| self.deps.providers.adapter(provider)) {
            // The messaging window is checked for each recipient.
            Some(adapter) if adapter.session_window().is_some() => 1,
            Some(adapter) => adapter.group_limit().max(1),
            None => 1,
        }
    }

    /// True if two messages can go in one call.
    pub fn is_same_call(first: &Job, other: &Job) -> bool {
        let (one, two) = (&first.message.draft, &other.message.draft);
        first.message.delivery == other.message.delivery
            && planned_provider(first) == planned_provider(other)
            && one.channel == two.channel
            && first.message.kinds().eq(other.message.kinds())
            && (&one.body, &one.subject, &one.sender) == (&two.body, &two.subject, &two.sender)
            && one.format == two.format
            && one.vendor_template == two.vendor_template
    }

    /// Delivers the messages of one request, in shared calls where possible, and returns them in
    /// their order.
    pub async fn deliver_all(&self, jobs: Vec<Job>) -> Result<Vec<Message>, StoreError> {
        let places: HashMap<_, _> =
            jobs.iter().enumerate().map(|(place, job)| (job.message.id, place)).collect();
        let delivered: Vec<_> = stream::iter(self.grouped(jobs))
            .map(|group| self.deliver_group(group, AdmissionWait::Brief))
            .buffered(CONCURRENCY)
            .flat_map(stream::iter)
            .collect()
            .await;
        let mut messages = Vec::with_capacity(delivered.len());
        for result in delivered {
            messages.push(self.leave_to_workers(result?).await?);
        }
        messages.sort_by_key(|message| places.get(&message.id).copied());
        Ok(messages)
    }

    /// Splits messages into groups that go in one call.
    fn grouped(&self, jobs: Vec<Job>) -> Vec<Vec<Job>> {
        let mut groups: Vec<Vec<Job>> = Vec::new();
        for job in jobs {
            match groups.last_mut() {
                Some(group)
                    if Self::is_same_call(&group[0], &job)
                        && group.len() < self.group_limit(&group[0]) =>
                {
                    group.push(job);
                }
                _ => groups.push(vec![job]),
            }
        }
        groups
    }

    /// Delivers messages that can go in one call, at most [`group_limit`](Self::group_limit) of
    /// them. After that call each message continues by itself.
    pub async fn deliver_group(
        &self,
        jobs: Vec<Job>,
        wait: AdmissionWait,
    ) -> Vec<Result<WorkResult, StoreError>> {
        let _active = self.counters.begin(jobs.len());
        if self.shared_step(&jobs).is_none() {
            return self.deliver_each(jobs, wait).await;
        }
        let (jobs, mut delivered) = self.hold_back_some(jobs).await;
        let (jobs, screened) = self.screen_group(jobs).await;
        delivered.extend(screened);
        let Some((step, adapter)) = self.shared_step(&jobs) else {
            delivered.extend(self.deliver_each(jobs, wait).await);
            return delivered;
        };
        let (group, repeated) = by_first_of_recipient(jobs);
        let is_urgent = group.iter().any(|job| job.message.draft.category.is_urgent());
        let demand = Demand { messages: group.len(), is_urgent };
        delivered.extend(match admit(adapter, demand, wait).await {
            Admission::Granted(permit) => {
                self.deliver_together(group, SharedCall { step, adapter, permit }, wait).await
            }
            Admission::Later => self.deliver_each(group, wait).await,
        });
        delivered.extend(self.deliver_each(repeated, wait).await);
        delivered
    }

    /// Returns the provider that was planned for all the messages; `None` if it is no longer the
    /// first to try, or takes no such group.
    fn shared_step(&self, jobs: &[Job]) -> Option<(RouteStep<'_>, &Arc<dyn MessagingProvider>)> {
        let [first, _, ..] = jobs else { return None };
        let planned = planned_provider(first)?;
        let step = *self.deps.providers.route(&first.message, self.deps.clock.now()).first()?;
        if step.provider != planned || step.is_probe {
            return None;
        }
        let adapter = self.deps.providers.adapter(step.provider)?;
        (jobs.len() <= adapter.group_limit()).then_some((step, adapter))
    }

    async fn deliver_each(
        &self,
        mut jobs: Vec<Job>,
        wait: AdmissionWait,
    ) -> Vec<Result<WorkResult, StoreError>> {
        if jobs.len() == 1
            && let Some(job) = jobs.pop()
        {
            return vec![self.work(job, wait).await];
        }
        stream::iter(jobs).map(|job| self.work(job, wait)).buffered(CONCURRENCY).collect().await
    }

    /// Hands messages over in one call, each after its attempt was recorded. If all are refused,
    /// one of them may be the cause, so each is tried in a call of its own, with a new attempt: the
    /// lease must outlive that call too.
    async fn deliver_together(
        &self,
        jobs: Vec<Job>,
        call: SharedCall<'_>,
        wait: AdmissionWait,
    ) -> Vec<Result<WorkResult, StoreError>> {
        let SharedCall { step, adapter, permit } = call;
        let (mut jobs, mut delivered) = self.begin_all(jobs, step.provider).await;
        if jobs.is_empty() {
            return delivered;
        }
        let messages: Vec<_> = jobs.iter().map(|job| job.message.clone()).collect();
        let began_at = self.deps.tracer.is_on().then(|| self.deps.clock.now());
        let sent = AssertUnwindSafe(adapter.send_group(&messages)).catch_unwind().await;
        drop(permit);
        let mut outcomes = sent.unwrap_or_else(|_| {
            tracing::error!(provider = step.provider, "a call to a provider panicked");
            Vec::new()
        });
        outcomes.resize_with(jobs.len(), missing_outcome);
        if outcomes.len() > 1 && outcomes.iter().all(is_refusal) {
            for job in &mut jobs {
                attempts::plan_again(&mut job.message.attempts);
            }
            let rounds = jobs.into_iter().map(|job| self.dispatch_and_finish(job, None, wait));
            delivered.extend(stream::iter(rounds).buffered(CONCURRENCY).collect::<Vec<_>>().await);
            return delivered;
        }
        self.observe_shared_call(step, &outcomes).await;
        let rounds = jobs.into_iter().zip(outcomes).map(|(job, outcome)| {
            let called = Called { outcome, began_at };
            let shared = SharedOutcome { provider: step.provider, called };
            self.dispatch_and_finish(job, Some(shared), wait)
        });
        delivered.extend(join_all(rounds).await);
        delivered
    }

    async fn dispatch_and_finish(
        &self,
        mut job: Job,
        shared: Option<SharedOutcome<'_>>,
        wait: AdmissionWait,
    ) -> Result<WorkResult, StoreError> {
        let progress = self.dispatch(&mut job, shared, wait).await;
        self.finish(job, progress).await
    }

    /// Begins an attempt for each message. Returns the jobs that can continue, and the results of
    /// the others.
    async fn begin_all(
        &self,
        jobs: Vec<Job>,
        provider: &str,
    ) -> (Vec<Job>, Vec<Result<WorkResult, StoreError>>) {
        let now = self.deps.clock.now();
        let begun = join_all(jobs.into_iter().map(async |mut job| {
            let begun = self.begin_attempt(&mut job, provider, now).await;
            (job, begun)
        }));
        let (mut ready, mut others) = (Vec::new(), Vec::new());
        for (job, begun) in begun.await {
            match begun {
                Ok(()) => ready.push(job),
                Err(interruption) => {
                    others.push(self.resolve_interruption(job.message, interruption).await);
                }
            }
        }
        (ready, others)
    }

    /// Applies a call to the state of its provider: once for all its messages, by the best outcome.
    /// An outcome that concerns only one recipient does not hide one that concerns all.
    async fn observe_shared_call(&self, step: RouteStep<'_>, outcomes: &[Outcome]) {
        let best = outcomes.iter().min_by_key(|outcome| match BreakerSignal::of(outcome) {
            BreakerSignal::Success => 0,
            BreakerSignal::Failure | BreakerSignal::Fatal | BreakerSignal::NotCalled => 1,
            BreakerSignal::Neutral => 2,
        });
        if let Some(outcome) = best {
            self.deps.providers.states().on_outcome(step, outcome, self.deps.clock.now()).await;
        }
    }
}

/// Separates the first message to each recipient from the others: vendors tell the messages of a
/// call apart by their recipients.
fn by_first_of_recipient(jobs: Vec<Job>) -> (Vec<Job>, Vec<Job>) {
    let mut seen = HashSet::with_capacity(jobs.len());
    jobs.into_iter().partition(|job| seen.insert(job.message.draft.recipient.clone()))
}

/// True if the vendor certainly does not have a message, and another one in the same call may be
/// the cause.
fn is_refusal(outcome: &Outcome) -> bool {
    match outcome {
        Outcome::Rejected(_) => true,
        Outcome::NotAccepted { failure, .. } => failure.code == FailureCode::ProviderRejected,
        Outcome::Accepted { .. } | Outcome::Unknown(_) => false,
    }
}

/// Outcome of a message that the vendor's answer does not mention.
fn missing_outcome() -> Outcome {
    Outcome::Unknown(Failure::new(
        FailureCode::UnknownOutcome,
        "the provider did not say what became of the message",
    ))
}

/// Provider that was planned for a message at its acceptance.
fn planned_provider(job: &Job) -> Option<&str> {
    let planned = attempts::planned(&job.message.attempts)?;
    Some(&planned.provider)
}
