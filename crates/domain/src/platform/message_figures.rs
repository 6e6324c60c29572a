//! Numbers of live messages by time and one property. Each counts in the hour and on the day (UTC)
//! of its acceptance.
//!
//! ```
//! use chrono::{DateTime, TimeDelta};
//! use domain::platform::message_figures::Interval;
//!
//! let midnight = DateTime::UNIX_EPOCH;
//! assert_eq!(Interval::Day.floor(midnight + TimeDelta::hours(9)), midnight);
//! ```

use std::str::FromStr;

use chrono::{DateTime, NaiveDate, NaiveTime, TimeDelta, Utc};

use crate::shared::{fault::Faults, money::Money};

/// Longest period that is shown by the day.
const MOST_DAYS: TimeDelta = TimeDelta::days(400);
/// Time for which hours are shown.
const HOURS_SHOWN: TimeDelta = TimeDelta::days(14);
/// Maximum number of rows of an answer.
const MAX_ROWS: i64 = 10_000;
/// Maximum number of values that have rows of their own.
const MAX_VALUES: i64 = 100;

crate::closed_list! {
    /// Property by which messages are counted.
    #[derive(Default)]
    pub enum Dimension {
        /// Channel.
        #[default]
        Channel = "channel",
        /// Campaign that they belong to.
        Campaign = "campaign",
        /// Event that they notify of.
        Event = "event",
        /// Template that they were made of.
        Template = "template",
        /// Provider that has them, or had them last.
        Provider = "provider",
        /// Reason for which they failed.
        ErrorCode = "errorCode",
        /// Country of the recipients' numbers.
        Country = "country",
    }
    impl FromStr;
}

crate::closed_list! {
    /// Length of the parts of a period.
    #[derive(Default)]
    pub enum Interval {
        /// A day.
        #[default]
        Day = "day",
        /// An hour.
        Hour = "hour",
    }
    impl FromStr;
}

impl Interval {
    /// Returns the beginning of the interval that `at` lies in.
    pub fn floor(self, at: DateTime<Utc>) -> DateTime<Utc> {
        let seconds = at.timestamp();
        let passed = seconds.rem_euclid(self.length().num_seconds());
        DateTime::from_timestamp(seconds - passed, 0).unwrap_or(at)
    }

    /// Returns the first beginning of an interval that is not before `at`.
    fn ceiling(self, at: DateTime<Utc>) -> DateTime<Utc> {
        let floor = self.floor(at);
        if floor == at { at } else { floor + self.length() }
    }

    const fn length(self) -> TimeDelta {
        match self {
            Self::Day => TimeDelta::days(1),
            Self::Hour => TimeDelta::hours(1),
        }
    }

    /// Longest period that is shown in such intervals.
    const fn longest(self) -> TimeDelta {
        match self {
            Self::Day => MOST_DAYS,
            Self::Hour => HOURS_SHOWN,
        }
    }

    /// Length of a period whose beginning is not given.
    const fn usual(self) -> TimeDelta {
        match self {
            Self::Day => TimeDelta::days(30),
            Self::Hour => TimeDelta::days(1),
        }
    }
}

/// Beginning or end of a period: a whole day (UTC), or a point in time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bound {
    /// A day, which belongs to the period.
    Day(NaiveDate),
    /// A point in time.
    Time(DateTime<Utc>),
}

/// The text is neither a day nor a point in time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("must be a date such as 2026-01-31, or a date and time with an offset")]
pub struct InvalidBound;

impl Bound {
    fn beginning(self) -> DateTime<Utc> {
        match self {
            Self::Day(day) => day.and_time(NaiveTime::MIN).and_utc(),
            Self::Time(at) => at,
        }
    }

    fn end(self) -> DateTime<Utc> {
        match self {
            Self::Day(_) => self.beginning() + TimeDelta::days(1),
            Self::Time(at) => at,
        }
    }
}

impl FromStr for Bound {
    type Err = InvalidBound;

    fn from_str(text: &str) -> Result<Self, InvalidBound> {
        // Years of more digits would be accepted otherwise.
        if text.len() == "2026-01-31".len() {
            let day = NaiveDate::parse_from_str(text, "%Y-%m-%d");
            return day.map(Self::Day).map_err(|_| InvalidBound);
        }
        let time = DateTime::parse_from_rfc3339(text).map_err(|_| InvalidBound)?;
        Ok(Self::Time(time.to_utc()))
    }
}

