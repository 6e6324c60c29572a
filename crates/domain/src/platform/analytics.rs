//! Figures about the messages of organizations. Live messages count, each on the day (UTC) on which
//! it was accepted.
//!
//! ```
//! use chrono::NaiveDate;
//! use domain::platform::analytics::MonthCount;
//!
//! let today = NaiveDate::from_ymd_opt(2026, 3, 14).unwrap();
//! let first = MonthCount::new(3).unwrap().first_day(today);
//! assert_eq!(Some(first), NaiveDate::from_ymd_opt(2026, 1, 1));
//! ```

use std::{cmp::Reverse, collections::BTreeMap, str::FromStr};

use chrono::{Datelike, Days, Months as CalendarMonths, NaiveDate};

use crate::{
    messaging::delivery::Status,
    shared::{channel::Channel, money::Money},
};

/// Number of days in an overview, including the present one.
const OVERVIEW_DAYS: u64 = 30;
/// Number of days over which the usual spending is measured, including the present one.
pub const USUAL_DAYS: u64 = 7;
/// Maximum number of failures shown.
pub const FAILURES_SHOWN: usize = 50;

/// Length of the periods that counts are grouped by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Period {
    /// A day.
    Day,
    /// A calendar month.
    Month,
}

/// Messages of one channel in one status that were accepted in one period.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Count {
    /// The first day of the period.
    pub since: NaiveDate,
    /// Channel of the messages.
    pub channel: Channel,
    /// Status of the messages.
    pub status: Status,
    /// Number of messages.
    pub messages: u64,
    /// Number of segments.
    pub segments: u64,
    /// Amount charged for the messages.
    pub cost: Money,
}

impl Count {
    /// Returns the amount charged and not refunded; failed messages are refunded.
    pub fn spend(&self) -> Money {
        if self.status == Status::Failed { Money::ZERO } else { self.cost }
    }
}

/// Figures about some messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Figures {
    /// Number of accepted messages in any status.
    pub sent: u64,
    /// Number of delivered messages.
    pub delivered: u64,
    /// Number of failed messages.
    pub failed: u64,
    /// Amount charged and not refunded.
    pub spend: Money,
}

impl Figures {
    /// Sums up the counts.
    pub fn of<'c>(counts: impl IntoIterator<Item = &'c Count>) -> Self {
        let mut figures = Self::default();
        for count in counts {
            figures.add(count);
        }
        figures
    }

    fn add(&mut self, count: &Count) {
        self.sent += count.messages;
        match count.status {
            Status::Delivered => self.delivered += count.messages,
            Status::Failed => self.failed += count.messages,
            Status::Queued | Status::Pending | Status::Sent => {}
        }
        self.spend += count.spend();
    }

    /// Returns the number of messages that were delivered or failed.
    pub const fn ended(&self) -> u64 {
        self.delivered + self.failed
    }

    /// Returns the share of ended messages that were delivered, from 0 to 1; `None` if none has ended.
    pub fn delivery_rate(&self) -> Option<f64> {
        (self.ended() > 0).then(|| number(self.delivered) / number(self.ended()))
    }
}

/// Figures of thirty days, compared with the thirty days before.
#[derive(Debug, Clone, PartialEq)]
pub struct Overview {
    /// Figures of each day, oldest first.
    pub days: Vec<(NaiveDate, Figures)>,
    /// Figures of all days together.
    pub total: Figures,
    /// Figures of the thirty days before together.
    pub before: Figures,
    /// Changes against the days before.
    pub trends: Trends,
}

/// Growth of figures in per cent; `None` if the earlier figure is zero or unknown.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Trends {
    /// Growth of the number of accepted messages.
    pub sent: Option<f64>,
    /// Growth of the share of delivered messages.
    pub delivery_rate: Option<f64>,
    /// Growth of the amount paid.
    pub spend: Option<f64>,
}

impl Overview {
    /// Returns the first day that counts for an overview, including the days it is compared with.
    pub fn compares_since(today: NaiveDate) -> NaiveDate {
        first_of(today, 2 * OVERVIEW_DAYS)
    }

    /// Returns the overview of the days up to `today`, from the counts of each day since
    /// [`compares_since`](Self::compares_since).
    pub fn of(counts: &[Count], today: NaiveDate) -> Self {
        let from = first_of(today, OVERVIEW_DAYS);
        let days = from.iter_days().take_while(|day| *day <= today);
        let days = days
            .map(|day| (day, Figures::of(counts.iter().filter(|it| it.since == day))))
            .collect();
        let total = Figures::of(counts.iter().filter(|it| (from..=today).contains(&it.since)));
        let compared = Self::compares_since(today)..from;
        let before = Figures::of(counts.iter().filter(|it| compared.contains(&it.since)));
        Self { days, total, before, trends: Trends::between(&before, &total) }
    }

