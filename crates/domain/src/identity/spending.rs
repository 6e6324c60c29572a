//! Spending settings of organizations.
//!
//! ```
//! use domain::{
//!     identity::spending::{SpendingRules, SpendingUpdate},
//!     shared::{change::Change, money::Money},
//! };
//!
//! let limit = Change::Set(Some(Money::from_cedis(50)));
//! let update = SpendingUpdate { daily_limit: limit, ..SpendingUpdate::default() };
//! let mut rules = SpendingRules::default();
//! update.apply(&mut rules);
//! assert_eq!(rules.daily_limit, Some(Money::from_cedis(50)));
//! ```

use crate::shared::{change::Change, fault::Faults, money::Money};

/// Spending settings of an organization.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SpendingRules {
    /// Balance below which its owners and administrators are notified; `None` for never.
    pub low_balance_threshold: Option<Money>,
    /// Maximum amount spent in a day (UTC); `None` for no limit.
    pub daily_limit: Option<Money>,
}

/// Changes to [`SpendingRules`].
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SpendingUpdate {
    /// See [`SpendingRules::low_balance_threshold`].
    pub low_balance_threshold: Change<Money>,
    /// See [`SpendingRules::daily_limit`].
    pub daily_limit: Change<Money>,
}

/// Maximum of either amount.
const MAX: Money = Money::from_cedis(1_000_000_000);

impl SpendingUpdate {
    /// Returns everything that is wrong with the changes.
    pub fn faults(&self) -> Faults {
        let mut faults = Faults::default();
        if let Change::Set(Some(threshold)) = self.low_balance_threshold
            && !(Money::ZERO..=MAX).contains(&threshold)
        {
            faults.add("lowBalanceThreshold", format!("must be between {} and {MAX}", Money::ZERO));
        }
        if let Change::Set(Some(limit)) = self.daily_limit
            && (limit <= Money::ZERO || limit > MAX)
        {
            let fault = format!("must be above {} and at most {MAX}", Money::ZERO);
            faults.add("dailySpendingLimit", fault);
        }
        faults
    }

    /// Applies the changes.
    pub fn apply(&self, rules: &mut SpendingRules) {
        self.low_balance_threshold.apply(&mut rules.low_balance_threshold);
        self.daily_limit.apply(&mut rules.daily_limit);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_amounts_have_their_limits() {
        let set = |micros| Change::Set(Some(Money::from_micros(micros)));
        let faults = |threshold, limit| {
            let update = SpendingUpdate { low_balance_threshold: threshold, daily_limit: limit };
            update.faults().fields.into_keys().collect::<Vec<_>>()
        };
        assert!(faults(set(0), set(1)).is_empty());
        assert!(faults(Change::Set(None), Change::Set(None)).is_empty());
        assert_eq!(faults(set(-1), set(0)), ["dailySpendingLimit", "lowBalanceThreshold"]);
        assert_eq!(faults(set(i64::MAX), set(i64::MAX)).len(), 2);
    }
}
