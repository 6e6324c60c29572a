//! Clock that walks through the past.

use std::sync::atomic::{AtomicI64, Ordering};

use chrono::{DateTime, Utc};
use ports::shared::clock::Clock;

/// [`Clock`] that shows the time that it was set to, in milliseconds.
#[derive(Debug)]
pub(super) struct PastClock(AtomicI64);

impl PastClock {
    /// Creates a clock that shows this time.
    pub(super) fn at(time: DateTime<Utc>) -> Self {
        Self(AtomicI64::new(time.timestamp_millis()))
    }

    /// Sets the clock. It never goes back: identifiers and caches follow it.
    pub(super) fn set(&self, time: DateTime<Utc>) {
        self.0.fetch_max(time.timestamp_millis(), Ordering::Relaxed);
    }
}

impl Clock for PastClock {
    fn now(&self) -> DateTime<Utc> {
        DateTime::from_timestamp_millis(self.0.load(Ordering::Relaxed)).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use chrono::TimeDelta;

    use super::*;

    #[test]
    fn the_clock_goes_forward_only() {
        let begin = DateTime::UNIX_EPOCH + TimeDelta::days(1);
        let clock = PastClock::at(begin);

        clock.set(begin + TimeDelta::hours(1));
        clock.set(begin);

        assert_eq!(clock.now(), begin + TimeDelta::hours(1));
    }
}
