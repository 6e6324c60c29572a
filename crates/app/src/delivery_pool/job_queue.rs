//! The jobs that wait in memory for a worker.

use std::time::Duration;

use chrono::{DateTime, Utc};
use domain::messaging::{
    job::Job,
    priority::{Line, Priority, PriorityQueue, QueueKey},
};
use tokio::time::Instant;
use usecases::messaging::deliveries::Deliveries;

/// How long a job may wait here for a provider: half as long as its lease lasts.
const MAX_WAIT: Duration = Duration::from_secs(60);
/// How many bytes all jobs here may take, more or less.
const MAX_BYTES: usize = 256 << 20;
/// How many bytes a job takes beside its text, more or less.
const OVERHEAD: usize = 1_024;

/// The jobs that wait, by urgency and by what they wait for.
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

    /// How many more jobs a priority takes.
    pub(super) fn room(&self, priority: Priority) -> usize {
        if self.bytes >= MAX_BYTES { 0 } else { self.priorities.room(priority) }
    }

    /// How many jobs wait in a line of a priority.
    pub(super) fn count(&self, priority: Priority, line: Line) -> usize {
        self.priorities.count(priority, line)
    }

    /// How many jobs wait, in each line of each priority in which any do.
    pub(super) fn counts(&self) -> impl Iterator<Item = (Priority, Line, usize)> {
        self.priorities.counts()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.priorities.is_empty()
    }

    /// How many jobs wait.
    pub(super) fn len(&self) -> usize {
        self.priorities.len()
    }

    /// Puts a job into a line, or gives it back when there is no room.
    pub(super) fn push(&mut self, line: Line, job: Job) -> Option<Job> {
        if self.room(job.message.priority) == 0 {
            return Some(job);
        }
        let key = QueueKey {
            priority: job.message.priority,
            line,
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

    /// Takes the jobs whose turn it is among the lines that are open.
    pub(super) fn take(
        &mut self,
        is_open: impl FnMut(Line) -> bool,
        limit: impl Fn(&Job) -> usize,
    ) -> Vec<Job> {
        let group = self.priorities.pop_group(
            is_open,
            |waiting| limit(&waiting.job),
            |first, next| Deliveries::is_same_call(&first.job, &next.job),
        );
        self.taken(group)
    }

    /// Takes out what has waited for a provider for too long, or has expired.
    pub(super) fn take_stale(&mut self, now: DateTime<Utc>) -> Vec<Job> {
        let stale = self.priorities.take_out(|line, waiting| {
            let is_over =
                waiting.since.elapsed() > MAX_WAIT || waiting.job.message.expires_at <= now;
            line != Line::FREE && is_over
        });
        self.taken(stale)
    }

    /// Takes out all there is.
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
