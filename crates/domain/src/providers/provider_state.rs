//! The state of a provider: its breaker, and how far it is demoted because its reports stay out.

use chrono::{DateTime, Utc};

use crate::providers::breaker::Breaker;

/// The state of a provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProviderState {
    /// Whether it may be used.
    pub breaker: Breaker,
    /// How many steps it is demoted, up to [`MAX_DEMOTION`].
    pub demotion: u16,
}

/// The most steps that a provider can be demoted.
pub const MAX_DEMOTION: u16 = 5;
/// By how much a step of demotion raises a route's priority number.
const PRIORITY_PER_STEP: u32 = 10;
/// From which demotion on a provider comes after those that take any country.
const BEHIND_ANY_COUNTRY: u16 = 3;
/// Below this many messages a share says nothing.
const MIN_MESSAGES: u64 = 20;
/// How far above the normal share of messages without a report a provider must be to be demoted, in
/// per cent of all messages.
const TOLERANCE: u64 = 15;

impl Default for ProviderState {
    fn default() -> Self {
        Self { breaker: Breaker::CLOSED, demotion: 0 }
    }
}

/// Where a route stands among others; the lowest is tried first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Rank {
    is_behind: bool,
    takes_any_country: bool,
    priority: u32,
}

impl ProviderState {
    /// Where a route of a provider with this state stands.
    pub fn rank(self, takes_any_country: bool, priority: u16) -> Rank {
        Rank {
            is_behind: self.demotion >= BEHIND_ANY_COUNTRY,
            takes_any_country,
            priority: u32::from(priority) + u32::from(self.demotion) * PRIORITY_PER_STEP,
        }
    }

    /// Whether it may be used freely.
    pub fn is_open_to_all(self) -> bool {
        self.breaker.is_closed()
    }

    /// Whether a single message may probe it now.
    pub fn is_probe_due(self, now: DateTime<Utc>) -> bool {
        self.breaker.is_probe_due(now)
    }
}

/// How many messages a provider took in some time, and for how many of them no report has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ReportCounts {
    /// Messages for which a report should be there by now.
    pub taken: u64,
    /// Those for which there is none.
    pub unreported: u64,
}

impl ReportCounts {
    /// The share without a report in per cent; `None` when there are too few messages to tell.
    pub fn unreported_percent(self) -> Option<u64> {
        (self.taken >= MIN_MESSAGES).then(|| self.unreported.min(self.taken) * 100 / self.taken)
    }
}

/// A step that a provider is moved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Demotion {
    /// Its demotion from now on.
    pub to: u16,
    /// Why, for people.
    pub reason: String,
}

/// Whether a provider that so far is demoted by `current` steps moves one further or one back,
/// given what it did of late and what is normal for it. It comes back step by step, too, when there
/// are too few messages to tell, of late or usually.
pub fn judge(current: u16, recent: ReportCounts, normal: ReportCounts) -> Option<Demotion> {
    match (recent.unreported_percent(), normal.unreported_percent()) {
        (Some(share), Some(usual)) if share > usual + TOLERANCE => {
            (current < MAX_DEMOTION).then(|| Demotion {
                to: current + 1,
                reason: format!(
                    "{share} % of {} messages have no report yet; {usual} % is normal",
                    recent.taken
                ),
            })
        }
        shares => (current > 0).then(|| Demotion {
            to: current - 1,
            reason: match shares {
                (Some(share), Some(_)) => format!("{share} % without a report is normal again"),
                _ => "too few messages to hold anything against it".to_owned(),
            },
        }),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn counts(taken: u64, unreported: u64) -> ReportCounts {
        ReportCounts { taken, unreported }
    }

    #[test]
    fn a_provider_that_falls_silent_is_demoted_step_by_step_and_comes_back_the_same_way() {
        let normal = counts(1_000, 50);
        let mut demotion = 0;
        for expected in [1, 2, 3, 4, 5] {
            demotion = judge(demotion, counts(100, 60), normal).unwrap().to;
            assert_eq!(demotion, expected);
        }
        assert_eq!(judge(demotion, counts(100, 60), normal), None);
        for expected in [4, 3, 2, 1, 0] {
            demotion = judge(demotion, counts(100, 6), normal).unwrap().to;
            assert_eq!(demotion, expected);
        }
        assert_eq!(judge(demotion, counts(100, 6), normal), None);
    }

    #[test]
    fn a_provider_that_never_reports_much_is_not_demoted_for_it() {
        assert_eq!(judge(0, counts(100, 90), counts(1_000, 900)), None);
    }

    #[test]
    fn a_few_messages_prove_nothing() {
        assert_eq!(judge(0, counts(19, 19), counts(1_000, 0)), None);
    }

    #[test]
    fn nothing_is_held_against_a_provider_of_which_nobody_knows_what_is_normal() {
        assert_eq!(judge(0, counts(100, 100), counts(19, 0)), None);
        assert_eq!(judge(1, counts(100, 100), counts(19, 0)).map(|moved| moved.to), Some(0));
    }

    proptest! {
        #[test]
        fn a_demotion_never_leaves_its_bounds(
            steps in prop::collection::vec((0..200_u64, 0..200_u64), 0..50),
        ) {
            let mut demotion = 0;
            for (taken, unreported) in steps {
                let moved = judge(demotion, counts(taken, unreported), counts(1_000, 0));
                if let Some(moved) = moved {
                    prop_assert_eq!(moved.to.abs_diff(demotion), 1);
                    demotion = moved.to;
                }
                prop_assert!(demotion <= MAX_DEMOTION);
            }
        }
    }
}
