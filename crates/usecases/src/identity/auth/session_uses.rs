//! Uses of sessions, which wait to be written together.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
};

use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    identity::{
        open_session::{OpenSession, SessionUse},
        session::Claims,
        user::User,
    },
    shared::id::Id,
};

/// Maximum number of sessions whose last uses are remembered. The uses of others are not recorded.
const MAX_SESSIONS: usize = 50_000;
/// Resolution of the last use of a session.
const NOTED_EVERY: TimeDelta = TimeDelta::minutes(5);

/// Last uses of sessions on this instance.
#[derive(Default)]
pub(super) struct SessionUses(Mutex<HashMap<Id<OpenSession>, Noted>>);

struct Noted {
    user: Id<User>,
    at: DateTime<Utc>,
    is_taken: bool,
}

impl SessionUses {
    /// Records a use of a session, at most once per resolution interval.
    pub(super) fn note(&self, claims: &Claims, now: DateTime<Utc>) {
        // The time at which the token was issued is on record, or close enough to it.
        if now - claims.issued_at < NOTED_EVERY {
            return;
        }
        let mut noted = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = noted.get(&claims.session);
        if known.is_some_and(|last| now - last.at < NOTED_EVERY) {
            return;
        }
        if known.is_some() || noted.len() < MAX_SESSIONS {
            noted.insert(claims.session, Noted { user: claims.user, at: now, is_taken: false });
        }
    }

    /// Takes the uses to be written, in the order in which all instances write, and forgets the
    /// sessions that have not been used for long.
    pub(super) fn take(&self, now: DateTime<Utc>) -> Vec<SessionUse> {
        let mut noted = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        noted.retain(|_, last| !last.is_taken || now - last.at < NOTED_EVERY);
        let mut uses = Vec::new();
        for (session, last) in noted.iter_mut().filter(|(_, last)| !last.is_taken) {
            last.is_taken = true;
            uses.push(SessionUse { user: last.user, session: *session, at: last.at });
        }
        uses.sort_unstable_by_key(|used| (used.user, used.session));
        uses
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shared::fixtures::NOW;

    fn claims(minutes: i64) -> Claims {
        let at = NOW + TimeDelta::minutes(minutes);
        let id = Id::<OpenSession>::new(at);
        Claims {
            user: Id::new(at),
            id: id.uuid(),
            session: id,
            issued_at: at,
            expires_at: at + TimeDelta::hours(24),
            version: 1,
            impersonation: None,
        }
    }

    #[test]
    fn a_session_is_written_at_most_once_in_five_minutes() {
        let (uses, session) = (SessionUses::default(), claims(0));
        for (minutes, written) in [(1, 0), (4, 0), (5, 1), (6, 0), (9, 0), (10, 1), (30, 1)] {
            let now = NOW + TimeDelta::minutes(minutes);
            uses.note(&session, now);
            uses.note(&session, now);
            let taken = uses.take(now);
            assert_eq!(taken.len(), written, "after {minutes} minutes");
            assert!(taken.iter().all(|used| used.session == session.session && used.at == now));
        }
    }

    #[test]
    fn uses_are_taken_in_one_order_and_once() {
        let (uses, now) = (SessionUses::default(), NOW + TimeDelta::hours(1));
        for minutes in [3, 1, 2] {
            uses.note(&claims(minutes), now);
        }
        let taken = uses.take(now);
        assert_eq!(taken.len(), 3);
        assert!(taken.is_sorted_by_key(|used| (used.user, used.session)));
        assert!(uses.take(now).is_empty());
    }
}
