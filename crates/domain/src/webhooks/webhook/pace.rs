//! Number of concurrent calls of an endpoint.

use chrono::TimeDelta;

const FIRST: u16 = 2;
const MOST: u16 = 32;
/// Maximum number of concurrent calls of a slow receiver.
const FEW: u16 = 2;
/// Duration of a call above which the receiver is slow.
const SLOW: TimeDelta = TimeDelta::seconds(1);

/// Maximum number of concurrent calls of an endpoint, which grows while it answers fast.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pace {
    calls: u16,
    is_slow: bool,
}

impl Default for Pace {
    /// Returns the pace of an unknown endpoint, which may be slow.
    fn default() -> Self {
        Self { calls: FIRST, is_slow: true }
    }
}

impl Pace {
    /// Returns the maximum number of concurrent calls.
    pub fn calls(self) -> usize {
        usize::from(self.calls)
    }

    /// True if others should not wait for its calls: the last one took long or failed, or there was none.
    pub const fn is_slow(self) -> bool {
        self.is_slow
    }

    /// Returns the pace after a call of this duration.
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
    fn a_fast_receiver_gets_more_and_more_concurrent_calls() {
        let mut pace = Pace::default();
        for _ in 0..100 {
            assert!(pace.calls() <= 32);
            pace = pace.after(true, TimeDelta::milliseconds(20));
        }
        assert_eq!((pace.calls(), pace.is_slow()), (32, false));
    }

    #[test]
    fn a_slow_or_failing_receiver_gets_few_concurrent_calls() {
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
