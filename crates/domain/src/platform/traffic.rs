//! Messages to phone numbers, by where they go: what fraud shows in. Bots have an organization send
//! codes to numbers whose owners earn from each message.

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

/// On how many days an organization must have reached a country before it usually sends there.
pub const USUAL_DAYS: u32 = 3;
/// For how many days that is remembered.
pub const REMEMBERED_DAYS: u32 = 30;

/// A thousand numbers that follow one another: E.164 without its last three digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NumberBlock(u64);

impl NumberBlock {
    /// The block of a phone number; none of any other address.
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

/// The numbers of an operator, as far as their first digits tell: the first five of E.164, as in
/// `+23324`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OperatorRange(u32);

/// How many digits of a number tell its operator, with the calling code.
const OPERATOR_DIGITS: usize = 5;

impl OperatorRange {
    /// The range of a phone number; none of any other address.
    pub fn of(number: &Address) -> Option<Self> {
        let digits = number.as_str().strip_prefix('+')?.get(..OPERATOR_DIGITS)?;
        digits.parse().ok().map(Self)
    }

    /// Whether a phone number is in it.
    pub fn holds(self, number: &Address) -> bool {
        Self::of(number) == Some(self)
    }

    /// The range with these digits.
    pub const fn stored(digits: u32) -> Self {
        Self(digits)
    }

    /// Its digits as a number.
    pub const fn digits(self) -> u32 {
        self.0
    }
}

impl fmt::Display for OperatorRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "+{}", self.0)
    }
}

/// What was found out about the traffic of an organization.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TrafficRules {
    /// The countries to which it usually sends.
    pub usual: Vec<Country>,
    /// The ranges to which it may send no codes for now.
    pub stops: Vec<TrafficStop>,
}

/// An organization may send no codes to a range for now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrafficStop {
    /// The alert that says so.
    pub alert: Id<TrafficAlert>,
    /// To which numbers.
    pub range: OperatorRange,
    /// Until when.
    pub until: DateTime<Utc>,
    /// What became of its last codes to them.
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
    fn a_number_is_in_a_block_of_a_thousand_and_in_the_range_of_its_operator() {
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
