//! What organizations read of their messages as figures. Live messages count, each for the day on which it
//! was accepted (UTC).

use std::{cmp::Reverse, collections::BTreeMap, str::FromStr};

use chrono::{Datelike, Days, Months as CalendarMonths, NaiveDate};

use crate::{
    messaging::delivery::Status,
    shared::{channel::Channel, money::Money},
};

/// How many days an overview covers, the present one included.
const OVERVIEW_DAYS: u64 = 30;
/// How many failures are shown.
pub const FAILURES_SHOWN: usize = 50;

/// How long the periods are of which counts are asked for.
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
    /// How they travel.
    pub channel: Channel,
    /// How far they have come.
    pub status: Status,
    /// How many there are.
    pub messages: u64,
    /// How many segments they have.
    pub segments: u64,
    /// What was asked for them.
    pub cost: Money,
}

impl Count {
    /// What was paid for them for good: what failed was refunded.
    pub fn spend(&self) -> Money {
        if self.status == Status::Failed { Money::ZERO } else { self.cost }
    }
}

/// What some messages come to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Figures {
    /// How many were accepted, whatever became of them.
    pub sent: u64,
    /// How many have reached their recipients.
    pub delivered: u64,
    /// How many failed.
    pub failed: u64,
    /// What was paid for them and not refunded.
    pub spend: Money,
}

impl Figures {
    /// What those messages come to.
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

    /// How many have come to an end.
    pub const fn ended(&self) -> u64 {
        self.delivered + self.failed
    }

    /// How many of those that have come to an end were delivered, from 0 to 1. None if none has.
    pub fn delivery_rate(&self) -> Option<f64> {
        (self.ended() > 0).then(|| number(self.delivered) / number(self.ended()))
    }
}

/// Thirty days, and how they compare with the thirty days before.
#[derive(Debug, Clone, PartialEq)]
pub struct Overview {
    /// Each of the days, oldest first.
    pub days: Vec<(NaiveDate, Figures)>,
    /// All of them together.
    pub total: Figures,
    /// Against the days before.
    pub trends: Trends,
}

/// By how many per cent figures have grown. None where there was nothing to grow from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Trends {
    /// How many messages were accepted.
    pub sent: Option<f64>,
    /// The share of messages that were delivered.
    pub delivery_rate: Option<f64>,
    /// What was paid.
    pub spend: Option<f64>,
}

impl Overview {
    /// The first day that counts for an overview, which is also compared with the days before.
    pub fn compares_since(today: NaiveDate) -> NaiveDate {
        first_of(today, 2 * OVERVIEW_DAYS)
    }

    /// The overview of the days up to `today`, from the counts of each day since
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
        Self { days, total, trends: Trends::between(&before, &total) }
    }
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

/// The first of so many days that end with `today`.
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

/// How many calendar months are asked for, the present one included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MonthCount(u32);

/// It is not a number of months that can be asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("must be a whole number from 1 to {max}", max = MonthCount::MAX)]
pub struct InvalidMonthCount;

impl MonthCount {
    /// The most months that can be asked for: days are counted for a month longer.
    pub const MAX: u32 = 24;

    /// A number of months, if it may be asked for.
    pub fn new(months: u32) -> Result<Self, InvalidMonthCount> {
        if (1..=Self::MAX).contains(&months) { Ok(Self(months)) } else { Err(InvalidMonthCount) }
    }

    /// The first day of the first month.
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

/// What an organization used of one channel in one month.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Usage {
    /// The first day of the month.
    pub month: NaiveDate,
    /// Which channel.
    pub channel: Channel,
    /// How many messages were accepted, whatever became of them.
    pub messages: u64,
    /// How many segments these have.
    pub segments: u64,
    /// What was paid for them and not refunded.
    pub cost: Money,
}

impl Usage {
    /// What was used of each channel in each month, newest month first, from the counts of the months.
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
