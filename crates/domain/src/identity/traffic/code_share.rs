//! Share of delivered codes, compared with the usual share.

use chrono::{DateTime, DurationRound, TimeDelta, Utc};

/// Minimum number of codes for a meaningful share.
const ENOUGH_RECENT: u64 = 50;
/// Minimum number of codes for a usual share.
const ENOUGH_NORMAL: u64 = 200;
/// Part of the usual share below which a share has fallen.
const FALLEN: f64 = 0.6;
/// Part of the usual share at which the share of others still counts as usual.
const HELD: f64 = 0.85;
/// Minimum size of a fall in standard deviations, above which chance alone does not explain it.
const DEVIATIONS: f64 = 4.0;
/// Length of the window of recent codes, in addition to the present hour, and of the window before
/// it that defines the usual share.
const RECENT: TimeDelta = TimeDelta::hours(1);
const NORMAL: TimeDelta = TimeDelta::days(7);

/// Minimum number of recent codes, and maximum share of delivered ones in per cent, for an
/// organization to be examined: with fewer codes or a higher share it cannot have fallen far
/// enough.
pub const SUSPECT_CODES: u64 = ENOUGH_RECENT;
/// See [`SUSPECT_CODES`].
pub const SUSPECT_PERCENT: u64 = 60;

/// The number of codes with a known outcome, and of delivered ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CodeShare {
    /// Number of codes that were delivered or failed.
    pub codes: u64,
    /// Number of delivered codes.
    pub delivered: u64,
}

impl CodeShare {
    /// Returns the share of delivered codes; `None` without codes.
    pub fn share(self) -> Option<f64> {
        (self.codes > 0).then(|| number(self.delivered) / number(self.codes))
    }

    /// Returns the share in whole per cent, rounded down; `None` without codes.
    pub fn percent(self) -> Option<u64> {
        (self.delivered * 100).checked_div(self.codes)
    }

    /// True if the share is so far below `normal` that something is wrong.
    fn has_fallen_from(self, normal: Self) -> bool {
        let (Some(share), Some(usual)) = (self.share(), normal.share()) else { return false };
        if self.codes < ENOUGH_RECENT || share >= usual * FALLEN {
            return false;
        }
        // Both shares are tested against the common share that they would have if nothing had changed.
        let both = number(self.delivered + normal.delivered) / number(self.codes + normal.codes);
        let spread = both * (1.0 - both) * (1.0 / number(self.codes) + 1.0 / number(normal.codes));
        usual - share >= DEVIATIONS * spread.sqrt()
    }

    /// True if the share is about that of `normal`, and the codes are enough to say so.
    fn has_held_against(self, normal: Self) -> bool {
        let (Some(share), Some(usual)) = (self.share(), normal.share()) else { return false };
        self.codes >= ENOUGH_RECENT && share >= usual * HELD
    }

    const fn is_significant(self) -> bool {
        self.codes >= ENOUGH_NORMAL
    }
}

/// Converts a count for divisions. Counts are far below 2⁵³, so nothing is lost.
fn number(count: u64) -> f64 {
    u32::try_from(count).map_or(f64::from(u32::MAX), f64::from)
}

/// The windows in which codes are compared, in whole hours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Windows {
    /// Start of the window of recent codes.
    pub recent_since: DateTime<Utc>,
    /// Start of the window for the usual share, which ends when the recent one starts.
    pub normal_since: DateTime<Utc>,
}

impl Windows {
    /// Returns the windows at `now`.
    pub fn at(now: DateTime<Utc>) -> Self {
        let recent_since = hour_of(now) - RECENT;
        Self { recent_since, normal_since: recent_since - NORMAL }
    }
}

/// Returns the start of the hour that contains a time.
pub(super) fn hour_of(time: DateTime<Utc>) -> DateTime<Utc> {
    time.duration_trunc(TimeDelta::hours(1)).unwrap_or(time)
}

/// The figures about the codes to a range.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Evidence {
    /// The organization's recent codes.
    pub recent: CodeShare,
    /// The organization's codes of the days before.
    pub normal: CodeShare,
    /// Recent codes of all other organizations.
    pub others: CodeShare,
    /// Codes of other organizations from the days before.
    pub others_normal: CodeShare,
    /// Number of other organizations with recent codes.
    pub other_organizations: u64,
}

/// Minimum number of other organizations for their share to be shown, so that it does not reveal
/// the share of a single one.
pub const SHOWN_OTHERS: u64 = 3;

/// Conclusion from the share of delivered codes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Finding {
    /// It fell, and that of others fell too or is unknown: the owners are notified.
    Notice,
    /// It fell for this organization alone: its codes to the range are stopped.
    Stop,
}

impl Evidence {
    /// Returns the finding. An organization with too few codes for a usual share of its own is
    /// compared with the usual share of others.
    pub fn finding(&self) -> Option<Finding> {
        let usual = self.usual()?;
        if !self.recent.has_fallen_from(usual) {
            return None;
        }
        let others_usual =
            if self.others_normal.is_significant() { self.others_normal } else { usual };
        let is_alone = self.others.has_held_against(others_usual);
        Some(if is_alone { Finding::Stop } else { Finding::Notice })
    }

