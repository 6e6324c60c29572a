//! Messages of the same text, handed over in one call where the vendor has such a call.

use domain::{
    delivery::{Delivery, Failure, FailureCode},
    job::Job,
    message::Message,
    provider::Outcome,
};
use futures_util::future::join_all;
use ports::store::StoreError;

use super::Deliveries;

/// What came of handing a message to its first provider, together with others.
pub(super) struct Head<'p> {
    pub(super) provider: &'p str,
    pub(super) outcome: Outcome,
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
    }

    /// Delivers messages that can go in one call, as many as [`group_limit`](Self::group_limit)
    /// allows. What becomes of each is its own affair again after that call.
    pub async fn deliver_group(&self, jobs: Vec<Job>) -> Vec<Result<Message, StoreError>> {
        let jobs = match <[Job; 1]>::try_from(jobs) {
            Ok([job]) => return vec![self.deliver(job).await],
            Err(jobs) => jobs,
        };
        let first = jobs.first().and_then(|job| Some((foreseen(job)?.to_owned(), job)));
        let is_first_choice = first.as_ref().is_some_and(|(name, job)| {
            let route = self.providers.route(&job.message, self.clock.now());
            route.first().is_some_and(|stop| stop.name == name && !stop.is_probe)
        });
        let adapter = first.as_ref().and_then(|(name, _)| self.providers.adapter(name));
        let (Some((name, _)), Some(adapter), true) = (&first, adapter, is_first_choice) else {
            return join_all(jobs.into_iter().map(|job| self.deliver(job))).await;
        };
        let messages: Vec<_> = jobs.iter().map(|job| job.message.clone()).collect();
        let mut outcomes = adapter.send_group(&messages).await;
        // Of a message that the vendor's answer forgot nobody can say anything.
        outcomes.resize_with(jobs.len(), || {
            Outcome::Unknown(Failure::new(
                FailureCode::UnknownOutcome,
                "the provider did not say what became of the message",
            ))
        });
        let deliveries = jobs
            .into_iter()
            .zip(outcomes)
            .map(|(job, outcome)| self.deliver_after(job, Some(Head { provider: name, outcome })));
        join_all(deliveries).await
    }
}

/// The provider that a message was meant for when it was accepted.
fn foreseen(job: &Job) -> Option<&str> {
    let attempt = job.message.attempts.last().filter(|attempt| attempt.is_open())?;
    Some(&attempt.provider)
}
