//! Schedule of attempts after a failed delivery.

use chrono::TimeDelta;

/// Delays after each failed attempt. The delivery fails after the last of them.
const DELAYS: [TimeDelta; 7] = [
    TimeDelta::seconds(5),
    TimeDelta::minutes(5),
    TimeDelta::minutes(30),
    TimeDelta::hours(2),
    TimeDelta::hours(5),
    TimeDelta::hours(10),
    TimeDelta::hours(10),
];
/// Maximum delay that a receiver may ask for.
const LONGEST_PUT_OFF: TimeDelta = TimeDelta::hours(24);

/// Returns the delay before the next attempt after `attempts` failed ones; `None` if the delivery
/// is given up. The receiver may have asked for more time. `jitter`, in thousandths, makes a delay
/// up to a tenth longer.
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
    fn a_delivery_is_tried_eight_times_within_about_a_day() {
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
    fn a_receiver_may_ask_for_up_to_a_day_but_never_for_less() {
        let asked = |seconds| next_attempt(2, Some(TimeDelta::seconds(seconds)), 0);
        assert_eq!(asked(10), Some(TimeDelta::minutes(5)));
        assert_eq!(asked(1_000), Some(TimeDelta::seconds(1_000)));
        assert_eq!(asked(1_000_000), Some(TimeDelta::hours(24)));
    }
}