    /// Returns the recent codes of others; `None` if the organization may not see them.
    pub fn shown_others(&self) -> Option<CodeShare> {
        (self.other_organizations >= SHOWN_OTHERS).then_some(self.others)
    }

    /// Returns the usual share of this organization; `None` if it is unknown or may not be shown.
    pub fn shown_usual(&self) -> Option<CodeShare> {
        let is_own = self.normal.is_significant();
        self.usual().filter(|_| is_own || self.other_organizations >= SHOWN_OTHERS)
    }

    /// Returns the usual share of this organization; `None` if it is unknown.
    pub fn usual(&self) -> Option<CodeShare> {
        [self.normal, self.others_normal].into_iter().find(|share| share.is_significant())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const GOOD: CodeShare = CodeShare { codes: 1_000, delivered: 950 };

    fn share(codes: u64, delivered: u64) -> CodeShare {
        CodeShare { codes, delivered }
    }

    fn evidence(recent: CodeShare, others: CodeShare) -> Evidence {
        Evidence { recent, normal: GOOD, others, others_normal: GOOD, other_organizations: 3 }
    }

    #[test]
    fn the_share_of_others_is_shown_when_they_are_three() {
        let newcomer = Evidence { normal: share(0, 0), ..evidence(share(60, 2), GOOD) };
        assert_eq!((newcomer.shown_others(), newcomer.shown_usual()), (Some(GOOD), Some(GOOD)));
        let two = Evidence { other_organizations: 2, ..newcomer };
        assert_eq!((two.shown_others(), two.shown_usual()), (None, None));
        assert_eq!(two.finding(), newcomer.finding(), "what is found stays");
        assert_eq!(Evidence { normal: GOOD, ..two }.shown_usual(), Some(GOOD));
    }

    #[test]
    fn a_fall_alone_stops_codes_and_a_common_fall_notifies_owners() {
        let fallen = share(100, 20);
        assert_eq!(evidence(fallen, share(500, 470)).finding(), Some(Finding::Stop));
        assert_eq!(evidence(fallen, share(500, 200)).finding(), Some(Finding::Notice));
        assert_eq!(evidence(fallen, share(49, 49)).finding(), Some(Finding::Notice));
        assert_eq!(evidence(share(100, 90), share(500, 470)).finding(), None);
    }

    #[test]
    fn a_newcomer_is_compared_with_others_if_there_are_any() {
        let newcomer = Evidence { normal: share(199, 199), ..evidence(share(60, 5), GOOD) };
        assert_eq!(newcomer.finding(), Some(Finding::Stop));
        let alone = Evidence { others: share(0, 0), others_normal: share(0, 0), ..newcomer };
        assert_eq!(alone.finding(), None);
    }

    #[test]
    fn a_share_that_was_always_bad_is_not_a_fall() {
        let bad = share(10_000, 500);
        let found = Evidence { normal: bad, others_normal: bad, ..evidence(share(60, 2), bad) };
        assert_eq!(found.finding(), None);
    }

    #[test]
    fn codes_are_recent_in_the_present_hour_and_the_one_before() {
        let now = DateTime::from_timestamp(1_700_000_000, 0).unwrap();
        let windows = Windows::at(now);
        assert_eq!(windows.recent_since.to_rfc3339(), "2023-11-14T21:00:00+00:00");
        assert_eq!(windows.normal_since.to_rfc3339(), "2023-11-07T21:00:00+00:00");
    }

    proptest! {
        /// Chance does not matter either: an organization that delivers as ever is left alone.
        #[test]
        fn few_codes_and_small_falls_find_nothing(codes in 0_u64..5_000, delivered: u64, part in 58..=100_u64) {
            let few = share(codes % 50, delivered % (codes % 50 + 1));
            prop_assert_eq!(evidence(few, GOOD).finding(), None);
            let slight = share(codes, (codes * part).div_ceil(100));
            prop_assert_eq!(evidence(slight, GOOD).finding(), None);
        }

        #[test]
        fn a_failure_of_the_network_for_all_stops_nobody(
            codes in 50_u64..5_000,
            delivered in 0_u64..5_000,
            others in 0_u64..100_000,
            part in 0..80_u64,
        ) {
            let recent = share(codes, delivered.min(codes));
            let found = evidence(recent, share(others, others * part / 100)).finding();
            prop_assert_ne!(found, Some(Finding::Stop));
        }

        /// Nothing would be found for the organizations that the store leaves out of the suspects.
        #[test]
        fn every_organization_with_a_finding_is_a_suspect(
            codes in 0_u64..5_000,
            delivered in 0_u64..5_000,
            normal in 0_u64..=1_000,
        ) {
            let recent = share(codes, delivered.min(codes));
            let found = Evidence { normal: share(1_000, normal), ..evidence(recent, GOOD) };
            if found.finding().is_some() {
                prop_assert!(recent.codes >= SUSPECT_CODES);
                prop_assert!(recent.delivered * 100 < recent.codes * SUSPECT_PERCENT);
            }
        }
    }
}
