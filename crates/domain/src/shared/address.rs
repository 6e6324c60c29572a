//! Addresses of recipients, in the one form in which they are stored, compared and handed to
//! providers.
//!
//! ```
//! use domain::shared::{address::Address, channel::Channel, country::Country};
//!
//! let address = Address::parse(Channel::Sms, Country::GH, "024 123 4567").unwrap();
//! assert_eq!(address.as_str(), "+233241234567");
//! ```

mod email;
mod numbering;
mod phone;
mod phone_type;

use std::fmt;

use serde::{Deserialize, Serialize};
use thiserror::Error;

pub(crate) use self::email::is_domain;
pub use self::phone_type::PhoneType;
use self::{
    email::email,
    numbering::Number,
    phone::{ghana_mobile, phone},
};
use crate::shared::{channel::Channel, country::Country};

/// Normalised recipient: a phone number in E.164 with its `+`, an email address, or a push token.
///
/// `Debug` shows the masked form, so that no recipient gets into a log.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Address(String);

/// The text is no recipient for the channel. Each message follows the name of the field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum InvalidAddress {
    /// Nothing but white space.
    #[error("must not be empty")]
    Empty,
    /// Neither a number of the country nor one that carries its own calling code.
    #[error(
        "is not a valid phone number for {0}; that of another country begins with + and its calling \
         code"
    )]
    Phone(Country),
    /// A number with `+` that exists nowhere.
    #[error("is not a valid international phone number")]
    InternationalPhone,
    /// A number that only a call on the channel `Voice` can reach.
    #[error("is a fixed line, which cannot receive {}", messages(*.0))]
    FixedLine(Channel),
    /// A number for which callers pay much more than for others.
    #[error(
        "is a premium-rate or shared-cost number, which the organization's settings do not allow"
    )]
    PremiumRate,
    /// Not of the form `local@domain`, or longer than mail allows.
    #[error("is not a valid email address")]
    Email,
    /// A push token above [`MAX_TOKEN_BYTES`].
    #[error("must not be longer than 4096 bytes")]
    TokenTooLong,
    /// A push token with white space or control characters inside.
    #[error("is not a valid push token: it must not contain spaces or control characters")]
    Token,
}

/// Properties of a phone number that decide about its use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PhoneKind {
    /// Country it belongs to; [`Country::INTERNATIONAL`] if it belongs to none.
    pub country: Country,
    /// True if callers pay for more than the connection: premium rate, shared cost, or a company's
    /// universal access number.
    pub is_premium: bool,
}

/// Maximum length of a push token, in bytes. Tokens are opaque, so this only bounds storage.
pub const MAX_TOKEN_BYTES: usize = 4096;

impl Address {
    /// Parses a recipient as people and systems write it. A phone number without `+` is read as
    /// dialled in `country`, which other channels ignore.
    pub fn parse(channel: Channel, country: Country, text: &str) -> Result<Self, InvalidAddress> {
        let text = text.trim();
        if text.is_empty() {
            return Err(InvalidAddress::Empty);
        }
        match channel {
            Channel::Sms | Channel::WhatsApp | Channel::Voice => phone(channel, country, text),
            Channel::Email => email(text).ok_or(InvalidAddress::Email),
            Channel::Push => token(text),
        }
        .map(Self)
    }

    /// Returns a recipient that was normalised before it was stored.
    pub fn stored(text: String) -> Self {
        Self(text)
    }

    /// Returns the normalised form.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns a form for logs that a person can recognise but not write to: `+233*****4567`,
    /// `a***@example.com`, `tok***`.
    pub fn masked(&self) -> String {
        if is_e164(&self.0) {
            return masked_phone(&self.0);
        }
        match email(&self.0).and(self.0.rsplit_once('@')) {
            Some((local, domain)) => format!("{}***@{domain}", prefix(local, 1)),
            None => format!("{}***", prefix(&self.0, 3)),
        }
    }

    /// Returns the kind of this phone number; `None` if this is no phone number.
    pub fn phone_kind(&self) -> Option<PhoneKind> {
        if !is_e164(&self.0) {
            return None;
        }
        // Nearly all recipients are mobile numbers of Ghana, found without the lock of the
        // numbering plans.
        if ghana_mobile(Country::GH, &self.0).is_some() {
            return Some(PhoneKind { country: Country::GH, is_premium: false });
        }
        let number = Number::international(&self.0)?;
        Some(PhoneKind { country: number.country(), is_premium: number.is_premium() })
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.masked())
    }
}

fn token(text: &str) -> Result<String, InvalidAddress> {
    if text.len() > MAX_TOKEN_BYTES {
        return Err(InvalidAddress::TokenTooLong);
    }
    if text.contains(|c: char| c.is_whitespace() || c.is_control()) {
        return Err(InvalidAddress::Token);
    }
    Ok(text.to_owned())
}

fn is_e164(text: &str) -> bool {
    text.strip_prefix('+')
        .is_some_and(|digits| (3..=15).contains(&digits.len()) && digits.bytes().all(is_digit))
}

fn is_digit(byte: u8) -> bool {
    byte.is_ascii_digit()
}

/// Shows the first four characters and up to four digits of the end, and hides four or more.
fn masked_phone(number: &str) -> String {
    let shown = number.len().saturating_sub(8).min(4);
    let (start, rest) = number.split_at(number.len().min(4));
    let (hidden, end) = rest.split_at(rest.len() - shown);
    format!("{start}{}{end}", "*".repeat(hidden.len()))
}

fn prefix(text: &str, characters: usize) -> String {
    text.chars().take(characters).collect()
}

fn messages(channel: Channel) -> &'static str {
    match channel {
        Channel::Sms => "SMS",
        Channel::WhatsApp => "WhatsApp messages",
        Channel::Email => "email",
        Channel::Push => "push notifications",
        Channel::Voice => "calls",
    }
}

#[cfg(test)]
mod tests;
