//! Unsubscribing by a link in a message.
//!
//! ```
//! use chrono::DateTime;
//! use domain::{audience::unsubscribe::UnsubscribeCode, shared::id::Id};
//!
//! let code = UnsubscribeCode::new_in(Id::new(DateTime::UNIX_EPOCH), [7; 32]);
//! assert_eq!(code.to_string().parse(), Ok(code));
//! ```

use std::{fmt, str::FromStr};

use chrono::{DateTime, Utc};

use crate::{
    audience::{
        contact::Contact,
        suppression::{OptOut, SuppressionSource},
    },
    identity::{organization::Organization, slot::Slot},
    messaging::message::Message,
    shared::{address::Address, category::Category, channel::Channel, id::Id, placeholder},
};

/// Placeholder for the unsubscribe link.
pub const PLACEHOLDER: &str = "unsubscribe";

/// Advertising of an organization to an address on a channel, which a link ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subscription {
    /// Organization that advertises.
    pub organization: Id<Organization>,
    /// Channel of the advertising.
    pub channel: Channel,
    /// Address of the recipient.
    pub address: Address,
}

impl Subscription {
    /// The only category that a link ends.
    pub const CATEGORY: Category = Category::Marketing;

    /// Returns the subscription that a mail is part of; `None` for other messages than advertising mails.
    pub fn of_mail(message: &Message) -> Option<Self> {
        let draft = &message.draft;
        let is_advertising = message.kinds().any(|kind| kind == Self::CATEGORY);
        (draft.channel == Channel::Email && is_advertising).then(|| Self {
            organization: message.organization,
            channel: draft.channel,
            address: draft.recipient.clone(),
        })
    }

    /// Returns a contact's subscription on a channel; `None` if the contact has no address there, or
    /// messages on that channel carry no links.
    pub fn of_contact(contact: &Contact, channel: Channel) -> Option<Self> {
        let address = match channel {
            Channel::Sms | Channel::WhatsApp => contact.phone.clone(),
            Channel::Email => contact.email.clone(),
            Channel::Push | Channel::Voice => None,
        };
        Some(Self { organization: contact.organization, channel, address: address? })
    }

    /// Returns the opt-out that following the link adds to the organization's suppression list.
    pub fn opt_out(self, now: DateTime<Utc>) -> OptOut {
        OptOut {
            organization: self.organization,
            channel: self.channel,
            address: self.address,
            source: SuppressionSource::Unsubscribe,
            at: now,
        }
    }
}

/// True if messages on a channel can carry an unsubscribe link.
pub const fn can_carry_link(channel: Channel) -> bool {
    matches!(channel, Channel::Sms | Channel::WhatsApp | Channel::Email)
}

/// Error for a link placeholder on a channel whose messages carry no links.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("must not have {{{{{}}}}}: messages on this channel carry no links", PLACEHOLDER)]
pub struct CarriesNoLink;

/// Checks that a text has no link placeholder if messages on the channel carry no links.
pub fn check_text(channel: Channel, text: &str) -> Result<(), CarriesNoLink> {
    let has_place = placeholder::names(text).contains(&PLACEHOLDER);
    if has_place && !can_carry_link(channel) { Err(CarriesNoLink) } else { Ok(()) }
}

/// Code of a short link: ten random letters and digits, and the slot of the contact's organization. It is
/// in lower case, without letters that look like digits.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct UnsubscribeCode(String);

/// Five bits for each character.
const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
/// Fifty bits: at ten guesses a second it takes a year to find one of three million codes.
const RANDOM_DIGITS: usize = 10;

impl UnsubscribeCode {
    /// Length of a code, in characters.
    pub const LENGTH: usize = RANDOM_DIGITS + Slot::DIGITS;

    /// Returns a code for an organization, made of random bytes.
    pub fn new_in(organization: Id<Organization>, random: [u8; 32]) -> Self {
        let digits = random.iter().take(RANDOM_DIGITS);
        let digits = digits.map(|byte| char::from(ALPHABET[usize::from(byte % 32)]));
        Self(format!("{}{}", digits.collect::<String>(), Slot::of(organization)))
    }

    /// Returns the code as written in a link.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for UnsubscribeCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Error for a text that is not a code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("is not a code to unsubscribe")]
pub struct InvalidCode;

impl FromStr for UnsubscribeCode {
    type Err = InvalidCode;

    /// Parses a code as people copy it: in any case, and with letters for the digits they look like.
    fn from_str(text: &str) -> Result<Self, InvalidCode> {
        let digit = |c: char| match c.to_ascii_lowercase() {
            'o' => '0',
            'i' | 'l' => '1',
            other => other,
        };
        let code: String = text.chars().map(digit).collect();
        let is_known = code.len() == Self::LENGTH && code.bytes().all(|it| ALPHABET.contains(&it));
        let slot = code.get(RANDOM_DIGITS..).filter(|_| is_known).ok_or(InvalidCode)?;
        slot.parse::<Slot>().map_err(|_| InvalidCode)?;
        Ok(Self(code))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use uuid::Uuid;

    use super::*;
    use crate::content::compliance::assess;

    #[test]
    fn a_link_placeholder_needs_a_channel_that_carries_links() {
        for channel in Channel::ALL {
            let checked = check_text(channel, "Sale. No more: {{ unsubscribe }}");
            assert_eq!(checked.is_ok(), can_carry_link(channel), "{channel:?}");
            assert_eq!(check_text(channel, "Sale for {{firstName}}"), Ok(()));
        }
        let fault = "must not have {{unsubscribe}}: messages on this channel carry no links";
        assert_eq!(CarriesNoLink.to_string(), fault);
    }

    proptest! {
        #[test]
        fn a_code_ends_in_the_slot_and_is_read_as_people_copy_it(random: [u8; 32], bits: u128) {
            let organization = Id::of(Uuid::from_u128(bits));
            let code = UnsubscribeCode::new_in(organization, random);

            prop_assert!(code.as_str().ends_with(&Slot::of(organization).to_string()));
            let text = format!("Sale this Saturday. Leave: https://notify.example.com/u/{code}");
            prop_assert_eq!(assess(&text, Category::Marketing).score, 0, "{}", code);
            let copied = code.as_str().to_uppercase().replace('0', "O").replace('1', "l");
            prop_assert_eq!(copied.parse(), Ok(code));
        }

        #[test]
        fn rejects_texts_that_are_no_codes(text in "[0-9a-z]{0,12}|[0-9a-z]{14}|[0-9a-z]{12}[g-hj-km-npqrs-z]|\\PC{13}u") {
            prop_assert_eq!(text.parse::<UnsubscribeCode>(), Err(InvalidCode));
        }
    }
}
