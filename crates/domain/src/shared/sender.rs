//! Senders of messages: names, short codes and numbers.
//!
//! ```
//! use domain::shared::{channel::Channel, country::Country, sender::Sender};
//!
//! let sender = Sender::parse(Channel::Sms, Country::GH, "MyShop").unwrap();
//! assert_eq!(sender.as_str(), "MyShop");
//! ```

use std::{fmt, ops::RangeInclusive};

use super::{
    address::{Address, InvalidAddress},
    channel::Channel,
    country::Country,
};

/// Name, short code, or number in E.164. Always ASCII.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sender(String);

/// Maximum length of a name that GSM shows, in characters.
const LONGEST_NAME: usize = 11;
/// Number of digits of a short code. A longer one is a phone number.
const SHORT_CODE: RangeInclusive<usize> = 3..=6;
/// Number of digits of any number, including short codes.
const DIGITS: RangeInclusive<usize> = 3..=15;

/// Error for a text that is not a sender of the channel. The messages follow the name of the field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum InvalidSender {
    /// Neither a name that GSM shows nor a number.
    #[error("must be a name of 1 to 11 letters, digits and spaces, or a number")]
    Sms,
    /// Not a number, on a channel that shows only numbers.
    #[error("must be a number: {0} shows no names")]
    Number(Channel),
    /// An invalid phone number.
    #[error("{0}")]
    Phone(#[from] InvalidAddress),
    /// The channel has no sender names.
    #[error("must be SMS, WHATSAPP or VOICE: {0} has no sender names")]
    Channel(Channel),
}

impl Sender {
    /// Parses a requested sender. A number without calling code belongs to `country`.
    pub fn parse(channel: Channel, country: Country, text: &str) -> Result<Self, InvalidSender> {
        let text = text.trim();
        match (channel, is_number(text)) {
            (Channel::Email | Channel::Push, _) => Err(InvalidSender::Channel(channel)),
            (_, true) if SHORT_CODE.contains(&text.len()) && !text.starts_with('+') => {
                Ok(Self(text.to_owned()))
            }
            (_, true) => {
                let number = Address::parse(Channel::Voice, country, text)?;
                Ok(Self(number.as_str().to_owned()))
            }
            (Channel::Sms, false) if is_sms_sender(text) => {
                Ok(Self(text.split_whitespace().collect::<Vec<_>>().join(" ")))
            }
            (Channel::Sms, false) => Err(InvalidSender::Sms),
            (Channel::WhatsApp | Channel::Voice, false) => Err(InvalidSender::Number(channel)),
        }
    }

    /// Returns a sender that was parsed before.
    pub const fn stored(text: String) -> Self {
        Self(text)
    }

    /// Returns the sender as shown to recipients.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the key that only one organization can have. A name or a number is the same on every channel
    /// and in every country, in any case; a short code differs for each country.
    pub fn claim(&self, country: Country) -> String {
        if is_number(&self.0) && !self.0.starts_with('+') {
            format!("{}/{country}", self.0)
        } else {
            self.0.to_ascii_lowercase()
        }
    }

    /// True if a message with the sender `text` means this one.
    fn is_meant_by(&self, text: &str) -> bool {
        let (own, text) = (self.0.as_str(), text.trim());
        own.eq_ignore_ascii_case(text) || own.strip_prefix('+') == Some(text)
    }
}

impl fmt::Display for Sender {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// True for digits, with or without a plus.
fn is_number(text: &str) -> bool {
    let digits = text.strip_prefix('+').unwrap_or(text);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// True if GSM can show a sender: up to eleven characters with a letter among them, or a number.
pub fn is_sms_sender(sender: &str) -> bool {
    let is_name_character = |c: char| c.is_ascii_alphanumeric() || " &+-._'!".contains(c);
    if is_number(sender) {
        DIGITS.contains(&sender.trim_start_matches('+').len())
    } else {
        sender.len() <= LONGEST_NAME
            && sender.chars().all(is_name_character)
            && sender.contains(|c: char| c.is_ascii_alphabetic())
    }
}

/// Senders that an organization's messages may have.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum UsableSenders {
    /// Any sender: the installation requires no approval.
    #[default]
    Any,
    /// Approved senders.
    Approved(Box<[ApprovedSender]>),
}

/// Sender that an organization may use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApprovedSender {
    /// Sender as shown to recipients.
    pub sender: Sender,
    /// Channel of the sender.
    pub channel: Channel,
    /// Country of the recipients.
    pub country: Country,
}

/// Error for a sender that an organization may not use. The message follows the name of the field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("must be one of your approved sender names for {channel} to {country}")]
pub struct SenderNotApproved {
    channel: Channel,
    country: Country,
}

impl UsableSenders {
    /// Returns the approved form of the sender `text`. Mails and notifications have no sender names, so
    /// they accept any.
    pub fn choose(
        &self,
        channel: Channel,
        country: Country,
        text: &str,
    ) -> Result<String, SenderNotApproved> {
        let Self::Approved(senders) = self else { return Ok(text.to_owned()) };
        if !channel.takes_phone_numbers() {
            return Ok(text.to_owned());
        }
        let mut usable = senders.iter().filter(|it| it.channel == channel && it.country == country);
        let found = usable.find(|it| it.sender.is_meant_by(text));
        found.map(|it| it.sender.0.clone()).ok_or(SenderNotApproved { channel, country })
    }

    /// True if a message on `channel` may have the sender `text` in at least one country.
    pub fn has(&self, channel: Channel, text: &str) -> bool {
        let Self::Approved(senders) = self else { return true };
        let meant = |it: &ApprovedSender| it.channel == channel && it.sender.is_meant_by(text);
        !channel.takes_phone_numbers() || senders.iter().any(meant)
    }

    /// Returns the number of approved senders; 0 if any is allowed.
    pub fn count(&self) -> usize {
        match self {
            Self::Any => 0,
            Self::Approved(senders) => senders.len(),
        }
    }
}
