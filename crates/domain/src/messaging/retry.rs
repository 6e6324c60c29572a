//! Times and limits of retries.
//!
//! ```
//! use domain::{
//!     messaging::retry::{longest_back_off, validity},
//!     shared::category::Category,
//! };
//!
//! assert!(validity(Category::Otp) < validity(Category::Transactional));
//! assert!(longest_back_off(Category::Otp) < longest_back_off(Category::Transactional));
//! ```

use chrono::{DateTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};

use crate::shared::category::Category;

/// Retry rules set by the sender of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RetryRules {
    /// Maximum number of rounds in which a provider is called.
    pub max_attempts: Option<u8>,
    /// Time from one round to the next, in seconds.
    pub backoff_seconds: Option<u32>,
}

impl RetryRules {
    /// True if a provider may be called in another round after `rounds`.
    pub fn allow_another(rules: Option<Self>, rounds: u8) -> bool {
        rules.and_then(|rules| rules.max_attempts).is_none_or(|most| rounds < most)
    }
}

/// Shortest validity of a message.
pub const SHORTEST_VALIDITY: TimeDelta = TimeDelta::seconds(60);
/// Longest validity of a message.
pub const LONGEST_VALIDITY: TimeDelta = TimeDelta::seconds(259_200);

/// Time for which a message of `category` is tried, unless its sender sets another.
pub const fn validity(category: Category) -> TimeDelta {
    match category {
        Category::Otp => TimeDelta::seconds(600),
        Category::Alert => TimeDelta::seconds(3_600),
        _ => TimeDelta::seconds(86_400),
    }
}

/// Longest time for which a message of `category` is tried, whatever its sender sets. A code is
/// masked after it, and would be of no use.
pub const fn longest_validity(category: Category) -> TimeDelta {
    match category {
        Category::Otp => TimeDelta::seconds(3_600),
        _ => LONGEST_VALIDITY,
    }
}

const FIRST_BACKOFF_MS: i64 = 2_000;
const GROWTH: i64 = 4;

/// Longest wait between two rounds of a message of `category`.
pub const fn longest_back_off(category: Category) -> TimeDelta {
    if category.is_urgent() { TimeDelta::seconds(30) } else { TimeDelta::minutes(10) }
}

/// Longest wait of a message in doubt for a provider whose places are all taken.
const LONGEST_FOR_PLACE: TimeDelta = TimeDelta::seconds(10);
/// Shortest wait of a message in doubt for a provider that may not be called.
const SHORTEST_WHILE_CLOSED: TimeDelta = TimeDelta::seconds(5);

/// Time until the provider of a message in doubt may have a place: a random part of ten seconds.
/// `fraction` is that part, in thousandths.
pub fn wait_for_place(fraction: u16) -> TimeDelta {
    LONGEST_FOR_PLACE * i32::from(fraction) / 1_000
}

/// Time for which a message in doubt waits for a provider that may not be called: as long as it has
/// been in doubt, so that it is short after a short outage and long in a long one.
pub fn wait_while_closed(category: Category, in_doubt_for: TimeDelta) -> TimeDelta {
    in_doubt_for.clamp(SHORTEST_WHILE_CLOSED, longest_back_off(category))
}

/// Time to wait after the failure of `round` (1 is the first).
///
/// Exponential with full jitter: a random part of 2 s, 8 s, 32 s and so on up to
/// [`longest_back_off`], but no less than a provider requested in `retry_after`. `fraction` is that
/// part, in thousandths.
pub fn back_off(
    category: Category,
    round: u8,
    retry_after: Option<TimeDelta>,
    fraction: u16,
) -> TimeDelta {
    let growth = GROWTH.saturating_pow(u32::from(round.max(1)) - 1);
    let ceiling = FIRST_BACKOFF_MS.saturating_mul(growth);
    let ceiling = ceiling.min(longest_back_off(category).num_milliseconds());
    let jittered = TimeDelta::milliseconds(ceiling * i64::from(fraction.min(1_000)) / 1_000);
    jittered.max(retry_after.unwrap_or_default())
}

/// Maximum number of calls of a message with an unknown outcome. After that it is not sent again,
/// because each of them may have reached the recipient.
pub const MAX_DOUBTS: usize = 5;

