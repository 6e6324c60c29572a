//! Progress of this process's claims, so that none reads again what an earlier one has handled.

use std::{
    collections::{HashMap, HashSet},
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use chrono::{DateTime, Utc};
use ports::messaging::messages::ClaimLimits;
use uuid::Uuid;

/// Interval at which a claim looks for due jobs from the beginning. The others begin some seconds
/// before the end of what an earlier one saw, and miss jobs that took longer to be committed, or
/// were locked at that time.
const SWEEP: Duration = Duration::from_secs(30);

/// Provider queue of a priority, as in the database: the rank and the number of the queue.
pub(super) type PrioritizedQueue = (i16, i32);

/// Progress of the claims.
#[derive(Default)]
pub(super) struct ClaimProgress(Mutex<Progress>);

#[derive(Default)]
struct Progress {
    /// Time up to which all due jobs have been seen.
    seen_until: Option<DateTime<Utc>>,
    swept_at: Option<Instant>,
    /// Organizations that had the last turn.
    last_turns: HashMap<PrioritizedQueue, Uuid>,
}

/// Request of a claim, column by column.
#[derive(Default)]
pub(super) struct Asked {
    pub(super) priorities: Vec<i16>,
    pub(super) provider_queues: Vec<i32>,
    /// Number of jobs of each provider queue.
    pub(super) jobs: Vec<i64>,
    /// Organization after which the turns of each provider queue begin.
    pub(super) after: Vec<Option<Uuid>>,
    /// Time from which due jobs are searched; `None` means from the beginning.
    pub(super) since: Option<DateTime<Utc>>,
}

impl ClaimProgress {
    /// Returns the request of the next claim.
    pub(super) fn ask(&self, limits: &ClaimLimits, now: Instant) -> Asked {
        let mut progress = self.progress();
        let is_sweep = progress.swept_at.is_none_or(|at| now >= at + SWEEP);
        if is_sweep {
            progress.swept_at = Some(now);
        }
        let mut asked =
            Asked { since: progress.seen_until.filter(|_| !is_sweep), ..Asked::default() };
        let mut known = HashSet::with_capacity(limits.provider_queues.len());
        for limit in &limits.provider_queues {
            let provider_queue = (limit.priority.rank(), limit.provider_queue.0);
            known.insert(provider_queue);
            asked.add(
                provider_queue,
                limit.jobs,
                progress.last_turns.get(&provider_queue).copied(),
            );
        }
        for (provider_queue, organization) in &progress.last_turns {
            if !known.contains(provider_queue) {
                asked.add(*provider_queue, limits.unknown_queues, Some(*organization));
            }
        }
        asked
    }

    /// Records the range that a claim has seen, and the organizations that had the last turn in the
    /// provider queues that it served.
    pub(super) fn note(
        &self,
        seen_until: Option<DateTime<Utc>>,
        last_turns: HashMap<PrioritizedQueue, Uuid>,
    ) {
        let mut progress = self.progress();
        progress.seen_until = seen_until;
        if last_turns.is_empty() {
            // Nobody waits for a turn.
            progress.last_turns.clear();
        }
        progress.last_turns.extend(last_turns);
    }

    fn progress(&self) -> MutexGuard<'_, Progress> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Asked {
    fn add(
        &mut self,
        (priority, provider_queue): PrioritizedQueue,
        jobs: usize,
        after: Option<Uuid>,
    ) {
        self.priorities.push(priority);
        self.provider_queues.push(provider_queue);
        self.jobs.push(count(jobs));
        self.after.push(after);
    }
}

/// Converts a number of jobs to the type of the database.
pub(super) fn count(jobs: usize) -> i64 {
    i64::try_from(jobs).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use domain::messaging::priority::{Priority, ProviderQueue};
    use ports::messaging::messages::ProviderQueueLimit;

    use super::*;

    #[test]
    fn a_claim_continues_after_the_last_and_sweeps_twice_a_minute() {
        let (progress, start) = (ClaimProgress::default(), Instant::now());
        let since = |seconds| {
            let now = start + Duration::from_secs(seconds);
            progress.ask(&ClaimLimits::any(1), now).since
        };
        assert_eq!(since(0), None);
        let seen = DateTime::from_timestamp(1_790_000_000, 0);
        progress.note(seen, HashMap::new());

        assert_eq!((since(1), since(29)), (seen, seen));
        assert_eq!((since(30), since(31)), (None, seen));
        progress.note(None, HashMap::new());
        assert_eq!(since(32), None, "the last one saw only a part");
    }

    #[test]
    fn turns_continue_after_the_last_organization_of_each_queue() {
        let (progress, now) = (ClaimProgress::default(), Instant::now());
        let (known, unknown) = (Uuid::from_u128(1), Uuid::from_u128(2));
        let limits = ClaimLimits {
            provider_queues: vec![ProviderQueueLimit {
                priority: Priority::Single,
                provider_queue: ProviderQueue(7),
                jobs: 3,
            }],
            ..ClaimLimits::any(9)
        };
        assert_eq!(progress.ask(&limits, now).after, [None]);

        progress.note(None, HashMap::from([((2, 7), known), ((3, 8), unknown)]));

        let asked = progress.ask(&limits, now);
        assert_eq!(
            (asked.priorities, asked.provider_queues, asked.jobs),
            (vec![2, 3], vec![7, 8], vec![3, 9])
        );
        assert_eq!(asked.after, [Some(known), Some(unknown)]);
        progress.note(None, HashMap::new());
        assert_eq!(progress.ask(&limits, now).after, [None], "nobody waits for a turn");
    }
}
