//! Messages of the same text, handed over in one call where the vendor has such a call.

use std::{
    collections::{HashMap, HashSet},
    panic::AssertUnwindSafe,
    sync::Arc,
};

use domain::{
    breaker::BreakerSignal,
    delivery::{Delivery, Failure, FailureCode},
    job::Job,
    message::Message,
    provider::Outcome,
};
use futures_util::{FutureExt, StreamExt, future::join_all, stream};
use ports::{
    providers::{Admission, CallPermit, Demand, MessagingProvider},
    store::StoreError,
};

use super::{Deliveries, Patience, Worked, dispatch::admit};
use crate::providers::Stop;

/// How many messages of a group are handed over at the same time when each goes on its own.
const AT_ONCE: usize = 16;

type Delivered = Result<Worked, StoreError>;

/// What came of handing a message to its first provider, together with others.
pub(super) struct Head<'p> {
    pub(super) stop: Stop<'p>,
    pub(super) outcome: Outcome,
}

/// A call to a provider that may be made.
struct Call<'p> {
    stop: Stop<'p>,
    adapter: &'p Arc<dyn MessagingProvider>,
    place: CallPermit,
}

impl Deliveries {
    /// How many messages of the same text may be delivered together with this one.
    pub fn group_limit(&self, job: &Job) -> usize {
        let is_new = job.is_fresh && job.message.delivery == Delivery::NEW;
        let adapter = foreseen(job).and_then(|name| self.providers.adapter(name));
        // A vendor that minds when a recipient last wrote is asked for each of them.
        let adapter = adapter.filter(|adapter| is_new && adapter.session_window().is_none());
        adapter.map_or(1, |adapter| adapter.group_limit().max(1))
    }

    /// Whether two messages can go in one call.
    pub fn is_same_call(first: &Job, other: &Job) -> bool {
        let (one, two) = (&first.message.draft, &other.message.draft);
        first.message.delivery == other.message.delivery
            && first.is_fresh == other.is_fresh
            && foreseen(first) == foreseen(other)
            && (one.channel, one.category) == (two.channel, two.category)
            && (&one.body, &one.subject, &one.sender) == (&two.body, &two.subject, &two.sender)
            && one.vendor_template == two.vendor_template
    }

    /// Delivers messages that can go in one call, as many as [`group_limit`](Self::group_limit)
    /// allows. What becomes of each is its own affair again after that call.
    pub async fn deliver_group(&self, jobs: Vec<Job>, patience: Patience) -> Vec<Delivered> {
        let Some((stop, adapter)) = self.shared_call(&jobs) else {
            return self.deliver_each(jobs, patience).await;
        };
        let (group, repeated) = once_each(jobs);
        let is_urgent = group.iter().any(|job| job.message.draft.category.is_urgent());
        let demand = Demand { messages: group.len(), is_urgent };
        let mut delivered = match admit(adapter, demand, patience).await {
            Admission::Granted(place) => {
                self.deliver_together(group, Call { stop, adapter, place }, patience).await
            }
            Admission::Later => self.deliver_each(group, patience).await,
        };
        delivered.extend(self.deliver_each(repeated, patience).await);
        delivered
    }

    /// The provider of which all messages expect that they are handed to it together, unless it
    /// will not be tried first after all.
    fn shared_call(&self, jobs: &[Job]) -> Option<(Stop<'_>, &Arc<dyn MessagingProvider>)> {
        let [first, _, ..] = jobs else { return None };
        let route = self.providers.route(&first.message, self.clock.now());
        let stop = *route.first().filter(|stop| foreseen(first) == Some(stop.name))?;
        let adapter = self.providers.adapter(stop.name).filter(|_| !stop.is_probe)?;
        (jobs.len() <= adapter.group_limit()).then_some((stop, adapter))
    }

    /// Delivers the messages of one request, those together that can go in one call, and returns
    /// them in their order.
    pub async fn deliver_all(&self, jobs: Vec<Job>) -> Result<Vec<Message>, StoreError> {
        let places: HashMap<_, _> =
            jobs.iter().enumerate().map(|(place, job)| (job.message.id, place)).collect();
        let calls = stream::iter(self.calls(jobs));
        let calls = calls.map(|call| self.deliver_group(call, Patience::Brief));
        let delivered: Vec<_> = calls.buffered(AT_ONCE).flat_map(stream::iter).collect().await;
        let mut messages = Vec::with_capacity(delivered.len());
        for worked in delivered {
            messages.push(self.leave_to_workers(worked?).await?);
        }
        messages.sort_by_key(|message| places.get(&message.id).copied());
        Ok(messages)
    }

    /// Parts messages into those that go in one call, or on their own.
    fn calls(&self, jobs: Vec<Job>) -> Vec<Vec<Job>> {
        let mut calls: Vec<Vec<Job>> = Vec::new();
        for job in jobs {
            let call = calls.last_mut().filter(|call| {
                let first = &call[0];
                Self::is_same_call(first, &job) && call.len() < self.group_limit(first)
            });
            match call {
                Some(call) => call.push(job),
                None => calls.push(vec![job]),
            }
        }
        calls
    }

