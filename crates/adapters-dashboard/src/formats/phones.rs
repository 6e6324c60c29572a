//! Phone numbers as people write them.

use std::fmt::Write;

use domain::shared::{address::Address, country::Country};
use phonenumber::Mode;

/// Calling code of Ghana, and the number of digits after it.
const GHANA: (&str, usize) = ("+233", 9);

pub(super) fn phone(recipient: &str, own: Country) -> String {
    ghanaian(recipient, own)
        .or_else(|| by_plan(recipient, own))
        .unwrap_or_else(|| recipient.to_owned())
}

/// Returns a number of Ghana. Nearly all recipients have one, which needs no numbering plan.
fn ghanaian(recipient: &str, own: Country) -> Option<String> {
    let (code, length) = GHANA;
    let digits = recipient.strip_prefix(code)?;
    let is_whole = digits.len() == length && digits.bytes().all(|byte| byte.is_ascii_digit());
    let (area, rest) = digits.split_at_checked(2).filter(|_| is_whole)?;
    let (middle, end) = rest.split_at_checked(3)?;
    Some(if own == Country::GH {
        format!("0{area} {middle} {end}")
    } else {
        format!("{code} {area} {middle} {end}")
    })
}

/// Returns a number as its country's numbering plan groups it; `None` if it is in no plan.
fn by_plan(recipient: &str, own: Country) -> Option<String> {
    let kind = Address::stored(recipient.to_owned()).phone_kind()?;
    let number = phonenumber::parse(None, recipient).ok()?;
    let mode = if kind.country == own { Mode::National } else { Mode::International };
    let mut text = String::new();
    write!(text, "{}", number.format().mode(mode)).ok()?;
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(recipient: &str, own: &str) -> String {
        phone(recipient, own.parse().unwrap())
    }

    #[test]
    fn a_number_of_the_own_country_has_no_calling_code() {
        for (recipient, own, expected) in [
            ("+233241234567", "GH", "024 123 4567"),
            ("+233302345678", "GH", "030 234 5678"),
            ("+2348031234567", "NG", "0803 123 4567"),
            ("+447400123456", "GB", "07400 123456"),
        ] {
            assert_eq!(shown(recipient, own), expected);
        }
    }

    #[test]
    fn a_number_of_another_country_has_its_calling_code() {
        for (recipient, expected) in [
            ("+2348031234567", "+234 803 123 4567"),
            ("+447400123456", "+44 7400 123456"),
            ("+14155552671", "+1 415-555-2671"),
        ] {
            assert_eq!(shown(recipient, "GH"), expected);
        }
        assert_eq!(shown("+233241234567", "NG"), "+233 24 123 4567");
    }

    #[test]
    fn anything_else_is_unchanged() {
        for text in ["ama@example.com", "c0ffee:token", "", "+", "+23324123456x", "+999123456789"] {
            assert_eq!(shown(text, "GH"), text);
        }
    }
}
