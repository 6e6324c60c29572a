//! Months of the calendar, in UTC.

use std::fmt;

use chrono::{DateTime, Datelike, Months, NaiveDate, NaiveTime, Utc};

/// A month of the calendar.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Month(NaiveDate);

impl Month {
    /// The month in which a day is.
    pub fn of(day: NaiveDate) -> Self {
        Self(day.with_day(1).unwrap_or(day))
    }

    /// Its first day.
    pub const fn first_day(self) -> NaiveDate {
        self.0
    }

    /// When it begins.
    pub fn start(self) -> DateTime<Utc> {
        self.0.and_time(NaiveTime::MIN).and_utc()
    }

    /// When it is over.
    pub fn end(self) -> DateTime<Utc> {
        self.next().start()
    }

    /// The month after it.
    #[must_use]
    pub fn next(self) -> Self {
        Self(self.0.checked_add_months(Months::new(1)).unwrap_or(NaiveDate::MAX))
    }

    /// The month so many months before it.
    #[must_use]
    pub fn before(self, months: u32) -> Self {
        Self(self.0.checked_sub_months(Months::new(months)).unwrap_or(NaiveDate::MIN))
    }
}

impl fmt::Display for Month {
    /// As `2026-11`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0.format("%Y-%m"))
    }
}
