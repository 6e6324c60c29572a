//! How many calls of an endpoint may be under way at a time.

use chrono::TimeDelta;

const FIRST: u16 = 2;
const MOST: u16 = 32;
/// How many a receiver has that is slow.
const FEW: u16 = 2;
/// A receiver that takes longer is slow.
const SLOW: TimeDelta = TimeDelta::seconds(1);

/// How many calls of an endpoint may be under way: the more the better it answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pace {
    calls: u16,
    is_slow: bool,
}

impl Default for Pace {
    /// That of an endpoint of which nothing is known: it may be slow.
    fn default() -> Self {
        Self { calls: FIRST, is_slow: true }
    }
}

impl Pace {
    /// How many calls may be under way.
    pub fn calls(self) -> usize {
        usize::from(self.calls)
    }

    /// Whether others should not have to wait for its calls: the last one took long or failed, or there
    /// was none.
    pub const fn is_slow(self) -> bool {
        self.is_slow
    }

    /// The pace after a call that took so long.
    #[must_use]
    pub fn after(self, is_success: bool, took: TimeDelta) -> Self {
        let is_slow = !is_success || took > SLOW;
        let calls = match (is_success, is_slow) {
            (true, false) => (self.calls + 1).min(MOST),
            (true, true) => (self.calls / 2).max(FEW),
            (false, _) => (self.calls / 2).max(1),
        };
        Self { calls, is_slow }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_receiver_that_answers_fast_gets_more_and_more_calls_at_a_time() {
        let mut pace = Pace::default();
        for _ in 0..100 {
            assert!(pace.calls() <= 32);
            pace = pace.after(true, TimeDelta::milliseconds(20));
        }
        assert_eq!((pace.calls(), pace.is_slow()), (32, false));
    }

    #[test]
    fn a_receiver_that_is_slow_or_fails_gets_few() {
        let mut fast = Pace::default();
        for _ in 0..100 {
            fast = fast.after(true, TimeDelta::zero());
        }
        let after = |is_success| {
            let mut pace = fast;
            for _ in 0..6 {
                pace = pace.after(is_success, TimeDelta::seconds(2));
            }
            assert!(pace.is_slow());
            pace.calls()
        };
        assert_eq!((after(true), after(false)), (2, 1));
    }
}
