//! When to try again.

use chrono::{DateTime, TimeDelta, Utc};

/// How many rounds through all routes a message gets.
pub const MAX_ROUNDS: u8 = 5;
/// How long after its acceptance a message may still be tried.
const VALIDITY: TimeDelta = TimeDelta::hours(24);
const FIRST_BACKOFF_MS: i64 = 2_000;
const GROWTH: i64 = 4;

/// How long to wait after `round` (1 is the first) came to nothing; `None` is never again.
///
/// Exponential with full jitter: a random part of 2 s, 8 s, 32 s, then 128 s, but no less than a
/// provider asked for in `retry_after`. `fraction` is that part, in thousandths.
pub fn back_off(
    round: u8,
    created_at: DateTime<Utc>,
    now: DateTime<Utc>,
    retry_after: Option<TimeDelta>,
    fraction: u16,
) -> Option<TimeDelta> {
    if round >= MAX_ROUNDS {
        return None;
    }
    let ceiling = FIRST_BACKOFF_MS * GROWTH.pow(u32::from(round.max(1)) - 1);
    let jittered = TimeDelta::milliseconds(ceiling * i64::from(fraction.min(1_000)) / 1_000);
    let wait = jittered.max(retry_after.unwrap_or_default());
    (now + wait <= created_at + VALIDITY).then_some(wait)
}

/// How long a provider's word on a message is waited for.
pub const MAX_FOLLOW_UP: TimeDelta = TimeDelta::hours(72);
const LONGEST_FOLLOW_UP_WAIT: TimeDelta = TimeDelta::hours(6);

/// How long to wait until a provider is asked again about a message that it took at `sent_at`;
/// `None` is never again. The wait is as long as the message is old, so that it doubles.
pub fn follow_up(
    sent_at: DateTime<Utc>,
    now: DateTime<Utc>,
    patience: TimeDelta,
) -> Option<TimeDelta> {
    let age = now - sent_at;
    let wait = age.clamp(patience.min(LONGEST_FOLLOW_UP_WAIT), LONGEST_FOLLOW_UP_WAIT);
    (age < MAX_FOLLOW_UP).then_some(wait)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const CREATED: DateTime<Utc> = DateTime::from_timestamp_nanos(1_700_000_000_000_000_000);

    #[test]
    fn the_longest_wait_quadruples_from_two_seconds() {
        let longest: Vec<_> = (1..=4)
            .map(|round| back_off(round, CREATED, CREATED, None, 1_000).unwrap().num_seconds())
            .collect();
        assert_eq!(longest, [2, 8, 32, 128]);
    }

    #[test]
    fn the_fifth_round_is_the_last() {
        assert_eq!(back_off(5, CREATED, CREATED, None, 0), None);
    }

    #[test]
    fn nothing_is_tried_a_day_after_its_acceptance() {
        let late = CREATED + TimeDelta::hours(24);
        assert_eq!(back_off(1, CREATED, late, Some(TimeDelta::seconds(1)), 0), None);
    }

    #[test]
    fn a_provider_is_asked_ever_more_seldom_and_not_after_three_days() {
        let patience = TimeDelta::minutes(10);
        let wait = |age| follow_up(CREATED, CREATED + age, patience);

        assert_eq!(wait(TimeDelta::zero()), Some(patience));
        assert_eq!(wait(TimeDelta::hours(1)), Some(TimeDelta::hours(1)));
        assert_eq!(wait(TimeDelta::hours(40)), Some(TimeDelta::hours(6)));
        assert_eq!(wait(TimeDelta::hours(72)), None);
    }

    proptest! {
        #[test]
        fn the_provider_is_left_alone_for_as_long_as_it_asked(
            round in 1..MAX_ROUNDS, fraction in 0..=1_000_u16, asked in 0..600_i64,
        ) {
            let asked = TimeDelta::seconds(asked);
            let wait = back_off(round, CREATED, CREATED, Some(asked), fraction).unwrap();
            prop_assert!(wait >= asked);
        }
    }
}
