//! How many codes arrive, against how many usually do.

use chrono::{DateTime, DurationRound, TimeDelta, Utc};

/// From how many codes on a share says anything.
const ENOUGH_RECENT: u64 = 50;
/// From how many codes on a share is known to be the usual one.
const ENOUGH_NORMAL: u64 = 200;
/// How far a share must fall, as a part of the usual one, before somebody is told.
const FALLEN: f64 = 0.6;
/// Down to which part of the usual one the share of others still counts as such.
const HELD: f64 = 0.85;
/// How many standard deviations a fall must measure, so that chance alone does not explain it.
const DEVIATIONS: f64 = 4.0;
/// How long the time is in which codes are recent, beside the hour that is not over, and how long the
/// time before is that says what is usual.
const RECENT: TimeDelta = TimeDelta::hours(1);
const NORMAL: TimeDelta = TimeDelta::days(7);

/// Who has sent fewer recent codes to a range is not looked at, nor whose share is higher: it cannot
/// have fallen far enough.
pub const SUSPECT_CODES: u64 = ENOUGH_RECENT;
/// See [`SUSPECT_CODES`].
pub const SUSPECT_PERCENT: u64 = 60;

/// Codes whose end is known, and how many of them were delivered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CodeShare {
    /// How many were delivered or failed.
    pub codes: u64,
    /// How many were delivered.
    pub delivered: u64,
}

impl CodeShare {
    /// The share of those that were delivered; none without codes.
    pub fn share(self) -> Option<f64> {
        (self.codes > 0).then(|| number(self.delivered) / number(self.codes))
    }

    /// The share in per cent, as people read it.
    pub fn percent(self) -> Option<u64> {
        (self.delivered * 100).checked_div(self.codes)
    }

    /// Whether so few of these were delivered, against `normal`, that something is wrong.
    fn has_fallen_from(self, normal: Self) -> bool {
        let (Some(share), Some(usual)) = (self.share(), normal.share()) else { return false };
        if self.codes < ENOUGH_RECENT || share >= usual * FALLEN {
            return false;
        }
        // Two shares are compared with the one that both would have if nothing had changed.
        let both = number(self.delivered + normal.delivered) / number(self.codes + normal.codes);
        let spread = both * (1.0 - both) * (1.0 / number(self.codes) + 1.0 / number(normal.codes));
        usual - share >= DEVIATIONS * spread.sqrt()
    }

    /// Whether about as many of these were delivered as usual, and they are enough to say so.
    fn has_held_against(self, normal: Self) -> bool {
        let (Some(share), Some(usual)) = (self.share(), normal.share()) else { return false };
        self.codes >= ENOUGH_RECENT && share >= usual * HELD
    }

    const fn says_what_is_usual(self) -> bool {
        self.codes >= ENOUGH_NORMAL
    }
}

/// A count as a number that can be divided. Counts are far below 2⁵³, so nothing is lost.
fn number(count: u64) -> f64 {
    u32::try_from(count).map_or(f64::from(u32::MAX), f64::from)
}

/// The times in which codes are compared, in whole hours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Windows {
    /// Since when codes are recent.
    pub recent_since: DateTime<Utc>,
    /// Since when, and until then, codes say what is usual.
    pub normal_since: DateTime<Utc>,
}

impl Windows {
    /// The times as they are at `now`.
    pub fn at(now: DateTime<Utc>) -> Self {
        let recent_since = hour_of(now) - RECENT;
        Self { recent_since, normal_since: recent_since - NORMAL }
    }
}

/// When the hour began in which a time is.
pub(super) fn hour_of(time: DateTime<Utc>) -> DateTime<Utc> {
    time.duration_trunc(TimeDelta::hours(1)).unwrap_or(time)
}

/// What is known of the codes to a range.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Evidence {
    /// The organization's last codes.
    pub recent: CodeShare,
    /// Its codes of the days before.
    pub normal: CodeShare,
    /// The last codes of all other organizations.
    pub others: CodeShare,
    /// Their codes of the days before.
    pub others_normal: CodeShare,
    /// The number of those that sent codes lately.
    pub other_organizations: u64,
}

/// Of how many others their share is shown at least: that of fewer tells how one of them fares.
pub const SHOWN_OTHERS: u64 = 3;

