//! Alerts: few of the codes of an organization arrive in a range.

use chrono::{DateTime, TimeDelta, Utc};

use super::{
    OperatorRange, Windows,
    code_share::{Evidence, hour_of},
};
use crate::{
    identity::{organization::Organization, user::User},
    shared::id::Id,
};

/// For how long codes are stopped. Then they are looked at anew.
pub const STOP: TimeDelta = TimeDelta::hours(1);
/// For how long nothing is stopped again after an owner has lifted a stop.
pub const LIFTED: TimeDelta = TimeDelta::hours(24);

/// Far fewer codes of an organization arrived in a range than usual. There is one for each range and
/// day.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrafficAlert {
    /// Which alert this is.
    pub id: Id<TrafficAlert>,
    /// Whose codes.
    pub organization: Id<Organization>,
    /// To which numbers.
    pub range: OperatorRange,
    /// When it was found.
    pub found_at: DateTime<Utc>,
    /// By which figures: the latest ones.
    pub evidence: Evidence,
    /// Until when codes to the range are stopped, or were; none if they never were.
    pub stopped_until: Option<DateTime<Utc>>,
    /// When somebody lifted that.
    pub lifted_at: Option<DateTime<Utc>>,
    /// Who did.
    pub lifted_by: Option<Id<User>>,
}

impl TrafficAlert {
    /// Whether codes to the range are stopped.
    pub fn is_stopped(&self, now: DateTime<Utc>) -> bool {
        self.lifted_at.is_none() && self.stopped_until.is_some_and(|until| until > now)
    }

    /// Whether an owner has said of late that these codes are to go.
    pub fn was_lifted_lately(&self, now: DateTime<Utc>) -> bool {
        self.lifted_at.is_some_and(|lifted_at| now - lifted_at < LIFTED)
    }

    /// The times in which codes are compared after this alert: what was known when they were stopped
    /// does not count a second time.
    pub fn windows_after(&self, windows: Windows) -> Windows {
        let ended = self.stopped_until.map(hour_of);
        let recent_since = ended.map_or(windows.recent_since, |end| end.max(windows.recent_since));
        Windows { recent_since, ..windows }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::identity::organization::PLATFORM;

    fn at(minutes: i64) -> DateTime<Utc> {
        DateTime::from_timestamp(1_700_000_400, 0).unwrap() + TimeDelta::minutes(minutes)
    }

    fn alert() -> TrafficAlert {
        TrafficAlert {
            id: Id::new_in(at(0), PLATFORM),
            organization: PLATFORM,
            range: OperatorRange::stored(23_324),
            found_at: at(0),
            evidence: Evidence::default(),
            stopped_until: Some(at(60)),
            lifted_at: None,
            lifted_by: None,
        }
    }

    #[test]
    fn a_stop_ends_by_itself_or_when_it_is_lifted() {
        assert!(alert().is_stopped(at(59)) && !alert().is_stopped(at(60)));
        let lifted = TrafficAlert { lifted_at: Some(at(5)), ..alert() };
        assert!(!lifted.is_stopped(at(6)));
        assert!(lifted.was_lifted_lately(at(24 * 60)));
        assert!(!lifted.was_lifted_lately(at(24 * 60 + 5)) && !alert().was_lifted_lately(at(6)));
        assert!(!TrafficAlert { stopped_until: None, ..alert() }.is_stopped(at(0)));
    }

    #[test]
    fn codes_from_before_the_end_of_a_stop_are_not_held_against_anybody_again() {
        let windows = Windows::at(at(65));
        let after = alert().windows_after(windows);
        assert_eq!(after.recent_since, hour_of(at(60)));
        assert_eq!(after.normal_since, windows.normal_since);
        let much_later = Windows::at(at(600));
        assert_eq!(alert().windows_after(much_later), much_later);
    }
}
