//! States of providers: their breakers, and their demotion for missing reports.
//!
//! ```
//! use domain::providers::provider_state::ProviderState;
//!
//! assert!(ProviderState::default().is_open_to_all());
//! ```

use chrono::{DateTime, Utc};

use crate::providers::breaker::Breaker;

/// State of a provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProviderState {
    /// Breaker, which decides if the provider may be used.
    pub breaker: Breaker,
    /// Number of steps by which it is demoted, up to [`MAX_DEMOTION`].
    pub demotion: u16,
}

/// Maximum number of steps by which a provider is demoted.
pub const MAX_DEMOTION: u16 = 5;
/// Amount by which a step of demotion raises a route's priority number.
const PRIORITY_PER_STEP: u32 = 10;
/// Demotion from which on a provider comes after those that take any country.
const BEHIND_ANY_COUNTRY: u16 = 3;
/// Minimum number of messages for which a share is meaningful.
const MIN_MESSAGES: u64 = 20;
/// Excess over the normal share of messages without a report from which on a provider is demoted,
/// in percentage points.
const TOLERANCE: u64 = 15;

impl Default for ProviderState {
    fn default() -> Self {
        Self { breaker: Breaker::CLOSED, demotion: 0 }
    }
}

/// Rank of a route among others; the lowest is tried first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Rank {
    is_behind: bool,
    takes_any_country: bool,
    priority: u32,
}

impl ProviderState {
    /// Returns the rank of a route of a provider with this state.
    pub fn rank(self, takes_any_country: bool, priority: u16) -> Rank {
        Rank {
            is_behind: self.demotion >= BEHIND_ANY_COUNTRY,
            takes_any_country,
            priority: u32::from(priority) + u32::from(self.demotion) * PRIORITY_PER_STEP,
        }
    }

    /// True if the provider may be used freely.
    pub fn is_open_to_all(self) -> bool {
        self.breaker.is_closed()
    }

    /// True if a single message may probe the provider now.
    pub fn is_probe_due(self, now: DateTime<Utc>) -> bool {
        self.breaker.is_probe_due(now)
    }
}

/// Number of messages that a provider took in a period, and of those without a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ReportCounts {
    /// Number of messages for which a report is due by now.
    pub taken: u64,
    /// Number of those without a report.
    pub unreported: u64,
}

impl ReportCounts {
    /// Returns the share without a report in per cent; `None` if there are too few messages.
    pub fn unreported_percent(self) -> Option<u64> {
        (self.taken >= MIN_MESSAGES).then(|| self.unreported.min(self.taken) * 100 / self.taken)
    }
}

/// Change of a provider's demotion by one step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Demotion {
    /// New demotion.
    pub to: u16,
    /// Reason for people.
    pub reason: String,
}

/// Returns the change of a provider's demotion from `current`, given its recent reports and the
/// normal ones; `None` if there is none. With too few messages, recent or normal, a demoted
/// provider moves back step by step.
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
    fn a_provider_without_reports_is_demoted_step_by_step_and_back() {
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
    fn a_provider_without_a_normal_share_is_not_demoted() {
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
