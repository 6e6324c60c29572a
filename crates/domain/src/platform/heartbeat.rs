//! Signs of life, by which a process knows, without asking, that no other has taken its leases over.

use std::time::Duration;

/// How long after the last sign of life of a process others take its leases over.
pub const TAKEN_OVER_AFTER: Duration = Duration::from_secs(15);
/// How long a process trusts its last sign: what it then begins still has to get on its way.
const TRUSTED_FOR: Duration = Duration::from_secs(10);

/// The signs of life that a process has shown. All times are those since it began, of a clock that is
/// never set.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Heartbeat {
    /// When the last one began to be shown.
    last: Option<Duration>,
    /// When the first was shown of those that followed each other in time.
    unbroken_since: Duration,
}

impl Heartbeat {
    /// Another sign was shown between these times.
    pub fn show(&mut self, began: Duration, ended: Duration) {
        // Others count from when the store took a sign, which is no earlier than its beginning.
        let is_late = |last: Duration| ended.saturating_sub(last) > TAKEN_OVER_AFTER;
        if self.last.is_none_or(is_late) {
            self.unbroken_since = ended;
        }
        self.last = Some(began);
    }

    /// Whether signs were shown for all of the last `time` before `now`, so that no other process can
    /// have taken over a lease that is so old and has not run out.
    pub fn are_unbroken(&self, time: Duration, now: Duration) -> bool {
        let is_fresh = self.last.is_some_and(|last| now.saturating_sub(last) <= TRUSTED_FOR);
        is_fresh && now.saturating_sub(self.unbroken_since) >= time
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn seconds(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    /// Signs that took no time.
    fn shown_at(times: &[u64]) -> Heartbeat {
        let mut signs = Heartbeat::default();
        for time in times {
            signs.show(seconds(*time), seconds(*time));
        }
        signs
    }

    #[test]
    fn nothing_is_certain_before_the_first_sign() {
        assert!(!Heartbeat::default().are_unbroken(Duration::ZERO, seconds(1)));
    }

    #[test]
    fn a_lease_is_certain_that_was_taken_since_the_first_of_unbroken_signs() {
        let signs = shown_at(&[100, 103, 106]);
        assert!(signs.are_unbroken(seconds(8), seconds(108)));
        assert!(!signs.are_unbroken(seconds(9), seconds(108)));
    }

    #[test]
    fn nothing_is_certain_when_the_last_sign_is_old() {
        let signs = shown_at(&[100, 103]);
        assert!(signs.are_unbroken(seconds(1), seconds(113)));
        assert!(!signs.are_unbroken(seconds(1), seconds(114)));
    }

    #[test]
    fn a_process_that_stood_still_is_certain_only_of_what_it_leased_since() {
        let signs = shown_at(&[100, 103, 119]);
        assert!(!signs.are_unbroken(seconds(2), seconds(120)));
        assert!(signs.are_unbroken(seconds(1), seconds(120)));
    }

    #[test]
    fn a_pause_that_no_other_can_have_noticed_breaks_nothing() {
        assert!(shown_at(&[100, 115]).are_unbroken(seconds(16), seconds(116)));
    }

    #[test]
    fn a_sign_counts_from_its_beginning_and_is_known_at_its_end() {
        let mut signs = shown_at(&[100]);
        signs.show(seconds(112), seconds(116));
        assert!(!signs.are_unbroken(seconds(2), seconds(117)), "others may have counted from 100");
        assert!(signs.are_unbroken(seconds(1), seconds(122)));
        assert!(!signs.are_unbroken(seconds(1), seconds(123)), "it may have been taken at 112");
    }
}
