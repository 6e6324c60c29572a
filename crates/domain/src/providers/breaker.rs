//! Circuit breakers: a provider that keeps failing is not called for a while.
//!
//! ```
//! use chrono::DateTime;
//! use domain::providers::breaker::{Breaker, BreakerSignal};
//!
//! let breaker = Breaker::CLOSED.after(BreakerSignal::Fatal, DateTime::UNIX_EPOCH);
//! assert!(!breaker.is_closed());
//! ```

use chrono::{DateTime, TimeDelta, Utc};

/// Number of failures in a row that opens a breaker.
const IN_A_ROW: u32 = 5;
/// Number of failures among the last sixteen calls that opens a breaker: more than half, so that a
/// provider that fails every other time is still used.
const AMONG_RECENT: u32 = 10;
const FIRST_REST: TimeDelta = TimeDelta::seconds(3);
const LONGEST_REST: TimeDelta = TimeDelta::seconds(24);
/// Time that a probe may take before another may be made.
const PROBE: TimeDelta = TimeDelta::seconds(60);

/// Breaker of a provider, which decides if the provider may be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Breaker {
    /// The provider may be used.
    Closed {
        /// The last sixteen calls, one bit each, the latest in the lowest: set if the call failed.
        recent: u16,
    },
    /// The provider is not called for a while; afterwards one message probes it.
    Open {
        /// Time from which a message may probe it.
        until: DateTime<Utc>,
        /// Number of times that it was opened in a row.
        times: u16,
    },
    /// A message is probing the provider. Another may if it has not returned in time.
    Probing {
        /// Time from which another message may probe it.
        until: DateTime<Utc>,
        /// Number of times that it was opened in a row.
        times: u16,
    },
}

/// Signal that the outcome of a call gives about the provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BreakerSignal {
    /// The provider answers as it should, even if it refuses this one message.
    Success,
    /// The provider answers, but cannot reach this one recipient. It may reach others.
    Neutral,
    /// The provider was not called.
    NotCalled,
    /// The provider failed once.
    Failure,
    /// The provider fails until somebody fixes our account there.
    Fatal,
}

impl Breaker {
    /// Breaker of a provider without known failures.
    pub const CLOSED: Self = Self::Closed { recent: 0 };

    /// Returns the breaker after a call that gave `signal` and was no probe. While the breaker is
    /// not closed, the answer belongs to a call from before it opened, and proves nothing.
    #[must_use]
    pub fn after(self, signal: BreakerSignal, now: DateTime<Utc>) -> Self {
        match (self, signal) {
            (Self::Open { .. } | Self::Probing { .. }, _) => self,
            (Self::Closed { .. }, BreakerSignal::Neutral | BreakerSignal::NotCalled) => self,
            (Self::Closed { recent }, BreakerSignal::Success | BreakerSignal::Failure) => {
                let recent = (recent << 1) | u16::from(signal == BreakerSignal::Failure);
                if recent.trailing_ones() < IN_A_ROW && recent.count_ones() < AMONG_RECENT {
                    Self::Closed { recent }
                } else {
                    Self::open(1, now)
                }
            }
            (Self::Closed { .. }, BreakerSignal::Fatal) => Self::open(1, now),
        }
    }

    /// Returns the breaker after its probe gave `signal`. If the probe took so long that the
    /// breaker is no longer being probed, it counts as any other call.
    #[must_use]
    pub fn after_probe(self, signal: BreakerSignal, now: DateTime<Utc>) -> Self {
        match (self, signal) {
            // It answered, though it cannot reach this recipient.
            (Self::Probing { .. }, BreakerSignal::Success | BreakerSignal::Neutral) => Self::CLOSED,
            (Self::Probing { times, .. }, BreakerSignal::NotCalled) => {
                Self::Open { until: now, times }
            }
            (Self::Probing { times, .. }, BreakerSignal::Failure | BreakerSignal::Fatal) => {
                Self::open(times.saturating_add(1), now)
            }
            (Self::Closed { .. } | Self::Open { .. }, _) => self.after(signal, now),
        }
    }

