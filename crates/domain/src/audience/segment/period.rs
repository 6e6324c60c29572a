//! Dates and times of rules.

use chrono::{DateTime, NaiveDate, NaiveTime, TimeDelta, Utc};

use super::rule::DATE_LENGTH;

/// Range of a date or time: a day, or the millisecond that responses show.
pub(super) struct Period {
    /// Beginning of the range.
    pub(super) from: DateTime<Utc>,
    /// End of the range, which is not part of it.
    pub(super) until: DateTime<Utc>,
}

impl Period {
    /// Parses a date or a time; `None` if the text is neither.
    pub(super) fn read(text: &str) -> Option<Self> {
        let (from, length) = match date(text) {
            Some(date) => (date.and_time(NaiveTime::MIN).and_utc(), TimeDelta::days(1)),
            None => {
                let time = DateTime::parse_from_rfc3339(text).ok()?;
                let from = DateTime::from_timestamp_millis(time.timestamp_millis())?;
                (from, TimeDelta::milliseconds(1))
            }
        };
        Some(Self { from, until: from.checked_add_signed(length)? })
    }
}

/// Parses a date such as `2026-01-31`; `None` if the text is anything else.
pub(super) fn date(text: &str) -> Option<NaiveDate> {
    let is_whole = text.len() == DATE_LENGTH;
    is_whole.then(|| NaiveDate::parse_from_str(text, "%Y-%m-%d").ok()).flatten()
}
