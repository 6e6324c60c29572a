//! Heartbeats, from which a process knows without a query that no other has taken over its leases.
//!
//! ```
//! use std::time::Duration;
//!
//! use domain::platform::heartbeat::Heartbeat;
//!
//! let mut heartbeat = Heartbeat::default();
//! heartbeat.show(Duration::ZERO, Duration::ZERO);
//! assert!(heartbeat.are_unbroken(Duration::from_secs(2), Duration::from_secs(3)));
//! assert!(!heartbeat.are_unbroken(Duration::from_secs(2), Duration::from_secs(30)));
//! ```

use std::time::Duration;

/// Time after the last heartbeat of a process when others take over its leases.
pub const TAKEN_OVER_AFTER: Duration = Duration::from_secs(15);
/// Time for which a process trusts its last heartbeat: work begun then still takes time to start.
const FRESH_FOR: Duration = Duration::from_secs(10);

/// The heartbeats of a process. All times are relative to its start, on a monotonic clock.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Heartbeat {
    /// Time at which the last heartbeat began.
    last: Option<Duration>,
    /// End of the first heartbeat in the present unbroken series.
    unbroken_since: Duration,
}

impl Heartbeat {
    /// Records a heartbeat between these times.
    pub fn show(&mut self, began: Duration, ended: Duration) {
        // Others count from the time at which the store took a heartbeat, which is no earlier than
        // its beginning.
        let is_late = |last: Duration| ended.saturating_sub(last) > TAKEN_OVER_AFTER;
        if self.last.is_none_or(is_late) {
            self.unbroken_since = ended;
        }
        self.last = Some(began);
    }

    /// True if heartbeats were unbroken for `time` before `now`, so that no other process can have
    /// taken over an unexpired lease of that age.
    pub fn are_unbroken(&self, time: Duration, now: Duration) -> bool {
        let is_fresh = self.last.is_some_and(|last| now.saturating_sub(last) <= FRESH_FOR);
        is_fresh && now.saturating_sub(self.unbroken_since) >= time
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn seconds(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    /// Returns heartbeats that took no time.
    fn shown_at(times: &[u64]) -> Heartbeat {
        let mut signs = Heartbeat::default();
        for time in times {
            signs.show(seconds(*time), seconds(*time));
        }
        signs
    }

    #[test]
    fn nothing_is_certain_before_the_first_heartbeat() {
        assert!(!Heartbeat::default().are_unbroken(Duration::ZERO, seconds(1)));
    }

    #[test]
    fn a_lease_taken_during_unbroken_heartbeats_is_certain() {
        let signs = shown_at(&[100, 103, 106]);
        assert!(signs.are_unbroken(seconds(8), seconds(108)));
        assert!(!signs.are_unbroken(seconds(9), seconds(108)));
    }

    #[test]
    fn nothing_is_certain_when_the_last_heartbeat_is_old() {
        let signs = shown_at(&[100, 103]);
        assert!(signs.are_unbroken(seconds(1), seconds(113)));
        assert!(!signs.are_unbroken(seconds(1), seconds(114)));
    }

    #[test]
    fn a_paused_process_is_certain_only_of_its_leases_since() {
        let signs = shown_at(&[100, 103, 119]);
        assert!(!signs.are_unbroken(seconds(2), seconds(120)));
        assert!(signs.are_unbroken(seconds(1), seconds(120)));
    }

    #[test]
    fn a_pause_that_no_other_can_have_noticed_breaks_nothing() {
        assert!(shown_at(&[100, 115]).are_unbroken(seconds(16), seconds(116)));
    }

    #[test]
    fn a_heartbeat_counts_from_its_beginning_and_is_known_at_its_end() {
        let mut signs = shown_at(&[100]);
        signs.show(seconds(112), seconds(116));
        assert!(!signs.are_unbroken(seconds(2), seconds(117)), "others may have counted from 100");
        assert!(signs.are_unbroken(seconds(1), seconds(122)));
        assert!(!signs.are_unbroken(seconds(1), seconds(123)), "it may have been taken at 112");
    }
}
