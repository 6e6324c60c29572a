//! The jobs that wait in memory for a worker.

use std::time::Duration;

use chrono::{DateTime, Utc};
use domain::{
    job::Job,
    lane::{Lane, LaneQueue, Line, QueueKey},
};
use tokio::time::Instant;
use usecases::deliveries::Deliveries;

/// How long a job may wait here for a provider: half as long as its lease lasts.
const STALE: Duration = Duration::from_secs(60);
/// How many bytes all that wait here may take, more or less.
const BYTES: usize = 256 << 20;
/// What a job takes beside its text.
const FRAME: usize = 1_024;

/// The jobs that wait, by urgency and by what they wait for.
pub(super) struct Waiting {
    queue: LaneQueue<Held>,
    bytes: usize,
}

struct Held {
    job: Job,
    since: Instant,
}

impl Waiting {
    pub(super) fn new(capacity_per_lane: usize) -> Self {
        Self { queue: LaneQueue::new(capacity_per_lane), bytes: 0 }
    }

    /// How many more jobs a lane takes.
    pub(super) fn room(&self, lane: Lane) -> usize {
        if self.bytes >= BYTES { 0 } else { self.queue.room(lane) }
    }

    /// How many jobs wait in a line of a lane.
    pub(super) fn count(&self, lane: Lane, line: Line) -> usize {
        self.queue.waiting(lane, line)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.queue.is_empty()
    }

    /// Whether fewer than `few` jobs wait.
    pub(super) fn is_low(&self, few: usize) -> bool {
        self.queue.len() < few
    }

    /// Puts a job into a line, or gives it back when there is no room.
    pub(super) fn push(&mut self, line: Line, job: Job) -> Option<Job> {
        if self.room(job.message.lane) == 0 {
            return Some(job);
        }
        let spot =
            QueueKey { lane: job.message.lane, line, organization: job.message.organization };
        let weight = weight(&job);
        let held = Held { job, since: Instant::now() };
        match self.queue.push(spot, held) {
            Ok(()) => {
                self.bytes += weight;
                None
            }
            Err(held) => Some(held.job),
        }
    }

    /// Takes the jobs whose turn it is among the lines that are open.
    pub(super) fn take(
        &mut self,
        is_open: impl FnMut(Line) -> bool,
        limit: impl Fn(&Job) -> usize,
    ) -> Vec<Job> {
        let group = self.queue.pop_group(
            is_open,
            |held| limit(&held.job),
            |first, next| Deliveries::is_same_call(&first.job, &next.job),
        );
        self.taken(group)
    }

    /// Takes out what has waited for a provider for too long, or has expired.
    pub(super) fn take_stale(&mut self, now: DateTime<Utc>) -> Vec<Job> {
        let stale = self.queue.take_out(|line, held| {
            let is_over = held.since.elapsed() > STALE || held.job.message.expires_at <= now;
            line != Line::FREE && is_over
        });
        self.taken(stale)
    }

    /// Takes out all there is.
    pub(super) fn take_all(&mut self) -> Vec<Job> {
        let all = self.queue.take_out(|_, _| true);
        self.taken(all)
    }

    fn taken(&mut self, held: Vec<Held>) -> Vec<Job> {
        let jobs: Vec<_> = held.into_iter().map(|held| held.job).collect();
        self.bytes -= jobs.iter().map(weight).sum::<usize>();
        jobs
    }
}

fn weight(job: &Job) -> usize {
    job.message.draft.body.len() + FRAME
}
