//! Calls made with API keys, counted by the day.
//!
//! ```
//! use domain::identity::key_calls::Calls;
//!
//! let mut calls = Calls::one(false);
//! calls.add(Calls::one(true));
//! assert_eq!((calls.accepted, calls.refused), (1, 1));
//! ```

use chrono::{NaiveDate, TimeDelta};

use crate::{
    identity::{api_key::ApiKey, organization::Organization},
    shared::id::Id,
};

/// Number of days, including the present one, that the usage of a key shows.
pub const DAYS_SHOWN: i64 = 30;

/// Key and day, in UTC, whose calls are counted together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct KeyDay {
    /// Organization that owns the key.
    pub organization: Id<Organization>,
    /// Key with which the calls were made.
    pub key: Id<ApiKey>,
    /// Day of the calls.
    pub day: NaiveDate,
}

/// Number of calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Calls {
    /// Calls with a successful answer.
    pub accepted: u64,
    /// Calls that were answered with an error.
    pub refused: u64,
}

impl Calls {
    /// Returns one call.
    pub const fn one(is_refused: bool) -> Self {
        if is_refused { Self { accepted: 0, refused: 1 } } else { Self { accepted: 1, refused: 0 } }
    }

    /// Adds other calls.
    pub const fn add(&mut self, other: Self) {
        self.accepted += other.accepted;
        self.refused += other.refused;
    }
}

/// Returns the days that end with `today`, oldest first, each with its calls. `counted` has the days
/// on which there were calls.
pub fn by_day(today: NaiveDate, counted: &[(NaiveDate, Calls)]) -> Vec<(NaiveDate, Calls)> {
    let calls_on = |day| {
        let found = counted.iter().find(|(counted, _)| *counted == day);
        found.map_or(Calls::default(), |(_, calls)| *calls)
    };
    let days = (0..DAYS_SHOWN).rev().map(|ago| today - TimeDelta::days(ago));
    days.map(|day| (day, calls_on(day))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shows_thirty_days_with_and_without_calls() {
        let day = |text: &str| text.parse::<NaiveDate>().unwrap();
        let mut calls = Calls::one(false);
        calls.add(Calls::one(true));
        calls.add(Calls::one(true));

        let days = by_day(day("2026-03-01"), &[(day("2026-02-28"), calls)]);

        assert_eq!(days.len(), 30);
        assert_eq!(days.first().unwrap().0, day("2026-01-31"));
        assert_eq!(days[28], (day("2026-02-28"), Calls { accepted: 1, refused: 2 }));
        assert_eq!(days[29], (day("2026-03-01"), Calls::default()));
    }
}
