//! Phone numbers as people write them.

use super::{InvalidAddress, numbering::Number};
use crate::shared::{channel::Channel, country::Country};

pub(super) fn phone(
    channel: Channel,
    country: Country,
    text: &str,
) -> Result<String, InvalidAddress> {
    let invalid = if text.starts_with('+') {
        InvalidAddress::InternationalPhone
    } else {
        InvalidAddress::Phone(country)
    };
    let digits = digits(text).ok_or(invalid)?;
    if let Some(national) = ghana_mobile(country, &digits) {
        return Ok(format!("+233{national}"));
    }
    let number = Number::read(country, &digits).ok_or(invalid)?;
    if channel != Channel::Voice && number.is_fixed_line() {
        return Err(InvalidAddress::FixedLine(channel));
    }
    Ok(number.e164())
}

/// Returns the national number in `digits`, if it is a mobile number of Ghana.
///
/// Gives the same result as [`Number::read`] without its lock, which all threads share.
pub(super) fn ghana_mobile(country: Country, digits: &str) -> Option<&str> {
    let from_ghana = country == Country::GH;
    let national = match digits.len() {
        9 if from_ghana => digits,
        10 if from_ghana => digits.strip_prefix('0')?,
        12 if from_ghana => digits.strip_prefix("233")?,
        13 => digits.strip_prefix("+233")?,
        14 => digits.strip_prefix("00233")?,
        _ => return None,
    };
    is_in_ghana_mobile_plan(national).then_some(national)
}

/// True for a number in the plan that libphonenumber has in `PhoneNumberMetadata.xml`, for nine
/// digits: `(?:2(?:[0346-9]\d|5[67])|5(?:[03-7]\d|9[1-9]))\d{6}`.
fn is_in_ghana_mobile_plan(national: &str) -> bool {
    matches!(
        national.as_bytes(),
        [b'2', b'0' | b'3' | b'4' | b'6'..=b'9', ..]
            | [b'2', b'5', b'6' | b'7', ..]
            | [b'5', b'0' | b'3'..=b'7', ..]
            | [b'5', b'9', b'1'..=b'9', ..]
    )
}

/// Returns the digits of a phone number with its `+`, if it has one, and without separators; `None`
/// if there is anything else.
fn digits(text: &str) -> Option<String> {
    /// Maximum number of digits. E.164 has 15; international and trunk prefixes are added.
    const MOST: usize = 24;

    let mut digits = String::with_capacity(MOST);
    for c in text.chars() {
        match c {
            '0'..='9' => digits.push(c),
            '+' if digits.is_empty() => digits.push(c),
            c if is_separator(c) => {}
            _ => return None,
        }
        if digits.len() > MOST {
            return None;
        }
    }
    Some(digits)
}

fn is_separator(c: char) -> bool {
    // Numbers copied from an address book come with invisible marks of direction.
    let is_mark = matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}')
        || matches!(c, '\u{2066}'..='\u{2069}');
    let is_dash = matches!(c, '-' | '\u{2010}'..='\u{2015}');
    is_mark || is_dash || matches!(c, '.' | '(' | ')' | '/') || c.is_whitespace()
}
