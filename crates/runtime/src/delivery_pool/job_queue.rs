//! Jobs that wait in memory for a worker.

use std::time::Duration;

use chrono::{DateTime, Utc};
use domain::messaging::{
    job::Job,
    priority::{Priority, PriorityQueue, ProviderQueue, QueueKey},
};
use tokio::time::Instant;
use usecases::messaging::deliveries::Deliveries;

/// Longest time that a job waits here for a provider: half the duration of its lease.
const MAX_WAIT: Duration = Duration::from_secs(60);
/// Most bytes of all jobs here, approximately.
const MAX_BYTES: usize = 256 << 20;
/// Bytes of a job in addition to its text, approximately.
const OVERHEAD: usize = 1_024;

/// Waiting jobs by priority and provider queue.
pub(super) struct JobQueue {
    priorities: PriorityQueue<WaitingJob>,
    bytes: usize,
}

struct WaitingJob {
    job: Job,
    since: Instant,
}

impl JobQueue {
    pub(super) fn new(capacity_per_priority: usize) -> Self {
        Self { priorities: PriorityQueue::new(capacity_per_priority), bytes: 0 }
    }

    /// Returns the number of further jobs that a priority takes.
    pub(super) fn room(&self, priority: Priority) -> usize {
        if self.bytes >= MAX_BYTES { 0 } else { self.priorities.room(priority) }
    }

    /// Returns the number of waiting jobs of a priority in a provider queue.
    pub(super) fn count(&self, priority: Priority, provider_queue: ProviderQueue) -> usize {
        self.priorities.count(priority, provider_queue)
    }

    /// Returns the number of waiting jobs for each priority and provider queue that has any.
    pub(super) fn counts(&self) -> impl Iterator<Item = (Priority, ProviderQueue, usize)> {
        self.priorities.counts()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.priorities.is_empty()
    }

    /// Returns the number of waiting jobs.
    pub(super) fn len(&self) -> usize {
        self.priorities.len()
    }

    /// Adds a job to a provider queue; returns it if there is no room.
    pub(super) fn push(&mut self, provider_queue: ProviderQueue, job: Job) -> Option<Job> {
        if self.room(job.message.priority) == 0 {
            return Some(job);
        }
        let key = QueueKey {
            priority: job.message.priority,
            provider_queue,
            organization: job.message.organization,
        };
        let bytes = bytes(&job);
        let waiting = WaitingJob { job, since: Instant::now() };
        match self.priorities.push(key, waiting) {
            Ok(()) => {
                self.bytes += bytes;
                None
            }
            Err(waiting) => Some(waiting.job),
        }
    }

    /// Takes the next jobs from the open provider queues.
    pub(super) fn take(
        &mut self,
        is_open: impl FnMut(ProviderQueue) -> bool,
        limit: impl Fn(&Job) -> usize,
    ) -> Vec<Job> {
        let group = self.priorities.pop_group(
            is_open,
            |waiting| limit(&waiting.job),
            |first, next| Deliveries::is_same_call(&first.job, &next.job),
        );
        self.taken(group)
    }

    /// Takes out jobs that have expired or have waited too long for a provider.
    pub(super) fn take_stale(&mut self, now: DateTime<Utc>) -> Vec<Job> {
        let stale = self.priorities.take_out(|provider_queue, waiting| {
            let is_over =
                waiting.since.elapsed() > MAX_WAIT || waiting.job.message.expires_at <= now;
            provider_queue != ProviderQueue::FREE && is_over
        });
        self.taken(stale)
    }

    /// Takes out all jobs.
    pub(super) fn take_all(&mut self) -> Vec<Job> {
        let all = self.priorities.take_out(|_, _| true);
        self.taken(all)
    }

    fn taken(&mut self, waiting: Vec<WaitingJob>) -> Vec<Job> {
        let jobs: Vec<_> = waiting.into_iter().map(|waiting| waiting.job).collect();
        self.bytes -= jobs.iter().map(bytes).sum::<usize>();
        jobs
    }
}

fn bytes(job: &Job) -> usize {
    job.message.draft.body.len() + OVERHEAD
}
