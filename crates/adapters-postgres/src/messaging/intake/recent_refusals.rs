//! Organizations with recent refusals.

use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

use chrono::{DateTime, TimeDelta, Utc};
use domain::{identity::organization::Organization, shared::id::Id};

use super::decision::Decision;

/// Time after a refusal for which an organization's state is read before its submissions are
/// decided.
const MEMORY: TimeDelta = TimeDelta::minutes(1);
/// Maximum number of organizations remembered.
const CAPACITY: usize = 10_000;

/// Remembers the organizations with recent refusals or replays: an empty wallet, a suppressed
/// recipient, a repeated key. An optimistic decision of their submissions would often have to be
/// made twice.
#[derive(Default)]
pub(super) struct RecentRefusals(Mutex<HashMap<Id<Organization>, DateTime<Utc>>>);

impl RecentRefusals {
    /// True if none of them had a recent refusal.
    pub(super) fn spare(
        &self,
        mut organizations: impl Iterator<Item = Id<Organization>>,
        now: DateTime<Utc>,
    ) -> bool {
        let ends = self.ends();
        ends.is_empty() || organizations.all(|it| ends.get(&it).is_none_or(|end| *end <= now))
    }

    /// Records the refusals among decisions.
    pub(super) fn learn<'d>(
        &self,
        decisions: impl Iterator<Item = (Id<Organization>, &'d Decision)>,
        now: DateTime<Utc>,
    ) {
        let refused = decisions.filter(|(_, decision)| !decision.is_plain());
        let mut refused = refused.map(|(organization, _)| organization).peekable();
        if refused.peek().is_none() {
            return;
        }
        let mut ends = self.ends();
        if ends.len() >= CAPACITY {
            ends.retain(|_, end| *end > now);
        }
        let room = CAPACITY.saturating_sub(ends.len());
        ends.extend(refused.take(room).map(|organization| (organization, now + MEMORY)));
    }

    fn ends(&self) -> MutexGuard<'_, HashMap<Id<Organization>, DateTime<Utc>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use ports::messaging::messages::IntakeError;

    use super::*;

    const NOW: DateTime<Utc> = DateTime::UNIX_EPOCH;

    #[test]
    fn remembers_a_refusal_for_a_minute() {
        let (one, other) = (Id::new(NOW), Id::new(NOW));
        let refusals = RecentRefusals::default();
        assert!(refusals.spare([one, other].into_iter(), NOW));

        let decisions = [Decision::Refuse(IntakeError::Overloaded), Decision::Accept(Vec::new())];
        refusals.learn([one, other].into_iter().zip(&decisions), NOW);

        assert!(!refusals.spare([one, other].into_iter(), NOW));
        assert!(refusals.spare([other].into_iter(), NOW));
        assert!(!refusals.spare([one].into_iter(), NOW + TimeDelta::seconds(59)));
        assert!(refusals.spare([one].into_iter(), NOW + MEMORY));
    }

    #[test]
    fn remembers_a_limited_number_of_organizations() {
        let refusals = RecentRefusals::default();
        let replay = Decision::Replay(Vec::new());
        // Identifiers of the first millisecond of all have fewer random bits.
        let all: Vec<_> = (0..=CAPACITY).map(|_| Id::new(NOW + MEMORY)).collect();
        refusals.learn(all.iter().map(|id| (*id, &replay)), NOW);
        assert_eq!(refusals.ends().len(), CAPACITY);

        let late = Id::new(NOW);
        refusals.learn([(late, &replay)].into_iter(), NOW + MEMORY);
        assert_eq!(refusals.ends().len(), 1);
        assert!(!refusals.spare([late].into_iter(), NOW + MEMORY));
    }
}
