//! Messages of a request that wait for their time.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use domain::messaging::{job::Job, message::Message};
use ports::{
    messaging::messages::{FirstWorker, Submission},
    shared::store::StoreError,
};

use super::Messages;

/// Returns the submission with the times of its messages, in their order; `None` for those that go at
/// once.
pub(crate) fn scheduled(
    mut submission: Submission,
    times: impl Iterator<Item = Option<DateTime<Utc>>>,
) -> Submission {
    let is_async = submission.first_worker == FirstWorker::Workers;
    let messages = std::mem::take(&mut submission.messages);
    let messages = messages.into_iter().zip(times).map(|(message, at)| match at {
        Some(at) => message.scheduled(at, is_async),
        None => message,
    });
    submission.messages = messages.collect();
    submission
}

impl Messages {
    /// Delivers the accepted messages that do not wait for their time, and returns all in their order.
    pub(super) async fn deliver_due(&self, jobs: Vec<Job>) -> Result<Vec<Message>, StoreError> {
        if !jobs.iter().any(|job| job.message.is_scheduled()) {
            return self.deps.deliveries.deliver_all(jobs).await;
        }
        let places: HashMap<_, _> =
            jobs.iter().enumerate().map(|(place, job)| (job.message.id, place)).collect();
        let (waiting, due): (Vec<_>, Vec<_>) =
            jobs.into_iter().partition(|job| job.message.is_scheduled());
        let mut messages = self.deps.deliveries.deliver_all(due).await?;
        messages.extend(waiting.into_iter().map(|job| job.message));
        messages.sort_by_key(|message| places.get(&message.id).copied());
        Ok(messages)
    }
}
