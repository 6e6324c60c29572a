//! Revenue from messages over all organizations.
//!
//! ```
//! use chrono::DateTime;
//! use domain::{money::revenue::Revenue, shared::money::Money};
//!
//! let revenue = Revenue::of(&[], Money::ZERO, DateTime::UNIX_EPOCH);
//! assert_eq!(revenue.total.revenue, Money::ZERO);
//! ```

use std::collections::BTreeMap;

use chrono::{DateTime, Datelike, Days, Months, NaiveDate, Utc};

use crate::shared::{channel::Channel, money::Money};

/// Number of months shown, including the present one.
pub const MONTHS: u32 = 12;
/// Number of days shown, including the present one.
pub const DAYS: u64 = 30;

/// Takings from the messages of a channel that were accepted on a day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RevenueLine {
    /// The day, in UTC.
    pub day: NaiveDate,
    /// Channel of the messages.
    pub channel: Channel,
    /// Takings from the messages.
    pub taken: Takings,
}

/// Number of messages, and the amount paid for them less refunds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Takings {
    /// Number of accepted live messages.
    pub messages: i64,
    /// Amount paid for messages that did not fail.
    pub revenue: Money,
}

/// Revenue from organizations, and the money in their wallets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Revenue {
    /// Takings of all time.
    pub total: Takings,
    /// Takings of the last days, the present one last.
    pub days: Vec<(NaiveDate, Takings)>,
    /// Takings of the last months, the present one first.
    pub months: Vec<(NaiveDate, Takings)>,
    /// Takings of all time for each channel, in the order of channels.
    pub channels: Vec<(Channel, Takings)>,
    /// Sum of the balances of all wallets.
    pub wallet_balances: Money,
}

impl Takings {
    fn add(&mut self, other: Self) {
        self.messages += other.messages;
        self.revenue += other.revenue;
    }
}

impl Revenue {
    /// Sums up the lines, as of `now`.
    pub fn of(lines: &[RevenueLine], wallet_balances: Money, now: DateTime<Utc>) -> Self {
        let mut total = Takings::default();
        let first_of_month = |day: NaiveDate| day.with_day(1).unwrap_or(day);
        let mut by_day = BTreeMap::<NaiveDate, Takings>::new();
        let mut by_month = BTreeMap::<NaiveDate, Takings>::new();
        let mut channels: Vec<_> =
            Channel::ALL.iter().map(|channel| (*channel, Takings::default())).collect();
        for line in lines {
            total.add(line.taken);
            by_day.entry(line.day).or_default().add(line.taken);
            by_month.entry(first_of_month(line.day)).or_default().add(line.taken);
            if let Some((_, taken)) = channels.iter_mut().find(|(it, _)| *it == line.channel) {
                taken.add(line.taken);
            }
        }
        let today = now.date_naive();
        let days = (0..DAYS).rev().filter_map(|ago| today.checked_sub_days(Days::new(ago)));
        let days = days.map(|day| (day, by_day.get(&day).copied().unwrap_or_default()));
        let present = first_of_month(today);
        let months = (0..MONTHS).filter_map(|ago| present.checked_sub_months(Months::new(ago)));
        let months = months.map(|month| (month, by_month.get(&month).copied().unwrap_or_default()));
        Self { total, days: days.collect(), months: months.collect(), channels, wallet_balances }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(day: &str, channel: Channel, messages: i64, micros: i64) -> RevenueLine {
        let taken = Takings { messages, revenue: Money::from_micros(micros) };
        RevenueLine { day: day.parse().unwrap(), channel, taken }
    }

    #[test]
    fn the_last_days_and_months_are_shown_and_older_ones_are_in_the_total() {
        let now = "2026-03-31T23:59:59Z".parse().unwrap();
        let lines = [
            line("2026-03-31", Channel::Sms, 3, 90),
            line("2026-03-01", Channel::Email, 2, 10),
            line("2025-04-30", Channel::Sms, 1, 30),
            line("2025-03-31", Channel::Sms, 4, 70),
        ];

        let revenue = Revenue::of(&lines, Money::from_micros(5), now);

        let taken = |messages, micros| Takings { messages, revenue: Money::from_micros(micros) };
        assert_eq!(revenue.total, taken(10, 200));
        assert_eq!(revenue.months.len(), 12);
        assert_eq!(revenue.days.len(), 30);
        assert_eq!(revenue.days[29], (lines[0].day, taken(3, 90)));
        assert_eq!(revenue.days[0], ("2026-03-02".parse().unwrap(), Takings::default()));
        assert_eq!(revenue.months[0], (lines[1].day, taken(5, 100)));
        assert_eq!(revenue.months[1].1, Takings::default());
        assert_eq!(revenue.months[11], ("2025-04-01".parse().unwrap(), taken(1, 30)));
        assert!(revenue.channels.contains(&(Channel::Sms, taken(8, 190))));
        assert_eq!(revenue.channels.len(), Channel::ALL.len());
    }
}
