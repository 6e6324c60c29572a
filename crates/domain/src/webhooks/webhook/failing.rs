//! What is done about an endpoint of which every call fails.

use chrono::{DateTime, TimeDelta, Utc};

/// After how long its owners are told: on the second day.
pub const NOTICE_AFTER: TimeDelta = TimeDelta::hours(24);
/// After how long it is deactivated.
pub const DEACTIVATED_AFTER: TimeDelta = TimeDelta::days(5);
/// How long its owners have at least from the notice on.
const TIME_TO_MEND: TimeDelta = TimeDelta::days(1);

/// The time in which no call of an endpoint succeeded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Failing {
    /// Since when.
    pub since: DateTime<Utc>,
    /// When its owners were told so.
    pub notified_at: Option<DateTime<Utc>>,
}

impl Failing {
    /// Whether another failure at `now` deactivates the endpoint.
    pub fn is_over(&self, now: DateTime<Utc>) -> bool {
        let is_known = self.notified_at.is_some_and(|told| now >= told + TIME_TO_MEND);
        is_known && now >= self.since + DEACTIVATED_AFTER
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_endpoint_is_deactivated_after_five_days_and_no_sooner_than_a_day_after_the_notice() {
        let since = DateTime::from_timestamp(1_800_000_000, 0).unwrap();
        let after = |hours| since + TimeDelta::hours(hours);
        let told = |hours| Failing { since, notified_at: Some(after(hours)) };
        assert!(!told(24).is_over(after(5 * 24) - TimeDelta::seconds(1)));
        assert!(told(24).is_over(after(5 * 24)));
        assert!(!told(110).is_over(after(5 * 24)));
        assert!(told(110).is_over(after(134)));
        assert!(!Failing { since, notified_at: None }.is_over(after(1_000)));
    }
}