/// Request for figures, unchecked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FiguresRequest {
    /// Beginning of the period.
    pub from: Option<Bound>,
    /// End of the period; the present if absent.
    pub to: Option<Bound>,
    /// Length of the parts of the period.
    pub interval: Interval,
    /// Property by which the messages are counted.
    pub by: Dimension,
}

/// Checked request for figures. The period consists of whole intervals.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FiguresQuery {
    /// Property by which the messages are counted.
    pub by: Dimension,
    /// Length of the parts of the period.
    pub interval: Interval,
    /// Beginning of the period.
    pub from: DateTime<Utc>,
    /// End of the period, which does not belong to it.
    pub until: DateTime<Utc>,
    /// Number of values with the most messages that have rows of their own.
    pub values: usize,
}

impl FiguresRequest {
    /// Checks the period, and extends it to whole intervals.
    pub fn query(&self, now: DateTime<Utc>) -> Result<FiguresQuery, Faults> {
        let interval = self.interval;
        let end = self.to.map_or(now, Bound::end);
        let until = interval.ceiling(end);
        let begin = self.from.map_or(until - interval.usual(), Bound::beginning);
        let from = interval.floor(begin);
        let mut faults = Faults::default();
        if end <= begin {
            faults.add("to", "must be after `from`");
        }
        let longest = interval.longest();
        if interval.floor(end) - from > longest {
            let days = longest.num_days();
            faults.add("from", format!("must be at most {days} days before `to`"));
        }
        if interval == Interval::Hour && from < interval.floor(now - HOURS_SHOWN) {
            let days = HOURS_SHOWN.num_days();
            faults.add("from", format!("must be within the last {days} days to show hours"));
        }
        let intervals = (until - from).num_seconds() / interval.length().num_seconds();
        // All other values share one more row.
        let values = (MAX_ROWS / intervals.max(1) - 1).clamp(1, MAX_VALUES);
        let values = usize::try_from(values).unwrap_or(1);
        faults.or(FiguresQuery { by: self.by, interval, from, until, values })
    }
}

/// Numbers of some messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MessageCounts {
    /// Number of accepted messages in any status.
    pub sent: u64,
    /// Number of delivered messages.
    pub delivered: u64,
    /// Number of failed messages.
    pub failed: u64,
    /// Number of segments.
    pub segments: u64,
    /// Amount charged and not refunded.
    pub cost: Money,
}

impl MessageCounts {
    /// Returns the number of messages that have neither been delivered nor failed.
    pub const fn pending(&self) -> u64 {
        self.sent.saturating_sub(self.delivered).saturating_sub(self.failed)
    }

    /// Adds the numbers of other messages.
    pub fn add(&mut self, other: &Self) {
        self.sent += other.sent;
        self.delivered += other.delivered;
        self.failed += other.failed;
        self.segments += other.segments;
        self.cost += other.cost;
    }
}

/// Messages of one interval with one value of the dimension.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MessageFigure {
    /// Beginning of the interval.
    pub at: DateTime<Utc>,
    /// Value of the dimension; `None` for messages that no provider has taken, and for the rest.
    pub value: Option<String>,
    /// Name of the campaign, event or template; `None` if it is gone or the value has none.
    pub name: Option<String>,
    /// True if it stands for all values that have no rows of their own.
    pub is_other: bool,
    /// Numbers of the messages.
    pub counts: MessageCounts,
}

/// Figures of a period.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MessageFigures {
    /// The period and the dimension.
    pub query: FiguresQuery,
    /// Intervals and values that have messages, oldest first.
    pub rows: Vec<MessageFigure>,
    /// Numbers of all these messages.
    pub totals: MessageCounts,
}

impl MessageFigures {
    /// Adds up the rows of a period.
    pub fn of(query: FiguresQuery, rows: Vec<MessageFigure>) -> Self {
        let mut totals = MessageCounts::default();
        for row in &rows {
            totals.add(&row.counts);
        }
        Self { query, rows, totals }
    }
}

#[cfg(test)]
mod tests;
