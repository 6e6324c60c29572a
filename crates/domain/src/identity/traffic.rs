//! Destinations of messages to phone numbers, which reveal fraud: bots make an organization send
//! codes to numbers whose owners earn from each message.
//!
//! ```
//! use domain::{
//!     identity::traffic::NumberBlock,
//!     shared::{address::Address, channel::Channel, country::Country},
//! };
//!
//! let block = |number| NumberBlock::of(&Address::parse(Channel::Sms, Country::GH, number).unwrap());
//! assert_eq!(block("0241234567"), block("0241234999"), "numbers of one block");
//! ```

mod alert;
mod code_share;

use std::fmt;

use chrono::{DateTime, Utc};

pub use self::{
    alert::{LIFTED, STOP, TrafficAlert},
    code_share::{
        CodeShare, Evidence, Finding, SHOWN_OTHERS, SUSPECT_CODES, SUSPECT_PERCENT, Windows,
    },
};
use crate::shared::{address::Address, country::Country, id::Id};

/// Number of days on which an organization must have reached a country for it to be usual.
pub const USUAL_DAYS: u32 = 3;
/// Number of days for which usual countries are remembered.
pub const REMEMBERED_DAYS: u32 = 30;

/// A thousand consecutive numbers: E.164 without its last three digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NumberBlock(u64);

impl NumberBlock {
    /// Returns the block of a phone number; `None` for other addresses.
    pub fn of(number: &Address) -> Option<Self> {
        let digits: u64 = number.as_str().strip_prefix('+')?.parse().ok()?;
        Some(Self(digits / 1_000))
    }
}

impl fmt::Display for NumberBlock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "+{0}000 to +{0}999", self.0)
    }
}

/// The numbers of an operator, approximated by the first five digits of E.164, as in `+23324`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OperatorRange(u32);

/// Number of digits that identify an operator, including the calling code.
const OPERATOR_DIGITS: usize = 5;

impl OperatorRange {
    /// Returns the range of a phone number; `None` for other addresses.
    pub fn of(number: &Address) -> Option<Self> {
        let digits = number.as_str().strip_prefix('+')?.get(..OPERATOR_DIGITS)?;
        digits.parse().ok().map(Self)
    }

    /// True if the phone number is in the range.
    pub fn holds(self, number: &Address) -> bool {
        Self::of(number) == Some(self)
    }

    /// Returns the range with these digits.
    pub const fn stored(digits: u32) -> Self {
        Self(digits)
    }

    /// Returns its digits as a number.
    pub const fn digits(self) -> u32 {
        self.0
    }
}

impl fmt::Display for OperatorRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "+{}", self.0)
    }
}

/// Findings about the traffic of an organization.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TrafficRules {
    /// Countries that are usual for it.
    pub usual: Vec<Country>,
    /// Ranges to which it may not send codes at present.
    pub stops: Vec<TrafficStop>,
}

/// A temporary stop of codes from an organization to a range.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrafficStop {
    /// Alert that caused the stop.
    pub alert: Id<TrafficAlert>,
    /// Range that the stop applies to.
    pub range: OperatorRange,
    /// End of the stop.
    pub until: DateTime<Utc>,
    /// Delivery of its last codes to the range.
    pub recent: CodeShare,
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn number(text: &str) -> Address {
        Address::stored(text.to_owned())
    }

    #[test]
    fn a_number_belongs_to_a_block_of_a_thousand_and_an_operator_range() {
        let block = NumberBlock::of(&number("+233241234567")).unwrap();
        assert_eq!(block.to_string(), "+233241234000 to +233241234999");
        let range = OperatorRange::of(&number("+233241234567")).unwrap();
        assert_eq!((range.to_string().as_str(), range.digits()), ("+23324", 23_324));
        for text in ["ama@example.com", "a-device", "+12"] {
            assert_eq!(OperatorRange::of(&number(text)), None, "{text}");
        }
        assert_eq!(NumberBlock::of(&number("ama@example.com")), None);
    }

    proptest! {
        #[test]
        fn numbers_share_a_block_if_only_their_last_three_digits_differ(
            start in 100_000_u64..100_000_000_000,
            ends in [0_u64..1_000, 0_u64..1_000],
            other in 1_u64..1_000,
        ) {
            let block = |start: u64, end: u64| {
                NumberBlock::of(&number(&format!("+{}", start * 1_000 + end)))
            };
            prop_assert_eq!(block(start, ends[0]), block(start, ends[1]));
            prop_assert_ne!(block(start, ends[0]), block(start + other, ends[1]));
        }
    }
}