    fn open(times: u16, now: DateTime<Utc>) -> Self {
        let doublings = u32::from(times.saturating_sub(1)).min(10);
        let rest = FIRST_REST * 2_i32.pow(doublings);
        Self::Open { until: now + rest.min(LONGEST_REST), times }
    }

    /// True if calls pass freely.
    pub const fn is_closed(self) -> bool {
        matches!(self, Self::Closed { .. })
    }

    /// True if a message may probe the provider now.
    pub fn is_probe_due(self, now: DateTime<Utc>) -> bool {
        match self {
            Self::Closed { .. } => false,
            Self::Open { until, .. } | Self::Probing { until, .. } => until <= now,
        }
    }

    /// Returns the breaker while a message probes it; `None` if it is closed or a probe is not due.
    #[must_use]
    pub fn probe(self, now: DateTime<Utc>) -> Option<Self> {
        match self {
            Self::Open { times, .. } | Self::Probing { times, .. } if self.is_probe_due(now) => {
                Some(Self::Probing { until: now + PROBE, times })
            }
            _ => None,
        }
    }

    /// Returns the breaker after a probe that was not made: another may be made at once.
    #[must_use]
    pub const fn without_probe(self, now: DateTime<Utc>) -> Self {
        match self {
            Self::Probing { times, .. } => Self::Open { until: now, times },
            Self::Closed { .. } | Self::Open { .. } => self,
        }
    }

    /// The name on the wire and in the database.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Closed { .. } => "CLOSED",
            Self::Open { .. } => "OPEN",
            Self::Probing { .. } => "PROBING",
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::messaging::{
        delivery::{Failure, FailureCode},
        outcome::Outcome,
    };

    const NOW: DateTime<Utc> = DateTime::from_timestamp_nanos(1_700_000_000_000_000_000);

    fn opened() -> Breaker {
        (0..IN_A_ROW).fold(Breaker::CLOSED, |breaker, _| breaker.after(BreakerSignal::Failure, NOW))
    }

    fn after_all(signals: impl IntoIterator<Item = BreakerSignal>) -> Breaker {
        signals.into_iter().fold(Breaker::CLOSED, |breaker, signal| breaker.after(signal, NOW))
    }

    #[test]
    fn five_failures_in_a_row_open_it() {
        assert!(!opened().is_closed());
        let signals = [
            BreakerSignal::Failure,
            BreakerSignal::Failure,
            BreakerSignal::Failure,
            BreakerSignal::Failure,
            BreakerSignal::Success,
            BreakerSignal::Failure,
        ];
        assert_eq!(after_all(signals), Breaker::Closed { recent: 0b11_1101 });
    }

    #[test]
    fn ten_failures_among_sixteen_calls_open_it() {
        let two_of_three = [BreakerSignal::Failure, BreakerSignal::Success, BreakerSignal::Failure]
            .into_iter()
            .cycle();
        assert!(after_all(two_of_three.clone().take(13)).is_closed());
        assert!(!after_all(two_of_three.take(15)).is_closed());
        let every_other = [BreakerSignal::Failure, BreakerSignal::Success].into_iter().cycle();
        assert!(after_all(every_other.take(100)).is_closed());
    }

    #[test]
    fn a_failure_is_forgotten_after_sixteen_calls() {
        let then_good = |calls| {
            after_all(
                [BreakerSignal::Failure]
                    .into_iter()
                    .chain([BreakerSignal::Success; 16])
                    .take(calls),
            )
        };
        assert_eq!(then_good(16), Breaker::Closed { recent: 1 << 15 });
        assert_eq!(then_good(17), Breaker::CLOSED);
    }

    #[test]
    fn an_account_that_is_empty_or_unknown_opens_it_at_once() {
        assert!(!Breaker::CLOSED.after(BreakerSignal::Fatal, NOW).is_closed());
    }

    #[test]
    fn a_refusal_for_the_sake_of_a_recipient_does_not_count() {
        let failure = Failure::new(FailureCode::RecipientUnreachable, "mailbox full");
        let signal = BreakerSignal::of(&Outcome::NotAccepted { failure, retry_after: None });

        assert_eq!(after_all([signal; 100]), Breaker::CLOSED);
        let between = [
            BreakerSignal::Failure,
            signal,
            BreakerSignal::Failure,
            BreakerSignal::Failure,
            signal,
            BreakerSignal::Failure,
            BreakerSignal::Failure,
        ];
        assert!(!after_all(between).is_closed());
    }

