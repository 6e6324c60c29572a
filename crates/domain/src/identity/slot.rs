//! Slots: by which a router finds the server that keeps an organization.
//!
//! ```
//! use chrono::DateTime;
//! use domain::{
//!     identity::{api_key::ApiKey, slot::Slot},
//!     shared::id::Id,
//! };
//!
//! let now = DateTime::UNIX_EPOCH;
//! let organization = Id::new(now);
//! let key = Id::<ApiKey>::new_in(now, organization);
//! assert_eq!(key.slot(), Slot::of(organization));
//! ```

use std::{fmt, str::FromStr};

use chrono::{DateTime, Utc};
use uuid::Uuid;

use crate::{
    identity::organization::Organization,
    shared::id::{Id, mint},
};

/// One of [`Slot::COUNT`] parts into which all organizations fall: the last 12 bits of their
/// identifiers, which are random. Whatever belongs to an organization and is known outside (an
/// identifier, an API key) ends in the slot's three hexadecimal digits, so that it can be sent to the
/// right server without asking anybody.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Slot(u16);

impl Slot {
    /// Number of slots.
    pub const COUNT: u16 = 1 << 12;
    /// As how many hexadecimal digits one is written.
    pub const DIGITS: usize = 3;

    /// The slot of an organization.
    pub fn of(organization: Id<Organization>) -> Self {
        organization.slot()
    }

    /// The identifier that is like `uuid` and ends in this slot.
    fn mark(self, uuid: Uuid) -> Uuid {
        let (high, low) = uuid.as_u64_pair();
        let rest = !u64::from(Self::COUNT - 1);
        Uuid::from_u64_pair(high, (low & rest) | u64::from(self.0))
    }
}

impl<T> Id<T> {
    /// Mints the identifier of a `T` that comes into being at `now` and belongs to an organization.
    ///
    /// It ends in the organization's slot. Before that 61 bits are random in each millisecond: of
    /// 10,000 identifiers that are minted for one organization within the same millisecond, two are
    /// alike with a probability of 2 · 10⁻¹¹ (10,000² ÷ 2⁶²).
    pub fn new_in(now: DateTime<Utc>, organization: Id<Organization>) -> Self {
        organization.slot().mark(mint(now)).into()
    }

    /// The slot of the organization that this identifies, or that owns what it identifies.
    pub fn slot(self) -> Slot {
        let [.., high, low] = self.uuid().into_bytes();
        Slot(u16::from_be_bytes([high, low]) % Slot::COUNT)
    }
}

impl fmt::Display for Slot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:03x}", self.0)
    }
}

/// The text is not a slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("is not a slot: three hexadecimal digits in lower case")]
pub struct InvalidSlot;

impl FromStr for Slot {
    type Err = InvalidSlot;

    fn from_str(text: &str) -> Result<Self, InvalidSlot> {
        let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        if text.len() != Self::DIGITS || !text.bytes().all(is_digit) {
            return Err(InvalidSlot);
        }
        u16::from_str_radix(text, 16).map(Self).map_err(|_| InvalidSlot)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use proptest::prelude::*;
    use uuid::Variant;

    use super::*;
    use crate::identity::organization::PLATFORM;

    struct Thing;

    fn at(millis: i64) -> DateTime<Utc> {
        DateTime::from_timestamp_millis(millis).unwrap()
    }

    proptest! {
        #[test]
        fn an_organization_s_slot_is_how_its_identifier_ends(bits: u128) {
            let organization = Id::of(Uuid::from_u128(bits));
            let slot = Slot::of(organization);

            prop_assert!(organization.to_string().ends_with(&slot.to_string()));
            prop_assert_eq!(slot.to_string().parse(), Ok(slot));
        }

        #[test]
        fn an_identifier_ends_in_the_slot_of_its_organization_and_is_a_version_7(
            millis in 0..1_i64 << 47,
            bits: u128,
        ) {
            let organization = Id::of(Uuid::from_u128(bits));
            let id = Id::<Thing>::new_in(at(millis), organization);

            prop_assert_eq!(id.slot(), Slot::of(organization));
            prop_assert_eq!(id.uuid().get_version_num(), 7);
            prop_assert_eq!(id.uuid().get_variant(), Variant::RFC4122);
        }

        #[test]
        fn identifiers_sort_by_time_whatever_their_organizations(
            millis in 0..1_i64 << 47,
            later in 1..1_i64 << 40,
            bits: [u128; 2],
        ) {
            let organizations = bits.map(|bits| Id::of(Uuid::from_u128(bits)));
            let early = Id::<Thing>::new_in(at(millis), organizations[0]);
            let late = Id::new_in(at(millis + later), organizations[1]);

            prop_assert!(Id::floor(at(millis)) < early);
            prop_assert!(early < Id::floor(at(millis + 1)));
            prop_assert!(early < late);
        }
    }

    #[test]
    fn of_a_million_identifiers_of_one_organization_and_millisecond_no_two_are_alike() {
        let minted = (0..1_000_000).map(|_| Id::<Thing>::new_in(at(1_700_000_000_123), PLATFORM));

        assert_eq!(minted.collect::<HashSet<_>>().len(), 1_000_000);
    }

    #[test]
    fn a_slot_is_written_with_three_digits_in_lower_case_and_no_other_way() {
        assert_eq!(Slot::of(PLATFORM).to_string(), "000");
        assert_eq!("0af".parse(), Ok(Slot(0x0af)));
        for text in ["", "af", "00af", "0AF", "+af", "0a ", "0ag"] {
            assert_eq!(text.parse::<Slot>(), Err(InvalidSlot), "{text}");
        }
    }
}
