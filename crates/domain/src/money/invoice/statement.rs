//! Monthly statements: what came into a wallet, and what messages cost.

use chrono::{DateTime, TimeDelta, Utc};

use super::Month;
use crate::shared::{channel::Channel, money::Money};

/// How long after its end a month is stated. By then its journal is posted, and its hours are closed.
pub const SETTLING: TimeDelta = TimeDelta::hours(2);
/// How many months are stated at the most that nobody stated in time.
const CAUGHT_UP: u32 = 12;

/// What happened in a wallet within a month.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Statement {
    /// The month.
    pub month: Month,
    /// What the wallet held when it began.
    pub opening: Money,
    /// By how much the wallet moved.
    pub movements: Movements,
    /// The messages that were accepted in the month, channel by channel.
    pub lines: Vec<ChannelLine>,
}

/// By how much a wallet moved, and why. Each amount is zero or above it, but for adjustments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Movements {
    /// Gifts to a new organization.
    pub trial_credits: Money,
    /// Payments through the gateway.
    pub top_ups: Money,
    /// Payments that platform administrators recorded.
    pub manual_credits: Money,
    /// Whatever else changed the balance.
    pub adjustments: Money,
    /// What was paid for messages.
    pub debits: Money,
    /// What came back for messages that failed.
    pub refunds: Money,
}

/// The messages of one channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChannelLine {
    /// The channel.
    pub channel: Channel,
    /// How many messages were accepted.
    pub messages: i64,
    /// How many segments they have.
    pub segments: i64,
    /// What they cost when they were accepted.
    pub cost: Money,
}

impl Movements {
    fn credits(&self) -> Money {
        self.trial_credits + self.top_ups + self.manual_credits + self.adjustments
    }
}

impl Statement {
    /// A statement, unless nothing happened.
    pub fn of(
        month: Month,
        opening: Money,
        movements: Movements,
        lines: Vec<ChannelLine>,
    ) -> Option<Self> {
        let has_moved = movements != Movements::default() || !lines.is_empty();
        has_moved.then_some(Self { month, opening, movements, lines })
    }

    /// What messages cost, less refunds.
    pub fn spent(&self) -> Money {
        self.movements.debits - self.movements.refunds
    }

    /// What the wallet held when the month was over.
    pub fn closing(&self) -> Money {
        self.opening + self.movements.credits() - self.spent()
    }

    /// What was paid in this month for messages that count for the one before, less what was paid in
    /// the next one for messages of this. A message that is accepted at midnight may be either.
    pub fn turn_of_month(&self) -> Money {
        self.movements.debits - self.lines.iter().map(|line| line.cost).sum::<Money>()
    }
}

/// The months that are to be stated by now, if `last` was the last that was. An installation that
/// has stated none begins with the month that ended last.
pub fn due_months(last: Option<Month>, now: DateTime<Utc>) -> Vec<Month> {
    let ended = Month::of((now - SETTLING).date_naive()).before(1);
    let first = last.map_or(ended, |last| last.next().max(ended.before(CAUGHT_UP - 1)));
    std::iter::successors(Some(first), |month| Some(month.next()))
        .take_while(|month| *month <= ended)
        .collect()
}
