//! Treatment of endpoints whose calls all fail.

use chrono::{DateTime, TimeDelta, Utc};

/// Time of failing after which the owners are notified: on the second day.
pub const NOTICE_AFTER: TimeDelta = TimeDelta::hours(24);
/// Time of failing after which the endpoint is deactivated.
pub const DEACTIVATED_AFTER: TimeDelta = TimeDelta::days(5);
/// Minimum time between the notice to the owners and the deactivation.
const TIME_TO_MEND: TimeDelta = TimeDelta::days(1);

/// A period in which no call of an endpoint succeeded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Failing {
    /// Start of the period.
    pub since: DateTime<Utc>,
    /// Time at which the owners were notified; `None` if they were not.
    pub notified_at: Option<DateTime<Utc>>,
}

impl Failing {
    /// True if another failure at `now` deactivates the endpoint.
    pub fn is_over(&self, now: DateTime<Utc>) -> bool {
        let is_known = self.notified_at.is_some_and(|notified| now >= notified + TIME_TO_MEND);
        is_known && now >= self.since + DEACTIVATED_AFTER
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deactivates_after_five_days_and_a_day_after_the_notice() {
        let since = DateTime::from_timestamp(1_800_000_000, 0).unwrap();
        let after = |hours| since + TimeDelta::hours(hours);
        let notified = |hours| Failing { since, notified_at: Some(after(hours)) };
        assert!(!notified(24).is_over(after(5 * 24) - TimeDelta::seconds(1)));
        assert!(notified(24).is_over(after(5 * 24)));
        assert!(!notified(110).is_over(after(5 * 24)));
        assert!(notified(110).is_over(after(134)));
        assert!(!Failing { since, notified_at: None }.is_over(after(1_000)));
    }
}
