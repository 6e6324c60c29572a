//! Texts of times: RFC 3339 in UTC.
//!
//! Each message has a dozen of them, in answers and in its attempts, so those of the present era are written
//! digit by digit: the formats of chrono take twenty times as long.

use chrono::{DateTime, Datelike, SecondsFormat, Timelike, Utc};
use serde::{Serialize, Serializer};

/// Nanoseconds in a millisecond.
const MILLISECOND: u32 = 1_000_000;
/// Nanoseconds in a second. A leap second has more.
const SECOND: u32 = 1_000_000_000;

/// Returns the text of a time to the millisecond.
///
/// ```
/// use chrono::DateTime;
/// use domain::shared::time_text;
///
/// let at = DateTime::from_timestamp_millis(1_769_850_000_120).unwrap();
/// assert_eq!(time_text::to_the_millisecond(at), "2026-01-31T09:00:00.120Z");
/// ```
pub fn to_the_millisecond(at: DateTime<Utc>) -> String {
    let digits = digits(at).and_then(|digits| String::from_utf8(digits.to_vec()).ok());
    digits.unwrap_or_else(|| at.to_rfc3339_opts(SecondsFormat::Millis, true))
}

/// Time in JSON that is stored: without a fraction if it is a whole second, and with as many digits as it
/// needs otherwise.
#[derive(Debug, Clone, Copy)]
pub(crate) struct StoredTime(pub(crate) DateTime<Utc>);

impl Serialize for StoredTime {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(at) = self;
        let nanos = at.nanosecond() % SECOND;
        if nanos > 0 && nanos.is_multiple_of(MILLISECOND) {
            serializer.serialize_str(&to_the_millisecond(*at))
        } else {
            at.serialize(serializer)
        }
    }
}

/// Returns the text of a time to the millisecond; `None` for times whose text has another length.
fn digits(at: DateTime<Utc>) -> Option<[u8; 24]> {
    let year = u32::try_from(at.year()).ok().filter(|year| *year <= 9_999)?;
    let nanos = Some(at.nanosecond()).filter(|nanos| *nanos < SECOND)?;
    let (month, day, millis) = (at.month(), at.day(), nanos / MILLISECOND);
    let (hour, minute, second) = (at.hour(), at.minute(), at.second());
    Some([
        digit(year / 1_000),
        digit(year / 100),
        digit(year / 10),
        digit(year),
        b'-',
        digit(month / 10),
        digit(month),
        b'-',
        digit(day / 10),
        digit(day),
        b'T',
        digit(hour / 10),
        digit(hour),
        b':',
        digit(minute / 10),
        digit(minute),
        b':',
        digit(second / 10),
        digit(second),
        b'.',
        digit(millis / 100),
        digit(millis / 10),
        digit(millis),
        b'Z',
    ])
}

/// Returns the last digit of a number.
fn digit(number: u32) -> u8 {
    b'0' + u8::try_from(number % 10).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use chrono::{NaiveDate, TimeDelta};
    use proptest::prelude::*;

    use super::*;

    fn stored(at: DateTime<Utc>) -> String {
        serde_json::to_string(&StoredTime(at)).unwrap()
    }

    proptest! {
        #[test]
        fn the_texts_are_those_of_chrono(nanos in any::<i64>(), is_whole in any::<bool>()) {
            let millis = nanos / i64::from(MILLISECOND);
            let at = if is_whole {
                DateTime::from_timestamp_millis(millis).unwrap()
            } else {
                DateTime::from_timestamp_nanos(nanos)
            };
            let text = at.to_rfc3339_opts(SecondsFormat::Millis, true);
            prop_assert_eq!(to_the_millisecond(at), text);
            prop_assert_eq!(stored(at), serde_json::to_string(&at).unwrap());
        }
    }

    #[test]
    fn times_of_other_eras_and_leap_seconds_have_the_texts_of_chrono() {
        let leap = NaiveDate::from_ymd_opt(2016, 12, 31).unwrap();
        let leap = |millis| leap.and_hms_milli_opt(23, 59, 59, millis).unwrap().and_utc();
        let late = DateTime::UNIX_EPOCH + TimeDelta::days(366 * 8_100);
        let early = DateTime::UNIX_EPOCH - TimeDelta::days(366 * 2_000);
        for at in [
            leap(1_000),
            leap(1_500),
            late,
            early,
            DateTime::UNIX_EPOCH,
            DateTime::UNIX_EPOCH + TimeDelta::milliseconds(7),
        ] {
            let text = at.to_rfc3339_opts(SecondsFormat::Millis, true);
            assert_eq!(to_the_millisecond(at), text);
            assert_eq!(stored(at), serde_json::to_string(&at).unwrap());
        }
    }
}
