//! Funds for messages, and the daily limit on spending.
//!
//! ```
//! use domain::{money::funds::Funds, shared::money::Money};
//!
//! let funds = Funds { balance: Money::from_cedis(1), allowance: None };
//! assert!(funds.pay(Money::from_cedis(1)).is_ok() && funds.pay(Money::from_cedis(2)).is_err());
//! ```

use chrono::{DateTime, Days, NaiveDate, NaiveTime, Utc};

use crate::{
    money::wallet::{self, InsufficientBalance},
    shared::money::Money,
};

/// Funds for messages: the balance of a wallet, within the daily limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Funds {
    /// Balance of the wallet.
    pub balance: Money,
    /// Allowance of the present day; `None` if spending is not limited.
    pub allowance: Option<Allowance>,
}

/// A daily limit, and the amount already spent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Allowance {
    /// Daily limit.
    pub limit: Money,
    /// Amount spent today. Exceeds the limit if that was lowered.
    pub spent: Money,
    /// Time at which the day ends.
    pub resets_at: DateTime<Utc>,
}

/// The daily limit would be exceeded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "the daily spending limit is {limit}, {spent} was spent today, and {required} is needed; it \
     resets at midnight UTC"
)]
pub struct SpendingLimitReached {
    /// Amount that is needed.
    pub required: Money,
    /// Daily limit.
    pub limit: Money,
    /// Amount spent today.
    pub spent: Money,
    /// Time at which the day ends.
    pub resets_at: DateTime<Utc>,
}

/// Reason for which something cannot be paid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unpayable {
    /// The wallet holds too little.
    InsufficientBalance(InsufficientBalance),
    /// The daily limit would be exceeded.
    SpendingLimitReached(SpendingLimitReached),
}

impl Funds {
    /// Funds that pay for everything.
    pub const PLENTY: Self = Self { balance: Money::from_micros(i64::MAX), allowance: None };

    /// Returns the funds left after `cost` is paid. A cost of zero can always be paid.
    pub fn pay(self, cost: Money) -> Result<Self, Unpayable> {
        let balance = wallet::pay(self.balance, cost).map_err(Unpayable::InsufficientBalance)?;
        let Some(allowance) = self.allowance else { return Ok(Self { balance, ..self }) };
        let allowance = allowance.spend(cost).map_err(Unpayable::SpendingLimitReached)?;
        Ok(Self { balance, allowance: Some(allowance) })
    }
}

impl Allowance {
    /// Returns the allowance at `now` under `limit`, where `spent` was spent on `spent_on`, the
    /// last day with any spending.
    pub fn at(now: DateTime<Utc>, limit: Money, spent_on: Option<NaiveDate>, spent: Money) -> Self {
        let today = now.date_naive();
        // A day in the future was written by an instance whose clock is ahead.
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
    /// Returns the amount that may still be spent today.
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
    fn a_cost_above_the_daily_limit_is_refused_as_a_whole() {
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
    fn an_empty_wallet_is_reported_before_the_limit() {
        let funds = Funds { balance: Money::ZERO, ..limited(PRICE, PRICE) };
        assert!(matches!(funds.pay(PRICE), Err(Unpayable::InsufficientBalance(_))));
    }

    #[test]
    fn a_cost_of_zero_passes_a_limit_below_what_is_spent() {
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
