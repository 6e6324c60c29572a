//! Rate limits as token buckets.
//!
//! ```
//! use std::time::Duration;
//!
//! use domain::shared::rate::Rate;
//!
//! let (rate, now) = (Rate::per_second(10, 5), Duration::from_secs(1));
//! let full_at = rate.take(Duration::ZERO, now, 5).unwrap();
//! assert!(rate.take(full_at, now, 1).is_err());
//! ```

use std::time::Duration;

/// Token bucket that holds `burst` tokens and gets one more every `interval`. An action takes
/// tokens out of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rate {
    /// Number of tokens in a full bucket; at least one.
    pub burst: u32,
    /// Time until one more token is there; never zero.
    pub interval: Duration,
}

impl Rate {
    /// Returns a rate of `tokens` a second, at most a million, and a bucket for `burst` of them.
    pub const fn per_second(tokens: u32, burst: u32) -> Self {
        let tokens = if tokens == 0 { 1 } else { tokens };
        Self { burst, interval: Duration::from_micros(1_000_000 / tokens as u64) }
    }

    /// Returns a rate of `tokens` an hour, and a bucket for as many.
    pub const fn per_hour(tokens: u32) -> Self {
        let interval = Duration::from_micros(3_600_000_000 / tokens as u64);
        Self { burst: tokens, interval }
    }

    /// Returns a rate of `tokens` a day, and a bucket for as many.
    pub const fn per_day(tokens: u32) -> Self {
        let interval = Duration::from_micros(86_400_000_000 / tokens as u64);
        Self { burst: tokens, interval }
    }

    /// Approximate number of tokens that it gets in a second.
    pub fn tokens_per_second(self) -> u32 {
        let interval = self.interval.as_nanos().max(1);
        let tokens = (Duration::from_secs(1).as_nanos() + interval / 2) / interval;
        u32::try_from(tokens).unwrap_or(u32::MAX)
    }

    /// Returns the level of a bucket that will be full after `full_in`.
    pub fn level(self, full_in: Duration) -> Level {
        let full_in = full_in.min(self.span());
        let there = self.span().saturating_sub(full_in);
        let there = there.as_nanos() / self.interval.as_nanos().max(1);
        Level { remaining: u32::try_from(there).unwrap_or(u32::MAX), full_in }
    }

    /// Time that it takes to fill an empty bucket.
    pub fn span(self) -> Duration {
        self.interval * self.burst.max(1)
    }

    /// Takes `tokens` out of a bucket that will be full at `full_at`, all or none; a full bucket is
    /// enough for any number. All times count from the same moment. Returns the time at which the
    /// bucket will be full again.
    pub fn take(self, full_at: Duration, now: Duration, tokens: u32) -> Result<Duration, Empty> {
        let taken = self.interval * tokens.min(self.burst.max(1));
        // A clock that went back must not keep a bucket empty for longer than it takes to fill it.
        let missing = full_at.saturating_sub(now).min(self.span());
        let missing = missing + taken;
        match missing.saturating_sub(self.span()) {
            Duration::ZERO => Ok(now + missing),
            wait => Err(Empty { wait }),
        }
    }
}

/// Level of a bucket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Level {
    /// Number of whole tokens in it.
    pub remaining: u32,
    /// Time until it is full.
    pub full_in: Duration,
}

/// The bucket does not have enough tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Empty {
    /// Time until it does.
    pub wait: Duration,
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const RATE: Rate = Rate::per_second(10, 5);

    #[test]
    fn a_burst_passes_and_then_one_at_a_time() {
        let now = Duration::from_secs(1_000);
        let mut full_at = Duration::ZERO;
        for _ in 0..5 {
            full_at = RATE.take(full_at, now, 1).unwrap();
        }
        assert_eq!(RATE.take(full_at, now, 1), Err(Empty { wait: Duration::from_millis(100) }));
        let later = now + Duration::from_millis(100);
        full_at = RATE.take(full_at, later, 1).unwrap();
        assert_eq!(RATE.take(full_at, later, 1), Err(Empty { wait: Duration::from_millis(100) }));
    }

    #[test]
    fn many_tokens_are_taken_at_once_or_not_at_all() {
        let now = Duration::from_secs(1_000);
        let full_at = RATE.take(Duration::ZERO, now, 3).unwrap();
        assert_eq!(RATE.take(full_at, now, 3), Err(Empty { wait: Duration::from_millis(100) }));
        assert!(RATE.take(full_at, now, 2).is_ok());
    }

    #[test]
    fn a_cost_above_the_capacity_needs_a_full_bucket() {
        let now = Duration::from_secs(1_000);
        let full_at = RATE.take(Duration::ZERO, now, 1_000).unwrap();
        assert_eq!(full_at, now + RATE.span());
        let wait = Duration::from_millis(100);
        assert_eq!(RATE.take(now + wait, now, 1_000), Err(Empty { wait }));
    }

    #[test]
    fn a_level_counts_whole_tokens_and_the_time_to_full() {
        let level = |millis| RATE.level(Duration::from_millis(millis));
        assert_eq!(level(0), Level { remaining: 5, full_in: Duration::ZERO });
        assert_eq!(level(1), Level { remaining: 4, full_in: Duration::from_millis(1) });
        assert_eq!(level(450).remaining, 0);
        assert_eq!(level(9_000), Level { remaining: 0, full_in: RATE.span() });
        assert_eq!(RATE.tokens_per_second(), 10);
        assert_eq!(Rate::per_second(300, 1).tokens_per_second(), 300);
    }

    proptest! {
        /// The remaining tokens can be taken, and no more than those.
        #[test]
        fn the_remaining_tokens_can_be_taken(missing in 0_u64..700) {
            let now = Duration::from_secs(1_000);
            let missing = Duration::from_millis(missing);
            let full_at = now + missing;
            let remaining = RATE.level(missing).remaining;
            prop_assert!(RATE.take(full_at.min(now + RATE.span()), now, remaining).is_ok());
            if remaining < RATE.burst {
                prop_assert!(RATE.take(full_at, now, remaining + 1).is_err());
            }
        }

        /// No more passes in any span of time than a full bucket and the tokens added meanwhile.
        #[test]
        fn no_more_passes_than_the_rate_allows(
            steps in proptest::collection::vec((0_u64..300, 1_u32..4), 1..100)
        ) {
            let (mut now, mut full_at, mut passed) = (Duration::from_secs(9), Duration::ZERO, 0);
            let began = now;
            for (wait, tokens) in steps {
                now += Duration::from_millis(wait);
                if let Ok(full) = RATE.take(full_at, now, tokens) {
                    full_at = full;
                    passed += tokens;
                }
            }
            let flowed_in = now.saturating_sub(began).as_millis() / RATE.interval.as_millis();
            prop_assert!(u128::from(passed) <= u128::from(RATE.burst) + flowed_in);
        }

        /// The wait is long enough.
        #[test]
        fn a_request_passes_after_the_wait(missing in 0_u64..1_000, tokens in 1_u32..10) {
            let now = Duration::from_secs(1_000);
            let full_at = now + Duration::from_millis(missing);
            if let Err(Empty { wait }) = RATE.take(full_at, now, tokens) {
                prop_assert!(RATE.take(full_at.min(now + RATE.span()), now + wait, tokens).is_ok());
                prop_assert!(wait <= RATE.span());
            }
        }
    }
}
