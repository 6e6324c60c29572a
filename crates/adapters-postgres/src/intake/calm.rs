//! Of whom nothing has to be refused.

use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

use chrono::{DateTime, TimeDelta, Utc};
use domain::{id::Id, organization::Organization};

use super::decision::Decision;

/// How long an organization of which something was refused is looked at before it is decided.
const MEMORY: TimeDelta = TimeDelta::minutes(1);
/// How many organizations are remembered.
const MANY: usize = 10_000;

/// Knows the organizations of which something was refused or replayed of late: an empty wallet, a
/// suppressed recipient, a repeated key. Whoever decides their submissions without a look does it
/// twice.
#[derive(Default)]
pub(super) struct Calm(Mutex<HashMap<Id<Organization>, DateTime<Utc>>>);

impl Calm {
    /// Whether nothing was refused of any of them of late.
    pub(super) fn covers(
        &self,
        mut organizations: impl Iterator<Item = Id<Organization>>,
        now: DateTime<Utc>,
    ) -> bool {
        let restless = self.restless();
        restless.is_empty()
            || organizations.all(|it| restless.get(&it).is_none_or(|until| *until <= now))
    }

    /// Learns from decisions.
    pub(super) fn heed<'d>(
        &self,
        decisions: impl Iterator<Item = (Id<Organization>, &'d Decision)>,
        now: DateTime<Utc>,
    ) {
        let refused = decisions.filter(|(_, decision)| !decision.is_plain());
        let mut refused = refused.map(|(organization, _)| organization).peekable();
        if refused.peek().is_none() {
            return;
        }
        let mut restless = self.restless();
        if restless.len() >= MANY {
            restless.retain(|_, until| *until > now);
        }
        let room = MANY.saturating_sub(restless.len());
        restless.extend(refused.take(room).map(|organization| (organization, now + MEMORY)));
    }

    fn restless(&self) -> MutexGuard<'_, HashMap<Id<Organization>, DateTime<Utc>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use ports::messages::IntakeError;

    use super::*;

    const NOW: DateTime<Utc> = DateTime::UNIX_EPOCH;

    #[test]
    fn who_was_refused_something_is_looked_at_for_a_minute() {
        let (one, other) = (Id::new(NOW), Id::new(NOW));
        let calm = Calm::default();
        assert!(calm.covers([one, other].into_iter(), NOW));

        let decisions = [Decision::Refuse(IntakeError::Overloaded), Decision::Accept(Vec::new())];
        calm.heed([one, other].into_iter().zip(&decisions), NOW);

        assert!(!calm.covers([one, other].into_iter(), NOW));
        assert!(calm.covers([other].into_iter(), NOW));
        assert!(!calm.covers([one].into_iter(), NOW + TimeDelta::seconds(59)));
        assert!(calm.covers([one].into_iter(), NOW + MEMORY));
    }

    #[test]
    fn no_more_than_so_many_are_remembered_at_a_time() {
        let calm = Calm::default();
        let replay = Decision::Replay(Vec::new());
        let all: Vec<_> = (0..=MANY).map(|_| Id::new(NOW)).collect();
        calm.heed(all.iter().map(|id| (*id, &replay)), NOW);
        assert_eq!(calm.restless().len(), MANY);

        let late = Id::new(NOW);
        calm.heed([(late, &replay)].into_iter(), NOW + MEMORY);
        assert_eq!(calm.restless().len(), 1);
        assert!(!calm.covers([late].into_iter(), NOW + MEMORY));
    }
}
