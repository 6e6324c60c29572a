//! Circuit breaker of an endpoint: while it is open, the endpoint is not called, and its events
//! wait without using up their attempts.

use chrono::{DateTime, TimeDelta, Utc};

/// Number of consecutive failures that open the breaker.
const IN_A_ROW: u8 = 5;
const FIRST_REST: TimeDelta = TimeDelta::seconds(5);
const LONGEST_REST: TimeDelta = TimeDelta::minutes(5);

/// State of a breaker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EndpointBreaker {
    /// Calls are allowed.
    Closed {
        /// Number of consecutive failed calls.
        failures: u8,
    },
    /// Calls are paused until a time; then one delivery probes the endpoint.
    Open {
        /// Time at which a probe is due.
        until: DateTime<Utc>,
        /// Number of consecutive times that it was opened.
        times: u8,
    },
    /// One delivery probes the endpoint.
    Probing {
        /// Number of consecutive times that it was opened.
        times: u8,
    },
}

impl EndpointBreaker {
    /// State of the breaker of an endpoint without known failures.
    pub const CLOSED: Self = Self::Closed { failures: 0 };

    /// Returns the breaker after a call. A failure while it is open belongs to a call that began before.
    #[must_use]
    pub fn after(self, is_success: bool, now: DateTime<Utc>) -> Self {
        match self {
            _ if is_success => Self::CLOSED,
            Self::Closed { failures } if failures + 1 < IN_A_ROW => {
                Self::Closed { failures: failures + 1 }
            }
            Self::Closed { .. } => Self::open(1, now),
            Self::Open { .. } => self,
            Self::Probing { times } => Self::open(times.saturating_add(1), now),
        }
    }

    fn open(times: u8, now: DateTime<Utc>) -> Self {
        let doublings = u32::from(times.saturating_sub(1)).min(10);
        let rest = (FIRST_REST * 2_i32.pow(doublings)).min(LONGEST_REST);
        Self::Open { until: now + rest, times }
    }

    /// True if calls pass freely.
    pub const fn is_closed(self) -> bool {
        matches!(self, Self::Closed { .. })
    }

    /// True if a delivery may probe the endpoint now.
    pub fn is_probe_due(self, now: DateTime<Utc>) -> bool {
        matches!(self, Self::Open { until, .. } if until <= now)
    }

    /// Returns the breaker while a delivery probes the endpoint.
    #[must_use]
    pub const fn probed(self) -> Self {
        match self {
            Self::Open { times, .. } => Self::Probing { times },
            Self::Closed { .. } | Self::Probing { .. } => self,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: i64) -> DateTime<Utc> {
        DateTime::from_timestamp(1_800_000_000 + seconds, 0).unwrap()
    }

    fn opened() -> EndpointBreaker {
        (0..5).fold(EndpointBreaker::CLOSED, |breaker, _| breaker.after(false, at(0)))
    }

    #[test]
    fn five_failures_in_a_row_open_it_and_fewer_do_not() {
        let four = (0..4).fold(EndpointBreaker::CLOSED, |breaker, _| breaker.after(false, at(0)));
        assert!(four.is_closed());
        let four = (0..4).fold(four.after(true, at(0)), |breaker, _| breaker.after(false, at(0)));
        assert!(four.is_closed());
        assert_eq!(four.after(false, at(0)), EndpointBreaker::Open { until: at(5), times: 1 });
    }

    #[test]
    fn one_probe_is_made_at_a_time_and_rests_grow_to_five_minutes() {
        let mut breaker = opened();
        let mut now = 0;
        for rest in [5, 10, 20, 40, 80, 160, 300, 300] {
            assert_eq!(breaker.after(false, at(now)), breaker, "a call from before");
            assert!(!breaker.is_probe_due(at(now + rest - 1)));
            now += rest;
            assert!(breaker.is_probe_due(at(now)));
            let probed = breaker.probed();
            assert!(!probed.is_probe_due(at(now)) && !probed.is_closed());
            breaker = probed.after(false, at(now));
        }
        assert_eq!(breaker.probed().after(true, at(now)), EndpointBreaker::CLOSED);
    }
}
