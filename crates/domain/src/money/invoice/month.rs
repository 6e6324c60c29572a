//! Months of the calendar, in UTC.

use std::fmt;

use chrono::{DateTime, Datelike, Months, NaiveDate, NaiveTime, Utc};

/// A month of the calendar.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Month(NaiveDate);

impl Month {
    /// Returns the month that contains the day.
    pub fn of(day: NaiveDate) -> Self {
        Self(day.with_day(1).unwrap_or(day))
    }

    /// Returns its first day.
    pub const fn first_day(self) -> NaiveDate {
        self.0
    }

    /// Returns the time at which it begins.
    pub fn start(self) -> DateTime<Utc> {
        self.0.and_time(NaiveTime::MIN).and_utc()
    }

    /// Returns the time at which it ends.
    pub fn end(self) -> DateTime<Utc> {
        self.next().start()
    }

    /// Returns the next month.
    #[must_use]
    pub fn next(self) -> Self {
        Self(self.0.checked_add_months(Months::new(1)).unwrap_or(NaiveDate::MAX))
    }

    /// Returns the month that lies this number of months before it.
    #[must_use]
    pub fn before(self, months: u32) -> Self {
        Self(self.0.checked_sub_months(Months::new(months)).unwrap_or(NaiveDate::MIN))
    }
}

impl fmt::Display for Month {
    /// Formats the month as `2026-11`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0.format("%Y-%m"))
    }
}
