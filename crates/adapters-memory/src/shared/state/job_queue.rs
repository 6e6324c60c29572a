//! Jobs and their leases.

mod choice;

use std::collections::BTreeMap;

use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    identity::organization::Organization,
    messaging::{
        delivery::Status,
        job::{AttemptBegun, JobConcluded, JobPostponed, Lease, ReportApplied, Step},
        message::{Message, Source},
        priority::{Priority, ProviderQueue},
    },
    shared::id::Id,
};
use ports::messaging::messages::ClaimLimits;
use uuid::Uuid;

use self::choice::PriorityAndQueue;

/// Duration of a lease.
pub(crate) const LEASE: TimeDelta = TimeDelta::seconds(120);

/// Stored job.
#[derive(Debug, Clone)]
pub(crate) struct KeptJob {
    pub(crate) message: Id<Message>,
    pub(crate) organization: Id<Organization>,
    pub(crate) priority: Priority,
    pub(crate) provider_queue: ProviderQueue,
    pub(crate) lease: Lease,
    /// Time at which it may be claimed, or at which its lease ends; `None` if it waits for a hold to end.
    pub(crate) due_at: Option<DateTime<Utc>>,
    pub(crate) rounds: u8,
    /// Organization or campaign that holds it back.
    pub(crate) held_by: Option<Uuid>,
}

/// Jobs of all instances, in order of acceptance.
#[derive(Default)]
pub(crate) struct JobQueue {
    jobs: BTreeMap<u64, KeptJob>,
    numbers: BTreeMap<Id<Message>, u64>,
    added: u64,
    /// Organization that was last served, by priority and provider queue.
    last_turns: BTreeMap<PriorityAndQueue, Id<Organization>>,
}

impl JobQueue {
    /// Adds the job of a newly accepted message.
    pub(crate) fn add(
        &mut self,
        message: &Message,
        provider_queue: ProviderQueue,
        lease: Lease,
        now: DateTime<Utc>,
    ) {
        self.added += 1;
        let due_at = message.scheduled_at.filter(|_| message.is_scheduled()).unwrap_or(now);
        let due_at = Some(if lease.is_held() { now + LEASE } else { due_at });
        let job = KeptJob {
            message: message.id,
            organization: message.organization,
            priority: message.priority,
            provider_queue,
            lease,
            due_at,
            rounds: 0,
            held_by: None,
        };
        self.jobs.insert(self.added, job);
        self.numbers.insert(message.id, self.added);
    }

    pub(crate) fn all(&self) -> impl Iterator<Item = &KeptJob> {
        self.jobs.values()
    }

    pub(crate) fn find(&self, message: Id<Message>) -> Option<&KeptJob> {
        self.jobs.get(self.numbers.get(&message)?)
    }

    fn find_mut(&mut self, message: Id<Message>) -> Option<&mut KeptJob> {
        self.jobs.get_mut(self.numbers.get(&message)?)
    }

    fn remove(&mut self, message: Id<Message>) {
        if let Some(number) = self.numbers.remove(&message) {
            self.jobs.remove(&number);
        }
    }

    /// Returns true if `lease` holds the job of a message.
    pub(crate) fn holds(&self, message: Id<Message>, lease: Lease) -> bool {
        lease.is_held() && self.find(message).is_some_and(|job| job.lease == lease)
    }

    /// Leases due jobs within limits, in the order in which they are to be worked on.
    pub(crate) fn claim(
        &mut self,
        limits: &ClaimLimits,
        lease: Lease,
        now: DateTime<Utc>,
    ) -> Vec<KeptJob> {
        let chosen = choice::choose(&self.jobs, limits, &mut self.last_turns, now);
        let mut claimed = Vec::with_capacity(chosen.len());
        for number in chosen {
            if let Some(job) = self.jobs.get_mut(&number) {
                (job.lease, job.due_at, job.held_by) = (lease, Some(now + LEASE), None);
                claimed.push(job.clone());
            }
        }
        claimed
    }

    /// Releases a job, if `lease` holds it. Returns false otherwise.
    pub(crate) fn release(
        &mut self,
        message: Id<Message>,
        lease: Lease,
        provider_queue: ProviderQueue,
        now: DateTime<Utc>,
    ) -> bool {
        if !self.holds(message, lease) {
            return false;
        }
        if let Some(job) = self.find_mut(message) {
            (job.lease, job.due_at, job.provider_queue) = (Lease::NONE, Some(now), provider_queue);
        }
        true
    }

    /// Releases the jobs that an instance has leased, and returns their number.
    pub(crate) fn release_instance(&mut self, instance: u64, now: DateTime<Utc>) -> usize {
        let held =
            |job: &&mut KeptJob| job.lease.is_held() && job.lease.0.as_u64_pair().0 == instance;
        let mut released = 0;
        for job in self.jobs.values_mut().filter(held) {
            (job.lease, job.due_at) = (Lease::NONE, Some(now));
            released += 1;
        }
        released
    }

    /// Releases jobs that are held by a campaign or by an organization that is not `suspended`, and returns
    /// their number.
    pub(crate) fn release_held(
        &mut self,
        suspended: &[Id<Organization>],
        now: DateTime<Utc>,
    ) -> usize {
        let is_over = |held_by: Uuid| !suspended.contains(&Id::of(held_by));
        let mut released = 0;
        for job in self.jobs.values_mut().filter(|job| job.held_by.is_some_and(is_over)) {
            (job.held_by, job.due_at) = (None, Some(now));
            released += 1;
        }
        released
    }

    /// Applies a step that was made in time to its job.
    pub(crate) fn apply(&mut self, step: &Step, now: DateTime<Utc>) {
        let message = step.message();
        match step {
            Step::AttemptBegun(AttemptBegun { rounds, .. }) => {
                if let Some(job) = self.find_mut(message.id) {
                    (job.due_at, job.rounds) = (Some(now + LEASE), *rounds);
                }
            }
            Step::JobPostponed(postponed) => {
                if let Some(job) = self.find_mut(message.id) {
                    postpone(job, postponed, now);
                }
            }
            Step::JobConcluded(JobConcluded { due_in: None, .. })
            | Step::ReportApplied(ReportApplied { due_in: None, .. }) => self.remove(message.id),
            Step::JobConcluded(JobConcluded { due_in: Some(wait), .. })
            | Step::ReportApplied(ReportApplied { due_in: Some(wait), .. }) => {
                if let Some(job) = self.find_mut(message.id) {
                    put_off(job, step, *wait, now);
                }
            }
        }
    }
}

fn postpone(job: &mut KeptJob, step: &JobPostponed, now: DateTime<Utc>) {
    let campaign = step.message.source.and_then(Source::campaign);
    job.lease = Lease::NONE;
    job.provider_queue = step.provider_queue;
    job.held_by = if step.is_suspended {
        Some(step.message.organization.uuid())
    } else {
        campaign.map(Id::uuid)
    };
    // Not a moment too early, or it would be postponed again.
    job.due_at = step.due_in.map(|wait| now + wait + TimeDelta::milliseconds(1));
}

fn put_off(job: &mut KeptJob, step: &Step, wait: TimeDelta, now: DateTime<Utc>) {
    let is_queued = step.message().delivery.status() == Status::Queued;
    job.lease = Lease::NONE;
    job.rounds = step.rounds().unwrap_or(job.rounds);
    job.provider_queue = match step {
        Step::JobConcluded(concluded) if is_queued => concluded.provider_queue,
        _ => ProviderQueue::FREE,
    };
    job.held_by = None;
    job.due_at = Some(now + wait);
}