/// Longest wait for a provider's report on a message.
pub const MAX_FOLLOW_UP: TimeDelta = TimeDelta::hours(72);
const LONGEST_FOLLOW_UP_WAIT: TimeDelta = TimeDelta::hours(6);

/// Time until a provider is asked again about a message that it took at `sent_at`; `None` if it is
/// never asked again. The wait equals the age of the message, so that it doubles.
pub fn follow_up(
    sent_at: DateTime<Utc>,
    now: DateTime<Utc>,
    report_timeout: TimeDelta,
) -> Option<TimeDelta> {
    let age = now - sent_at;
    let wait = age.clamp(report_timeout.min(LONGEST_FOLLOW_UP_WAIT), LONGEST_FOLLOW_UP_WAIT);
    (age < MAX_FOLLOW_UP).then_some(wait)
}

/// Longest wait that the other side of a call may request.
const LONGEST_ASKED_WAIT: TimeDelta = TimeDelta::days(1);

/// Parses `Retry-After` (RFC 9110, section 10.2.3): seconds, or a date. Never negative, and at most
/// a day.
pub fn retry_after(value: &str, now: DateTime<Utc>) -> Option<TimeDelta> {
    let wait = match value.trim().parse::<u32>() {
        Ok(seconds) => TimeDelta::seconds(seconds.into()),
        Err(_) => DateTime::parse_from_rfc2822(value.trim()).ok()?.to_utc() - now,
    };
    Some(wait.clamp(TimeDelta::zero(), LONGEST_ASKED_WAIT))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const CREATED: DateTime<Utc> = DateTime::from_timestamp_nanos(1_700_000_000_000_000_000);

    fn longest_waits(category: Category) -> Vec<i64> {
        let wait = |round| back_off(category, round, None, 1_000).num_seconds();
        [1, 2, 3, 4, 5, 6, u8::MAX].map(wait).to_vec()
    }

    #[test]
    fn the_longest_wait_quadruples_from_two_seconds_up_to_a_limit() {
        assert_eq!(longest_waits(Category::Transactional), [2, 8, 32, 128, 512, 600, 600]);
        assert_eq!(longest_waits(Category::Otp), [2, 8, 30, 30, 30, 30, 30]);
        assert_eq!(longest_waits(Category::Alert), longest_waits(Category::Otp));
    }

    #[test]
    fn codes_and_alerts_are_valid_for_less_time_than_the_rest() {
        let seconds = |category| validity(category).num_seconds();
        assert_eq!(
            Category::ALL.map(seconds),
            [86_400, 86_400, 600, 86_400, 3_600, 86_400, 86_400, 86_400, 86_400, 86_400]
        );
    }

    #[test]
    fn a_provider_is_asked_ever_more_seldom_and_not_after_three_days() {
        let report_timeout = TimeDelta::minutes(10);
        let wait = |age| follow_up(CREATED, CREATED + age, report_timeout);

        assert_eq!(wait(TimeDelta::zero()), Some(report_timeout));
        assert_eq!(wait(TimeDelta::hours(1)), Some(TimeDelta::hours(1)));
        assert_eq!(wait(TimeDelta::hours(40)), Some(TimeDelta::hours(6)));
        assert_eq!(wait(TimeDelta::hours(72)), None);
    }

    #[test]
    fn retry_after_is_read_as_seconds_and_as_a_date() {
        let now = DateTime::parse_from_rfc3339("1994-11-06T08:49:07Z").unwrap().to_utc();

        for (value, seconds) in [
            ("120", Some(120)),
            (" 0 ", Some(0)),
            ("Sun, 06 Nov 1994 08:49:37 GMT", Some(30)),
            ("Sun, 06 Nov 1994 08:00:00 GMT", Some(0)),
            ("4000000000", Some(86_400)),
            ("-1", None),
            ("soon", None),
            ("", None),
        ] {
            assert_eq!(retry_after(value, now), seconds.map(TimeDelta::seconds), "{value:?}");
        }
    }

    proptest! {
        #[test]
        fn the_provider_is_left_alone_for_as_long_as_it_asked(
            round in any::<u8>(), fraction in 0..=1_000_u16, asked in 0..6_000_i64,
        ) {
            let asked = TimeDelta::seconds(asked);
            let wait = back_off(Category::Transactional, round, Some(asked), fraction);
            prop_assert!(wait >= asked);
        }
    }
}