    async fn deliver_each(&self, mut jobs: Vec<Job>, patience: Patience) -> Vec<Delivered> {
        if jobs.len() == 1
            && let Some(job) = jobs.pop()
        {
            return vec![self.work(job, patience).await];
        }
        stream::iter(jobs).map(|job| self.work(job, patience)).buffered(AT_ONCE).collect().await
    }

    /// Begins an attempt with each message. Returns those that can be gone on with, and what is
    /// known of the others.
    async fn begin_all(&self, jobs: Vec<Job>, provider: &str) -> (Vec<Job>, Vec<Delivered>) {
        let now = self.clock.now();
        let begin = async |mut job: Job| match self.begin_attempt(&mut job, provider, now).await {
            Ok(()) => Ok(job),
            Err(interruption) => {
                Err(self.put_down(job.message, interruption).await.map(Worked::Done))
            }
        };
        let (mut ready, mut others) = (Vec::with_capacity(jobs.len()), Vec::new());
        for job in join_all(jobs.into_iter().map(begin)).await {
            match job {
                Ok(job) => ready.push(job),
                Err(other) => others.push(other),
            }
        }
        (ready, others)
    }

    /// Hands messages over in one call, each after its attempt was written down. If it brings nothing
    /// but refusals, that may be for the sake of one of them, so each is tried on its own: begun
    /// anew, for the lease must outlive that call too.
    async fn deliver_together(
        &self,
        jobs: Vec<Job>,
        call: Call<'_>,
        patience: Patience,
    ) -> Vec<Delivered> {
        let Call { stop, adapter, place } = call;
        let (jobs, mut delivered) = self.begin_all(jobs, stop.name).await;
        if jobs.is_empty() {
            return delivered;
        }
        let messages: Vec<_> = jobs.iter().map(|job| job.message.clone()).collect();
        let sent = AssertUnwindSafe(adapter.send_group(&messages)).catch_unwind().await;
        drop(place);
        let mut outcomes = sent.unwrap_or_default();
        outcomes.resize_with(jobs.len(), forgotten);
        let is_refused = outcomes.len() > 1 && outcomes.iter().all(is_refusal);
        if !is_refused {
            self.hear_of_call(stop, &outcomes).await;
        }
        let rounds = jobs.into_iter().zip(outcomes).map(async |(job, outcome)| {
            let head = (!is_refused).then_some(Head { stop, outcome });
            let known = job.message.clone();
            let done = self.round(job, head, patience).await;
            self.finish(known, done).await
        });
        let at_once = if is_refused { AT_ONCE } else { messages.len() };
        delivered.extend(stream::iter(rounds).buffered(at_once).collect::<Vec<_>>().await);
        delivered
    }

    /// Takes in what a call tells of its provider: once, however many messages it was for, and the
    /// best of it. Nothing that concerns one recipient only hides what concerns all.
    async fn hear_of_call(&self, stop: Stop<'_>, outcomes: &[Outcome]) {
        let is_good = |outcome: &&Outcome| BreakerSignal::of(outcome) == BreakerSignal::Success;
        let is_of_all = |outcome: &&Outcome| BreakerSignal::of(outcome) != BreakerSignal::Neutral;
        let of_all = outcomes.iter().find(is_good).or(outcomes.iter().find(is_of_all));
        if let Some(telling) = of_all.or(outcomes.first()) {
            self.providers.states().hear(stop, telling, self.clock.now()).await;
        }
    }
}

/// Parts messages from those to a recipient that is among them already: vendors tell the messages of
/// a call apart by their recipients.
fn once_each(jobs: Vec<Job>) -> (Vec<Job>, Vec<Job>) {
    let mut seen = HashSet::with_capacity(jobs.len());
    jobs.into_iter().partition(|job| seen.insert(job.message.draft.recipient.clone()))
}

/// Whether the vendor certainly does not have a message, and that may be the fault of another in the
/// same call.
fn is_refusal(outcome: &Outcome) -> bool {
    match outcome {
        Outcome::Rejected(_) => true,
        Outcome::NotAccepted { failure, .. } => failure.code == FailureCode::ProviderRejected,
        Outcome::Accepted { .. } | Outcome::Unknown(_) => false,
    }
}

/// Of a message that the vendor's answer forgot nobody can say anything.
fn forgotten() -> Outcome {
    Outcome::Unknown(Failure::new(
        FailureCode::UnknownOutcome,
        "the provider did not say what became of the message",
    ))
}

/// The provider that a message was meant for when it was accepted.
fn foreseen(job: &Job) -> Option<&str> {
    let attempt = job.message.attempts.last().filter(|attempt| attempt.is_open())?;
    Some(&attempt.provider)
}
