//! Telephone numbers in the formats of vendors.

use chrono::{DateTime, Utc};
use domain::{
    messaging::{callback::Inbound, message::Message},
    shared::{address::Address, channel::Channel, country::Country},
};

/// Returns a recipient's number in international form, without its `+`.
pub(crate) fn digits(message: &Message) -> &str {
    message.draft.recipient.as_str().trim_start_matches('+')
}

/// True if `theirs`, a number in a vendor's format such as `0241234567`, is the recipient's.
pub(crate) fn is_recipient(message: &Message, theirs: &str) -> bool {
    let theirs: String = theirs.chars().filter(char::is_ascii_digit).collect();
    let theirs = theirs.strip_prefix("00").unwrap_or(&theirs);
    match theirs.strip_prefix('0') {
        Some(national) => national.len() > 5 && digits(message).ends_with(national),
        None => digits(message) == theirs,
    }
}

/// Builds an inbound SMS; `None` if its sender is not a number that can receive messages.
pub(crate) fn inbound_sms(from: &str, text: &str, at: DateTime<Utc>) -> Option<Inbound> {
    let from = from.trim();
    let is_complete = from.starts_with('+') || from.starts_with('0');
    let from = if is_complete { from.to_owned() } else { format!("+{from}") };
    let from = Address::parse(Channel::Sms, Country::GH, &from).ok()?;
    Some(Inbound { channel: Channel::Sms, from, text: text.to_owned(), at })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{now, sms};

    #[test]
    fn a_recipient_is_recognized_in_every_number_format() {
        let message = sms("+233241234567");
        for number in ["233241234567", "+233 24 123 4567", "0241234567", "00233241234567"] {
            assert!(is_recipient(&message, number), "{number}");
        }
        for number in ["", "0", "067", "0241234568", "241234567", "1233241234567"] {
            assert!(!is_recipient(&message, number), "{number}");
        }
    }

    #[test]
    fn texts_come_from_numbers_only() {
        for from in ["+233241234567", "233241234567", "0241234567"] {
            let text = inbound_sms(from, "STOP", now()).unwrap();
            assert_eq!(text.from.as_str(), "+233241234567", "{from}");
        }
        for from in ["", "SHOP", "1404", "+"] {
            assert_eq!(inbound_sms(from, "STOP", now()), None, "{from}");
        }
    }
}
