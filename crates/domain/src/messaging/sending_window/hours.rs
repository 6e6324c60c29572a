//! Hours that recur every week.

use std::{fmt, str::FromStr};

use chrono::{DateTime, Datelike, NaiveTime, TimeDelta, Utc};

use crate::shared::fault::Faults;

/// Hours that recur every week, by clocks without daylight saving time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WeeklyHours {
    /// Days on which they begin, Monday first.
    pub weekdays: Vec<Weekday>,
    /// Time at which they begin.
    pub opens: TimeOfDay,
    /// Time at which they end, on the next day if that is not after `opens`.
    pub closes: TimeOfDay,
    /// Offset of the clocks from UTC.
    pub utc_offset: UtcOffset,
}

impl WeeklyHours {
    /// Returns these hours with each day once and in order. Fails if they have no day or no length.
    pub(super) fn checked(mut self) -> Result<Self, Faults> {
        let mut faults = Faults::default();
        if self.weekdays.is_empty() {
            faults.add("weekdays", "must name at least one day: messages would wait for ever");
        }
        if self.opens == TimeOfDay::MIDNIGHT_AFTER {
            faults.add("opens", "must be before 24:00");
        }
        if self.opens == self.closes {
            faults.add("closes", "must differ from opens; a whole day is from 00:00 to 24:00");
        }
        self.weekdays.sort_unstable();
        self.weekdays.dedup();
        faults.or(self)
    }

    /// Returns the first moment from `at` on that lies within these hours; `at` itself, if it does.
    pub fn opening(&self, at: DateTime<Utc>) -> Option<DateTime<Utc>> {
        let offset = TimeDelta::minutes(self.utc_offset.0.into());
        let local = at.naive_utc() + offset;
        // Hours that began yesterday may still go on. The same day of the next week is the latest.
        let days = (-1..=7).map(|days| local.date() + TimeDelta::days(days));
        for day in days.filter(|day| self.weekdays.contains(&day.weekday().into())) {
            let opens = day.and_time(NaiveTime::MIN) + TimeDelta::minutes(self.opens.0.into());
            if local < opens + self.length() {
                return Some((opens.max(local) - offset).and_utc());
            }
        }
        None
    }

    fn length(&self) -> TimeDelta {
        let minutes = i64::from(self.closes.0) - i64::from(self.opens.0);
        TimeDelta::minutes(if minutes > 0 { minutes } else { minutes + MINUTES_OF_A_DAY })
    }
}

const MINUTES_OF_A_DAY: i64 = 1_440;

crate::closed_list! {
    /// A day of the week.
    #[derive(PartialOrd, Ord)]
    pub enum Weekday {
        /// Monday.
        Monday = "MONDAY",
        /// Tuesday.
        Tuesday = "TUESDAY",
        /// Wednesday.
        Wednesday = "WEDNESDAY",
        /// Thursday.
        Thursday = "THURSDAY",
        /// Friday.
        Friday = "FRIDAY",
        /// Saturday.
        Saturday = "SATURDAY",
        /// Sunday.
        Sunday = "SUNDAY",
    }
    impl FromStr;
}

impl From<chrono::Weekday> for Weekday {
    fn from(day: chrono::Weekday) -> Self {
        match day {
            chrono::Weekday::Mon => Self::Monday,
            chrono::Weekday::Tue => Self::Tuesday,
            chrono::Weekday::Wed => Self::Wednesday,
            chrono::Weekday::Thu => Self::Thursday,
            chrono::Weekday::Fri => Self::Friday,
            chrono::Weekday::Sat => Self::Saturday,
            chrono::Weekday::Sun => Self::Sunday,
        }
    }
}

/// A time of a day, to the minute, from `00:00` to `24:00`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimeOfDay(u16);

/// The text is no time of a day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("must be a time from 00:00 to 24:00, such as 08:30")]
pub struct InvalidTime;

impl TimeOfDay {
    /// The end of a day.
    const MIDNIGHT_AFTER: Self = Self(1_440);

    /// Returns the time that is `minutes` after midnight.
    pub fn from_minutes(minutes: i16) -> Result<Self, InvalidTime> {
        let time = u16::try_from(minutes).map(Self).map_err(|_| InvalidTime)?;
        if time.0 <= Self::MIDNIGHT_AFTER.0 { Ok(time) } else { Err(InvalidTime) }
    }

    /// Number of minutes after midnight.
    pub const fn minutes(self) -> i16 {
        self.0.cast_signed()
    }
}

impl FromStr for TimeOfDay {
    type Err = InvalidTime;

    fn from_str(text: &str) -> Result<Self, InvalidTime> {
        let (hours, minutes) = hours_and_minutes(text).ok_or(InvalidTime)?;
        Self::from_minutes(hours * 60 + minutes)
    }
}

impl fmt::Display for TimeOfDay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:02}:{:02}", self.0 / 60, self.0 % 60)
    }
}

/// Offset of clocks from UTC, in minutes; positive if they are ahead.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct UtcOffset(i16);

/// The text is no offset from UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("must be an offset from -12:00 to +14:00, such as +01:00")]
pub struct InvalidUtcOffset;

impl UtcOffset {
    const LEAST: i16 = -12 * 60;
    const MOST: i16 = 14 * 60;

    /// Returns the offset of `minutes`.
    pub const fn from_minutes(minutes: i16) -> Result<Self, InvalidUtcOffset> {
        if minutes < Self::LEAST || minutes > Self::MOST {
            return Err(InvalidUtcOffset);
        }
        Ok(Self(minutes))
    }

    /// Offset in minutes.
    pub const fn minutes(self) -> i16 {
        self.0
    }
}

impl FromStr for UtcOffset {
    type Err = InvalidUtcOffset;

    fn from_str(text: &str) -> Result<Self, InvalidUtcOffset> {
        let (sign, digits) = match (text.strip_prefix('+'), text.strip_prefix('-')) {
            (Some(digits), _) => (1, digits),
            (None, Some(digits)) => (-1, digits),
            (None, None) => return Err(InvalidUtcOffset),
        };
        let (hours, minutes) = hours_and_minutes(digits).ok_or(InvalidUtcOffset)?;
        Self::from_minutes(sign * (hours * 60 + minutes))
    }
}

impl fmt::Display for UtcOffset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (sign, minutes) = (if self.0 < 0 { '-' } else { '+' }, self.0.unsigned_abs());
        write!(f, "{sign}{:02}:{:02}", minutes / 60, minutes % 60)
    }
}

/// Parses `HH:MM`.
fn hours_and_minutes(text: &str) -> Option<(i16, i16)> {
    let (hours, minutes) = text.split_once(':')?;
    let number = |digits: &str| -> Option<i16> {
        let is_number = digits.len() == 2 && digits.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then(|| digits.parse().ok()).flatten()
    };
    let (hours, minutes) = (number(hours)?, number(minutes)?);
    (minutes < 60).then_some((hours, minutes))
}