/// What the share of delivered codes tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Finding {
    /// It fell, and so did that of others, or nobody knows: the owners are told.
    Notice,
    /// It fell for this organization alone: its codes to the range are stopped.
    Stop,
}

impl Evidence {
    /// What is found. Who has sent too little to know what is usual is measured by what is for others.
    pub fn finding(&self) -> Option<Finding> {
        let usual = self.usual()?;
        if !self.recent.has_fallen_from(usual) {
            return None;
        }
        let others_usual =
            if self.others_normal.says_what_is_usual() { self.others_normal } else { usual };
        let is_alone = self.others.has_held_against(others_usual);
        Some(if is_alone { Finding::Stop } else { Finding::Notice })
    }

    /// The last codes of all others, as far as the organization may see them.
    pub fn shown_others(&self) -> Option<CodeShare> {
        (self.other_organizations >= SHOWN_OTHERS).then_some(self.others)
    }

    /// Returns the share that is usual for this organization, as far as it may see that.
    pub fn shown_usual(&self) -> Option<CodeShare> {
        let is_own = self.normal.says_what_is_usual();
        self.usual().filter(|_| is_own || self.other_organizations >= SHOWN_OTHERS)
    }

    /// What share is usual for this organization.
    pub fn usual(&self) -> Option<CodeShare> {
        [self.normal, self.others_normal].into_iter().find(|share| share.says_what_is_usual())
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
    fn who_falls_alone_is_stopped_and_who_falls_with_others_is_told() {
        let fallen = share(100, 20);
        assert_eq!(evidence(fallen, share(500, 470)).finding(), Some(Finding::Stop));
        assert_eq!(evidence(fallen, share(500, 200)).finding(), Some(Finding::Notice));
        assert_eq!(evidence(fallen, share(49, 49)).finding(), Some(Finding::Notice));
        assert_eq!(evidence(share(100, 90), share(500, 470)).finding(), None);
    }

    #[test]
    fn a_newcomer_is_measured_by_others_and_by_nobody_without_any() {
        let newcomer = Evidence { normal: share(199, 199), ..evidence(share(60, 5), GOOD) };
        assert_eq!(newcomer.finding(), Some(Finding::Stop));
        let alone = Evidence { others: share(0, 0), others_normal: share(0, 0), ..newcomer };
        assert_eq!(alone.finding(), None);
    }

    #[test]
    fn what_is_always_bad_is_not_a_fall() {
        let bad = share(10_000, 500);
        let found = Evidence { normal: bad, others_normal: bad, ..evidence(share(60, 2), bad) };
        assert_eq!(found.finding(), None);
    }

    #[test]
    fn codes_are_recent_for_one_hour_and_the_one_that_has_begun() {
        let now = DateTime::from_timestamp(1_700_000_000, 0).unwrap();
        let windows = Windows::at(now);
        assert_eq!(windows.recent_since.to_rfc3339(), "2023-11-14T21:00:00+00:00");
        assert_eq!(windows.normal_since.to_rfc3339(), "2023-11-07T21:00:00+00:00");
    }

    proptest! {
        /// Not by chance either: whoever delivers as ever is left alone.
        #[test]
        fn few_codes_and_small_falls_say_nothing(codes in 0_u64..5_000, delivered: u64, part in 58..=100_u64) {
            let few = share(codes % 50, delivered % (codes % 50 + 1));
            prop_assert_eq!(evidence(few, GOOD).finding(), None);
            let slight = share(codes, (codes * part).div_ceil(100));
            prop_assert_eq!(evidence(slight, GOOD).finding(), None);
        }

        #[test]
        fn nobody_is_stopped_whom_the_network_fails_like_others(
            codes in 50_u64..5_000,
            delivered in 0_u64..5_000,
            others in 0_u64..100_000,
            part in 0..80_u64,
        ) {
            let recent = share(codes, delivered.min(codes));
            let found = evidence(recent, share(others, others * part / 100)).finding();
            prop_assert_ne!(found, Some(Finding::Stop));
        }

        /// Whom the store leaves out of the suspects nothing would be found of.
        #[test]
        fn all_of_whom_anything_is_found_are_suspects(
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
