//! Retention of messages in the delivery log.
//!
//! ```
//! use domain::shared::retention::RetentionDays;
//!
//! assert!(RetentionDays::new(90).is_ok() && RetentionDays::new(7).is_err());
//! ```

use thiserror::Error;

/// Minimum number of days for which a message stays in the log. It is deleted with the last message
/// of its month.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetentionDays(i32);

impl RetentionDays {
    /// Shortest period that keeps all data that rules still need: idempotency keys refer to their
    /// messages for a day, messages wait and are reported on for at most six days, and webhooks and
    /// the overview show the last thirty days, of which the first has begun when the last has not
    /// ended.
    pub const MIN: i32 = 31;
    /// A hundred years.
    pub const MAX: i32 = 36_500;

    /// Checks a number of days from [`MIN`](Self::MIN) to [`MAX`](Self::MAX).
    pub fn new(days: i32) -> Result<Self, InvalidRetention> {
        if (Self::MIN..=Self::MAX).contains(&days) { Ok(Self(days)) } else { Err(InvalidRetention) }
    }

    /// Returns the number of days.
    pub const fn get(self) -> i32 {
        self.0
    }
}

/// The number of days is out of range.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error(
    "must be a number of days from {min} to {max}, or unset to keep all messages",
    min = RetentionDays::MIN,
    max = RetentionDays::MAX
)]
pub struct InvalidRetention;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_that_rules_still_need_cannot_be_dropped() {
        for days in [i32::MIN, 0, 30, 36_501] {
            assert_eq!(RetentionDays::new(days), Err(InvalidRetention), "{days}");
        }
        for days in [31, 400, 36_500] {
            assert_eq!(RetentionDays::new(days).map(RetentionDays::get), Ok(days));
        }
    }
}
