//! Allowance of messages that go before all others because their organization calls them urgent.

use chrono::{DateTime, Utc};

/// Parts of a message in which the allowance is counted.
const PARTS: i64 = 1_000;
/// Number of parts of a burst.
const FULL: i64 = UrgentAllowance::BURST as i64 * PARTS;

/// Number of urgent messages that an organization may still send in the urgent priorities: a token
/// bucket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UrgentAllowance {
    parts: i64,
    at: DateTime<Utc>,
}

impl UrgentAllowance {
    /// Number per second in the long run.
    pub const PER_SECOND: u32 = 60;
    /// Number at once after a pause.
    pub const BURST: u32 = 600;

    /// Returns the allowance of an organization that has sent none for a while.
    pub const fn full(now: DateTime<Utc>) -> Self {
        Self { parts: FULL, at: now }
    }

    /// Number of messages left.
    pub fn left(&self, now: DateTime<Utc>) -> u32 {
        u32::try_from(self.parts_at(now) / PARTS).unwrap_or_default()
    }

    /// Takes one message from the allowance. Returns false, and takes nothing, if none is left.
    pub fn take(&mut self, now: DateTime<Utc>) -> bool {
        self.parts = self.parts_at(now);
        self.at = self.at.max(now);
        let is_left = self.parts >= PARTS;
        if is_left {
            self.parts -= PARTS;
        }
        is_left
    }

    fn parts_at(&self, now: DateTime<Utc>) -> i64 {
        // One part a millisecond for each message a second.
        let elapsed = (now - self.at).num_milliseconds().clamp(0, FULL);
        (self.parts + elapsed * i64::from(Self::PER_SECOND)).min(FULL)
    }
}

#[cfg(test)]
mod tests {
    use chrono::TimeDelta;

    use super::*;

    const NOW: DateTime<Utc> = DateTime::from_timestamp_nanos(1_700_000_000_000_000_000);

    fn taken(allowance: &mut UrgentAllowance, at: TimeDelta) -> usize {
        (0..2_000).filter(|_| allowance.take(NOW + at)).count()
    }

    #[test]
    fn six_hundred_go_at_once_and_sixty_more_each_second() {
        let mut allowance = UrgentAllowance::full(NOW);
        assert_eq!(taken(&mut allowance, TimeDelta::zero()), 600);
        assert_eq!(taken(&mut allowance, TimeDelta::seconds(1)), 60);
        assert_eq!(allowance.left(NOW + TimeDelta::milliseconds(1_500)), 30);
        assert_eq!(taken(&mut allowance, TimeDelta::milliseconds(1_500)), 30);
        assert_eq!(allowance.left(NOW), 0);
        assert_eq!(taken(&mut allowance, TimeDelta::hours(1)), 600);
    }

    #[test]
    fn a_clock_that_is_set_back_gives_nothing_away() {
        let mut allowance = UrgentAllowance::full(NOW);
        assert_eq!(taken(&mut allowance, TimeDelta::zero()), 600);
        assert_eq!(taken(&mut allowance, TimeDelta::hours(-1)), 0);
        assert_eq!(taken(&mut allowance, TimeDelta::seconds(1)), 60);
    }
}
