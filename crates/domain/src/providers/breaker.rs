//! Circuit breakers: a provider that keeps failing is left alone for a while.

use chrono::{DateTime, TimeDelta, Utc};

use crate::{messaging::delivery::FailureCode, providers::provider::outcome::Outcome};

/// How many failures in a row open a breaker.
const IN_A_ROW: u32 = 5;
/// How many failures among the last sixteen calls open a breaker: more than half, so that a provider
/// that fails every other time is still used.
const AMONG_RECENT: u32 = 10;
const FIRST_REST: TimeDelta = TimeDelta::seconds(3);
const LONGEST_REST: TimeDelta = TimeDelta::seconds(24);
/// How long a probe may take before another may be made.
const PROBE: TimeDelta = TimeDelta::seconds(60);

/// Whether a provider may be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Breaker {
    /// It may.
    Closed {
        /// The last sixteen calls, a bit each and the latest the lowest: set if the call failed.
        recent: u16,
    },
    /// It is left alone until then; afterwards one message probes it.
    Open {
        /// Until when.
        until: DateTime<Utc>,
        /// How often in a row it was opened.
        times: u16,
    },
    /// A message is probing it. Another may when this one has not come back by then.
    Probing {
        /// By when.
        until: DateTime<Utc>,
        /// How often in a row it was opened.
        times: u16,
    },
}

/// What the outcome of a call says of the provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BreakerSignal {
    /// The provider answers as it should, be it with a refusal of this one message.
    Success,
    /// It answers, and cannot reach this one recipient: whether it reaches others is left open.
    Neutral,
    /// It was not called.
    NotCalled,
    /// It failed once.
    Failure,
    /// It will fail until somebody mends our account there.
    Fatal,
}

impl BreakerSignal {
    /// What `outcome` says of the provider.
    pub fn of(outcome: &Outcome) -> Self {
        match outcome {
            Outcome::Accepted { .. } | Outcome::Rejected(_) => Self::Success,
            Outcome::NotAccepted { failure, .. } => match failure.code {
                FailureCode::SenderNotAllowed | FailureCode::ProviderRejected => Self::Success,
                FailureCode::RecipientUnreachable => Self::Neutral,
                FailureCode::ProviderBusy => Self::NotCalled,
                FailureCode::ProviderAuth | FailureCode::ProviderBalance => Self::Fatal,
                _ => Self::Failure,
            },
            Outcome::Unknown(_) => Self::Failure,
        }
    }
}

impl Breaker {
    /// The breaker of a provider of which nothing bad is known.
    pub const CLOSED: Self = Self::Closed { recent: 0 };

    /// The breaker after a call that gave `signal` and was no probe. While it is not closed, the
    /// answer is to a call from before it opened, and proves nothing.
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

    /// The breaker after its probe gave `signal`. A probe that took so long that the breaker is no
    /// longer being probed counts as any other call.
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

    /// Whether calls pass freely.
    pub const fn is_closed(self) -> bool {
        matches!(self, Self::Closed { .. })
    }

    /// Whether a message may probe it now.
    pub fn is_probe_due(self, now: DateTime<Utc>) -> bool {
        match self {
            Self::Closed { .. } => false,
            Self::Open { until, .. } | Self::Probing { until, .. } => until <= now,
        }
    }

    /// The breaker while a message probes it; `None` if it is closed or the time has not come.
    #[must_use]
    pub fn probe(self, now: DateTime<Utc>) -> Option<Self> {
        match self {
            Self::Open { times, .. } | Self::Probing { times, .. } if self.is_probe_due(now) => {
                Some(Self::Probing { until: now + PROBE, times })
            }
            _ => None,
        }
    }

    /// The breaker after a probe that was not made after all: another may be made at once.
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
    use crate::messaging::delivery::Failure;

    const NOW: DateTime<Utc> = DateTime::from_timestamp_nanos(1_700_000_000_000_000_000);

    fn opened() -> Breaker {
        (0..IN_A_ROW).fold(Breaker::CLOSED, |breaker, _| breaker.after(BreakerSignal::Failure, NOW))
    }

    fn after_all(signals: impl IntoIterator<Item = BreakerSignal>) -> Breaker {
        signals.into_iter().fold(Breaker::CLOSED, |breaker, signal| breaker.after(signal, NOW))
    }

    #[test]
    fn five_failures_in_a_row_open_it_and_a_success_between_them_does_not() {
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
    fn ten_failures_among_sixteen_calls_open_it_and_every_other_call_does_not() {
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
    fn a_refusal_for_the_sake_of_a_recipient_counts_neither_for_nor_against_it() {
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
    fn a_probe_that_is_refused_for_the_sake_of_its_recipient_proves_that_it_answers() {
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
        fn a_probe_alone_decides_whatever_late_answers_come_before_it(
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
