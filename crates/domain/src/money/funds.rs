//! What messages are paid from, and how much of it may be spent in a day.

use chrono::{DateTime, Days, NaiveDate, NaiveTime, Utc};

use crate::{
    money::wallet::{self, InsufficientBalance},
    shared::money::Money,
};

/// What messages are paid from: the balance of a wallet, as far as the limit of the day allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Funds {
    /// What the wallet holds.
    pub balance: Money,
    /// What may be spent today, if that is limited.
    pub allowance: Option<Allowance>,
}

/// The limit of a day, and what was spent of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Allowance {
    /// The limit.
    pub limit: Money,
    /// What was spent today. More than the limit if that was lowered.
    pub spent: Money,
    /// When the day is over.
    pub resets_at: DateTime<Utc>,
}

/// The limit of the day would be exceeded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "the daily spending limit is {limit}, {spent} was spent today, and {required} is needed; it \
     resets at midnight UTC"
)]
pub struct SpendingLimitReached {
    /// What is needed.
    pub required: Money,
    /// The limit.
    pub limit: Money,
    /// What was spent today.
    pub spent: Money,
    /// When the day is over.
    pub resets_at: DateTime<Utc>,
}

/// Why something cannot be paid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unpayable {
    /// The wallet holds too little.
    InsufficientBalance(InsufficientBalance),
    /// The limit of the day would be exceeded.
    SpendingLimitReached(SpendingLimitReached),
}

impl Funds {
    /// Funds that pay for everything.
    pub const PLENTY: Self = Self { balance: Money::from_micros(i64::MAX), allowance: None };

    /// What is left once `cost` is paid. What costs nothing can always be paid.
    pub fn pay(self, cost: Money) -> Result<Self, Unpayable> {
        let balance = wallet::pay(self.balance, cost).map_err(Unpayable::InsufficientBalance)?;
        let Some(allowance) = self.allowance else { return Ok(Self { balance, ..self }) };
        let allowance = allowance.spend(cost).map_err(Unpayable::SpendingLimitReached)?;
        Ok(Self { balance, allowance: Some(allowance) })
    }
}

impl Allowance {
    /// What may be spent at `now` under a limit, if `spent` was spent on the day on which something was
    /// last.
    pub fn at(now: DateTime<Utc>, limit: Money, spent_on: Option<NaiveDate>, spent: Money) -> Self {
        let today = now.date_naive();
        // A day that is still to come is that of an instance whose clock is ahead.
        let spent = if spent_on.is_some_and(|day| day >= today) { spent } else { Money::ZERO };
        let tomorrow = today.checked_add_days(Days::new(1)).unwrap_or(NaiveDate::MAX);
        Self { limit, spent, resets_at: tomorrow.and_time(NaiveTime::MIN).and_utc() }
    }

    fn spend(self, cost: Money) -> Result<Self, SpendingLimitReached> {
        let spent = self.spent + cost;
        if cost > Money::ZERO && spent > self.limit {
            let Self { limit, spent, resets_at } = self;
            return Err(SpendingLimitReached { required: cost, limit, spent, resets_at });
        }
        Ok(Self { spent, ..self })
    }
}

impl SpendingLimitReached {
    /// What may still be spent today.
    pub fn left(&self) -> Money {
        (self.limit - self.spent).max(Money::ZERO)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const PRICE: Money = Money::from_micros(35_000);

    fn at(text: &str) -> DateTime<Utc> {
        text.parse().unwrap()
    }

    fn limited(limit: Money, spent: Money) -> Funds {
        let now = at("2026-11-22T10:00:00Z");
        let allowance = Allowance::at(now, limit, Some(now.date_naive()), spent);
        Funds { balance: Money::from_cedis(100), allowance: Some(allowance) }
    }

    #[test]
    fn what_exceeds_the_limit_of_the_day_is_refused_as_a_whole() {
        let funds = limited(PRICE * 3, PRICE);

        let refused = funds.pay(PRICE * 3).unwrap_err();
        let left = funds.pay(PRICE * 2).unwrap();

        let resets_at = at("2026-11-23T00:00:00Z");
        let (required, limit, spent) = (PRICE * 3, PRICE * 3, PRICE);
        let expected = SpendingLimitReached { required, limit, spent, resets_at };
        assert_eq!(refused, Unpayable::SpendingLimitReached(expected));
        assert_eq!(expected.left(), PRICE * 2);
        assert!(matches!(left.pay(PRICE), Err(Unpayable::SpendingLimitReached(_))));
    }

    #[test]
    fn an_empty_wallet_is_told_before_the_limit() {
        let funds = Funds { balance: Money::ZERO, ..limited(PRICE, PRICE) };
        assert!(matches!(funds.pay(PRICE), Err(Unpayable::InsufficientBalance(_))));
    }

    #[test]
    fn what_costs_nothing_passes_a_limit_that_was_lowered_below_what_is_spent() {
        let funds = limited(PRICE, PRICE * 5);
        assert_eq!(funds.pay(Money::ZERO), Ok(funds));
        let Err(Unpayable::SpendingLimitReached(refused)) = funds.pay(PRICE) else {
            panic!("it was paid")
        };
        assert_eq!(refused.left(), Money::ZERO);
    }

    #[test]
    fn a_new_day_begins_with_nothing_spent() {
        let spent_on = |day: &str| {
            let now = at("2026-11-22T00:00:00Z");
            Allowance::at(now, PRICE, Some(day.parse().unwrap()), PRICE).spent
        };
        assert_eq!(spent_on("2026-11-21"), Money::ZERO);
        assert_eq!(spent_on("2026-11-22"), PRICE);
        assert_eq!(spent_on("2026-11-23"), PRICE);
    }

    proptest! {
        #[test]
        fn no_more_is_spent_in_a_day_than_its_limit(
            limit in 1..1_000_i64, costs in prop::collection::vec(0..100_i64, 0..50),
        ) {
            let limit = Money::from_micros(limit);
            let mut funds = limited(limit, Money::ZERO);
            let mut paid = Money::ZERO;
            for cost in costs.into_iter().map(Money::from_micros) {
                if let Ok(left) = funds.pay(cost) {
                    funds = left;
                    paid += cost;
                }
            }
            prop_assert!(paid <= limit);
            prop_assert_eq!(funds.balance + paid, Money::from_cedis(100));
        }
    }
}
