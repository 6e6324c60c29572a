//! Alerts about ranges in which few codes of an organization arrive.

use chrono::{DateTime, TimeDelta, Utc};

use super::{
    OperatorRange, Windows,
    code_share::{Evidence, hour_of},
};
use crate::{
    identity::{organization::Organization, user::User},
    shared::id::Id,
};

/// Time for which codes are stopped before they are examined again.
pub const STOP: TimeDelta = TimeDelta::hours(1);
/// Time after an owner lifted a stop in which no new stop is made.
pub const LIFTED: TimeDelta = TimeDelta::hours(24);

/// An alert that far fewer codes of an organization than usual arrived in a range. At most one
/// exists for each range and day.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrafficAlert {
    /// Identifier of the alert.
    pub id: Id<TrafficAlert>,
    /// Organization that sent the codes.
    pub organization: Id<Organization>,
    /// Range of the recipients.
    pub range: OperatorRange,
    /// Time at which it was found.
    pub found_at: DateTime<Utc>,
    /// Latest figures that support it.
    pub evidence: Evidence,
    /// End of the last stop of codes to the range; `None` if there never was one.
    pub stopped_until: Option<DateTime<Utc>>,
    /// Time at which the stop was lifted; `None` if it was not.
    pub lifted_at: Option<DateTime<Utc>>,
    /// User who lifted the stop.
    pub lifted_by: Option<Id<User>>,
}

impl TrafficAlert {
    /// True if codes to the range are stopped.
    pub fn is_stopped(&self, now: DateTime<Utc>) -> bool {
        self.lifted_at.is_none() && self.stopped_until.is_some_and(|until| until > now)
    }

    /// True if an owner recently decided that these codes may be sent.
    pub fn was_lifted_lately(&self, now: DateTime<Utc>) -> bool {
        self.lifted_at.is_some_and(|lifted_at| now - lifted_at < LIFTED)
    }

    /// Returns the windows in which codes are compared after this alert. Codes known at the time of
    /// the stop are not counted a second time.
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
    fn codes_from_before_the_end_of_a_stop_do_not_count_again() {
        let windows = Windows::at(at(65));
        let after = alert().windows_after(windows);
        assert_eq!(after.recent_since, hour_of(at(60)));
        assert_eq!(after.normal_since, windows.normal_since);
        let much_later = Windows::at(at(600));
        assert_eq!(alert().windows_after(much_later), much_later);
    }
}
