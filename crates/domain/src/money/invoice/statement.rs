//! Monthly statements: movements of a wallet, and the cost of messages.

use chrono::{DateTime, TimeDelta, Utc};

use super::Month;
use crate::shared::{channel::Channel, money::Money};

/// Time between the end of a month and its statement. By then its journal is posted, and its hours
/// are closed.
pub const SETTLING: TimeDelta = TimeDelta::hours(2);
/// Maximum number of overdue months that are stated.
const CAUGHT_UP: u32 = 12;

/// Movements of a wallet within a month.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Statement {
    /// Month of the statement.
    pub month: Month,
    /// Balance at the start of the month.
    pub opening: Money,
    /// Movements of the wallet.
    pub movements: Movements,
    /// Messages accepted in the month, by channel.
    pub lines: Vec<ChannelLine>,
}

/// Sums of a wallet's movements by reason. All are zero or above, except adjustments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Movements {
    /// Gifts to a new organization.
    pub trial_credits: Money,
    /// Payments through the gateway.
    pub top_ups: Money,
    /// Payments recorded by platform administrators.
    pub manual_credits: Money,
    /// All other changes of the balance.
    pub adjustments: Money,
    /// Amount paid for messages.
    pub debits: Money,
    /// Amount refunded for messages that failed.
    pub refunds: Money,
}

/// The messages of one channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChannelLine {
    /// Channel of the messages.
    pub channel: Channel,
    /// Number of accepted messages.
    pub messages: i64,
    /// Number of their segments.
    pub segments: i64,
    /// Cost of the messages at acceptance.
    pub cost: Money,
}

impl Movements {
    fn credits(&self) -> Money {
        self.trial_credits + self.top_ups + self.manual_credits + self.adjustments
    }
}

impl Statement {
    /// Returns a statement; `None` if nothing happened in the month.
    pub fn of(
        month: Month,
        opening: Money,
        movements: Movements,
        lines: Vec<ChannelLine>,
    ) -> Option<Self> {
        let has_moved = movements != Movements::default() || !lines.is_empty();
        has_moved.then_some(Self { month, opening, movements, lines })
    }

    /// Returns the cost of messages less refunds.
    pub fn spent(&self) -> Money {
        self.movements.debits - self.movements.refunds
    }

    /// Returns the balance at the end of the month.
    pub fn closing(&self) -> Money {
        self.opening + self.movements.credits() - self.spent()
    }

    /// Returns the amount paid in this month for messages of the month before, less the amount paid
    /// in the next month for messages of this one. A message accepted at midnight may count for
    /// either.
    pub fn turn_of_month(&self) -> Money {
        self.movements.debits - self.lines.iter().map(|line| line.cost).sum::<Money>()
    }
}

/// Returns the months to be stated by now, where `last` was stated last. An installation without
/// statements begins with the month that ended last.
pub fn due_months(last: Option<Month>, now: DateTime<Utc>) -> Vec<Month> {
    let ended = Month::of((now - SETTLING).date_naive()).before(1);
    let first = last.map_or(ended, |last| last.next().max(ended.before(CAUGHT_UP - 1)));
    std::iter::successors(Some(first), |month| Some(month.next()))
        .take_while(|month| *month <= ended)
        .collect()
}
