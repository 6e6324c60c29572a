//! When a delivery that failed is tried again.

use chrono::TimeDelta;

/// How long after each failed attempt the next one follows. After the last of these it has failed.
const DELAYS: [TimeDelta; 7] = [
    TimeDelta::seconds(5),
    TimeDelta::minutes(5),
    TimeDelta::minutes(30),
    TimeDelta::hours(2),
    TimeDelta::hours(5),
    TimeDelta::hours(10),
    TimeDelta::hours(10),
];
/// How far a receiver may put a delivery off.
const LONGEST_PUT_OFF: TimeDelta = TimeDelta::hours(24);

/// In how long a delivery is tried again of which `attempts` have failed; none if it is given up. The
/// receiver may have asked for more time. A delay is up to a tenth longer, by `jitter`, which is a part in
/// thousandths.
pub fn next_attempt(
    attempts: u16,
    retry_after: Option<TimeDelta>,
    jitter: u16,
) -> Option<TimeDelta> {
    let delay = *DELAYS.get(usize::from(attempts.max(1)) - 1)?;
    let delay = delay + delay * i32::from(jitter.min(1_000)) / 10_000;
    let wanted = retry_after.unwrap_or_default().min(LONGEST_PUT_OFF);
    Some(delay.max(wanted))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_delivery_is_tried_eight_times_within_a_bit_more_than_a_day() {
        let delays: Vec<_> = (1..=8).map(|attempts| next_attempt(attempts, None, 0)).collect();
        assert_eq!(delays[..7], DELAYS.map(Some));
        assert_eq!(delays[7], None);
        assert_eq!(next_attempt(900, None, 0), None);
    }

    #[test]
    fn delays_are_up_to_a_tenth_longer() {
        assert_eq!(next_attempt(4, None, 500), Some(TimeDelta::minutes(126)));
        assert_eq!(next_attempt(4, None, 1_000), Some(TimeDelta::minutes(132)));
    }

    #[test]
    fn a_receiver_may_ask_for_more_time_but_not_for_less_and_for_a_day_at_the_most() {
        let asked = |seconds| next_attempt(2, Some(TimeDelta::seconds(seconds)), 0);
        assert_eq!(asked(10), Some(TimeDelta::minutes(5)));
        assert_eq!(asked(1_000), Some(TimeDelta::seconds(1_000)));
        assert_eq!(asked(1_000_000), Some(TimeDelta::hours(24)));
    }
}