    #[test]
    fn a_probe_refused_for_the_sake_of_its_recipient_closes_it() {
        let probing = opened().probe(NOW + FIRST_REST).unwrap();

        assert_eq!(probing.after_probe(BreakerSignal::Neutral, NOW + FIRST_REST), Breaker::CLOSED);
    }

    #[test]
    fn a_probe_that_was_not_made_is_given_back() {
        let later = NOW + FIRST_REST;
        let probing = opened().probe(later).unwrap();

        let back = probing.after_probe(BreakerSignal::NotCalled, later);

        assert_eq!(back, Breaker::Open { until: later, times: 1 });
        assert!(back.is_probe_due(later));
    }

    #[test]
    fn one_message_probes_it_after_a_rest_and_its_success_closes_it() {
        let later = NOW + FIRST_REST;
        assert_eq!(opened().probe(NOW), None);
        let probing = opened().probe(later).unwrap();
        assert_eq!(probing.probe(later), None);

        assert_eq!(probing.after_probe(BreakerSignal::Success, later), Breaker::CLOSED);
    }

    #[test]
    fn a_probe_that_fails_doubles_the_rest_up_to_a_limit() {
        let (mut breaker, mut now, mut rests) = (opened(), NOW, Vec::new());
        for _ in 0..5 {
            let Breaker::Open { until, .. } = breaker else { panic!("{breaker:?}") };
            rests.push((until - now).num_seconds());
            now = until;
            breaker = breaker.probe(now).unwrap().after_probe(BreakerSignal::Failure, now);
        }
        assert_eq!(rests, [3, 6, 12, 24, 24]);
    }

    #[test]
    fn a_probe_that_never_comes_back_is_followed_by_another() {
        let probing = opened().probe(NOW + FIRST_REST).unwrap();
        assert!(probing.is_probe_due(NOW + FIRST_REST + PROBE));
    }

    #[test]
    fn a_probe_that_was_not_made_may_be_made_at_once() {
        let later = NOW + FIRST_REST;
        let given_back = opened().probe(later).unwrap().without_probe(later);
        assert!(given_back.probe(later).is_some());
        assert_eq!(Breaker::CLOSED.without_probe(later), Breaker::CLOSED);
    }

    #[test]
    fn a_probe_that_comes_back_too_late_is_a_call_like_any_other() {
        assert_eq!(opened().after_probe(BreakerSignal::Success, NOW), opened());
        let counted = Breaker::CLOSED.after_probe(BreakerSignal::Failure, NOW);
        assert_eq!(counted, Breaker::Closed { recent: 1 });
    }

    fn any_signals() -> impl Strategy<Value = Vec<BreakerSignal>> {
        let signals = [
            BreakerSignal::Success,
            BreakerSignal::Neutral,
            BreakerSignal::NotCalled,
            BreakerSignal::Failure,
            BreakerSignal::Fatal,
        ];
        let signal = prop::sample::select(signals.to_vec());
        prop::collection::vec(signal, 0..50)
    }

    proptest! {
        #[test]
        fn an_open_breaker_is_moved_by_nothing_but_a_probe(signals in any_signals()) {
            let after = signals.into_iter().fold(opened(), |breaker, signal| breaker.after(signal, NOW));
            prop_assert_eq!(after, opened());
        }

        #[test]
        fn late_answers_do_not_affect_the_result_of_a_probe(
            late in any_signals(), is_good in any::<bool>(),
        ) {
            let later = NOW + FIRST_REST;
            let probing = opened().probe(later).unwrap();

            let before = late.into_iter().fold(probing, |breaker, signal| breaker.after(signal, later));

            prop_assert_eq!(before, probing);
            let verdict = if is_good { BreakerSignal::Success } else { BreakerSignal::Failure };
            prop_assert_eq!(before.after_probe(verdict, later).is_closed(), is_good);
        }
    }
}