    /// Returns the amount paid in the last [`USUAL_DAYS`].
    pub fn usual_spend(&self) -> Money {
        let last = self.days.last().map_or(NaiveDate::MIN, |(day, _)| *day);
        let first = first_of(last, USUAL_DAYS);
        self.days.iter().filter(|(day, _)| *day >= first).map(|(_, figures)| figures.spend).sum()
    }
}

/// Returns the number of whole days for which a balance lasts if `usual_spend` is paid in each
/// [`USUAL_DAYS`]; `None` if nothing is.
pub fn days_left(balance: Money, usual_spend: Money) -> Option<u64> {
    let spent = u64::try_from(usual_spend.micros()).ok().filter(|spent| *spent > 0)?;
    let balance = u64::try_from(balance.micros()).unwrap_or_default();
    let days = u128::from(balance) * u128::from(USUAL_DAYS) / u128::from(spent);
    Some(u64::try_from(days).unwrap_or(u64::MAX))
}

impl Trends {
    fn between(before: &Figures, now: &Figures) -> Self {
        let rates = now.delivery_rate().zip(before.delivery_rate());
        Self {
            sent: growth(number(now.sent), number(before.sent)),
            delivery_rate: rates.and_then(|(now, before)| growth(now, before)),
            spend: growth(now.spend.to_number(), before.spend.to_number()),
        }
    }
}

/// Returns the first of `days` days that end with `today`.
pub fn first_of(today: NaiveDate, days: u64) -> NaiveDate {
    today.checked_sub_days(Days::new(days.saturating_sub(1))).unwrap_or(NaiveDate::MIN)
}

fn growth(now: f64, before: f64) -> Option<f64> {
    (before > 0.0).then(|| 100.0 * (now - before) / before)
}

#[expect(clippy::cast_precision_loss, reason = "counts stay far below 2^53")]
pub(crate) fn number(count: u64) -> f64 {
    count as f64
}

/// Number of calendar months in a query, including the present one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MonthCount(u32);

/// The number of months is out of range.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("must be a whole number from 1 to {max}", max = MonthCount::MAX)]
pub struct InvalidMonthCount;

impl MonthCount {
    /// Maximum number of months: daily counts are kept for one month longer.
    pub const MAX: u32 = 24;

    /// Returns the number of months. Fails if it is out of range.
    pub fn new(months: u32) -> Result<Self, InvalidMonthCount> {
        if (1..=Self::MAX).contains(&months) { Ok(Self(months)) } else { Err(InvalidMonthCount) }
    }

    /// Returns the first day of the first month.
    pub fn first_day(self, today: NaiveDate) -> NaiveDate {
        let month = today.with_day(1).unwrap_or(today);
        month.checked_sub_months(CalendarMonths::new(self.0 - 1)).unwrap_or(NaiveDate::MIN)
    }
}

impl FromStr for MonthCount {
    type Err = InvalidMonthCount;

    fn from_str(text: &str) -> Result<Self, InvalidMonthCount> {
        Self::new(text.parse().map_err(|_| InvalidMonthCount)?)
    }
}

/// Usage of one channel in one month.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Usage {
    /// The first day of the month.
    pub month: NaiveDate,
    /// Channel of the messages.
    pub channel: Channel,
    /// Number of accepted messages in any status.
    pub messages: u64,
    /// Number of segments.
    pub segments: u64,
    /// Amount charged and not refunded.
    pub cost: Money,
}

impl Usage {
    /// Returns the usage of each channel in each month, newest month first, from the counts of the months.
    pub fn of(counts: &[Count]) -> Vec<Self> {
        let mut usages = BTreeMap::new();
        for count in counts {
            let empty = Self {
                month: count.since,
                channel: count.channel,
                messages: 0,
                segments: 0,
                cost: Money::ZERO,
            };
            let usage = usages.entry((Reverse(count.since), count.channel)).or_insert(empty);
            usage.messages += count.messages;
            usage.segments += count.segments;
            usage.cost += count.spend();
        }
        usages.into_values().filter(|usage| usage.messages > 0).collect()
    }
}

#[cfg(test)]
mod tests;
