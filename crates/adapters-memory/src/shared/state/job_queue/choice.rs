//! Choice of the due jobs that a claim takes: urgent priorities first, organizations in turn, and no more
//! of each provider queue than can be worked on.

use std::collections::BTreeMap;

use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    identity::organization::Organization,
    messaging::priority::{Priority, ProviderQueue},
    shared::id::Id,
};
use ports::messaging::messages::ClaimLimits;

use super::KeptJob;

pub(super) type PriorityAndQueue = (Priority, ProviderQueue);

/// Time that a job of a full provider queue must have been due before it is taken all the same, because it
/// may have expired.
const LONG_DUE: TimeDelta = TimeDelta::minutes(10);
/// Maximum number of such jobs per provider queue.
const LONG_DUE_JOBS: usize = 64;

/// Request to a provider queue.
struct Asked {
    jobs: usize,
    until: DateTime<Utc>,
}

/// Job that may be taken, with its turn in its provider queue.
struct Candidate {
    priority: Priority,
    turn: usize,
    provider_queue: ProviderQueue,
    number: u64,
}

/// Returns the numbers of the jobs to be taken, in the order of their turns. Updates the organization that
/// was last served in each provider queue.
pub(super) fn choose(
    jobs: &BTreeMap<u64, KeptJob>,
    limits: &ClaimLimits,
    last_turns: &mut BTreeMap<PriorityAndQueue, Id<Organization>>,
    now: DateTime<Utc>,
) -> Vec<u64> {
    let due = due_by_provider_queue(jobs, now);
    let mut candidates = Vec::new();
    for (place, asked) in ask(&due, limits, now) {
        let (priority, provider_queue) = place;
        let waiting = due.get(&place).map(Vec::as_slice).unwrap_or_default();
        let waiting = waiting.iter().filter(|(due_at, ..)| *due_at <= asked.until);
        let turns = in_turn(waiting.copied(), last_turns.get(&place).copied());
        let candidate = |(turn, number)| Candidate { priority, turn, provider_queue, number };
        candidates.extend(turns.into_iter().take(asked.jobs).enumerate().map(candidate));
    }
    candidates.sort_by_key(|it| (it.priority, it.turn, it.provider_queue));
    candidates.truncate(limits.total);

    let mut chosen = Vec::with_capacity(candidates.len());
    for candidate in candidates {
        if let Some(job) = jobs.get(&candidate.number) {
            last_turns.insert((candidate.priority, candidate.provider_queue), job.organization);
            chosen.push(candidate.number);
        }
    }
    chosen
}

/// Due job: the time at which it became due, its number and its organization.
type Due = (DateTime<Utc>, u64, Id<Organization>);

/// Returns the due jobs of each provider queue, longest due first.
fn due_by_provider_queue(
    jobs: &BTreeMap<u64, KeptJob>,
    now: DateTime<Utc>,
) -> BTreeMap<PriorityAndQueue, Vec<Due>> {
    let mut provider_queues = BTreeMap::<_, Vec<_>>::new();
    for (number, job) in jobs {
        if let Some(due_at) = job.due_at.filter(|due_at| *due_at <= now) {
            let provider_queue =
                provider_queues.entry((job.priority, job.provider_queue)).or_default();
            provider_queue.push((due_at, *number, job.organization));
        }
    }
    for provider_queue in provider_queues.values_mut() {
        provider_queue.sort_unstable();
    }
    provider_queues
}

/// Requests as many jobs of each provider queue as fit. Provider queues of one priority share the total.
fn ask(
    due: &BTreeMap<PriorityAndQueue, Vec<Due>>,
    limits: &ClaimLimits,
    now: DateTime<Utc>,
) -> Vec<(PriorityAndQueue, Asked)> {
    let room = |(priority, provider_queue): PriorityAndQueue| {
        let known = limits
            .provider_queues
            .iter()
            .find(|it| (it.priority, it.provider_queue) == (priority, provider_queue));
        known.map_or(limits.unknown_queues, |it| it.jobs)
    };
    let open_queues =
        |priority: Priority| due.keys().filter(|it| it.0 == priority && room(**it) > 0).count();
    let asked = |place: &PriorityAndQueue| match room(*place) {
        0 => (*place, Asked { jobs: LONG_DUE_JOBS, until: now - LONG_DUE }),
        room => {
            let share = 1 + 4 * limits.total / open_queues(place.0).max(1);
            (*place, Asked { jobs: room.min(share), until: now })
        }
    };
    due.keys().map(asked).collect()
}

/// Returns the numbers of jobs in turn: the first of each organization before the second of any, beginning
/// behind the organization that was last served.
fn in_turn(due: impl Iterator<Item = Due>, last: Option<Id<Organization>>) -> Vec<u64> {
    let mut places = BTreeMap::<Id<Organization>, usize>::new();
    let mut turns = Vec::new();
    for (_, number, organization) in due {
        let place = places.entry(organization).or_default();
        *place += 1;
        let is_behind = last.is_some_and(|last| organization <= last);
        turns.push((*place, is_behind, organization, number));
    }
    turns.sort_unstable();
    turns.into_iter().map(|(.., number)| number).collect()
}
