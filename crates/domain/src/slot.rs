//! Slots: by which a router finds the server that keeps an organization.

use std::{fmt, str::FromStr};

use uuid::Uuid;

use crate::{id::Id, organization::Organization};

/// One of [`Slot::COUNT`] parts into which all organizations fall: the last 12 bits of their
/// identifiers, which are random. Whatever belongs to an organization and is known outside (an
/// identifier, an API key) ends in the slot's three hexadecimal digits, so that it can be sent to the
/// right server without asking anybody.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Slot(u16);

impl Slot {
    /// How many there are.
    pub const COUNT: u16 = 1 << 12;
    /// As how many hexadecimal digits one is written.
    pub const DIGITS: usize = 3;

    /// The slot of an organization.
    pub fn of(organization: Id<Organization>) -> Self {
        organization.slot()
    }

    /// The slot in which an identifier ends.
    pub(crate) fn end_of(uuid: Uuid) -> Self {
        let [.., high, low] = uuid.into_bytes();
        Self(u16::from_be_bytes([high, low]) % Self::COUNT)
    }

    /// The identifier that is like `uuid` and ends in this slot.
    pub(crate) fn mark(self, uuid: Uuid) -> Uuid {
        let (high, low) = uuid.as_u64_pair();
        let rest = !u64::from(Self::COUNT - 1);
        Uuid::from_u64_pair(high, (low & rest) | u64::from(self.0))
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
    use proptest::prelude::*;

    use super::*;
    use crate::organization::PLATFORM;

    proptest! {
        #[test]
        fn an_organization_s_slot_is_how_its_identifier_ends(bits: u128) {
            let organization = Id::of(Uuid::from_u128(bits));
            let slot = Slot::of(organization);

            prop_assert!(organization.to_string().ends_with(&slot.to_string()));
            prop_assert_eq!(slot.to_string().parse(), Ok(slot));
        }
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
