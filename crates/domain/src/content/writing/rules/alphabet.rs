//! Texts in the alphabet of text messages, in which a part holds 160 characters instead of 70.

use super::pieces::{Piece, split, tidy};
use crate::{content::compliance, shared::sms};

/// Converts the text to GSM-7; `None` if it has letters without a replacement, or a link or an address with
/// other characters.
pub(super) fn plain(text: &str) -> Option<String> {
    if sms::non_gsm(text).is_empty() {
        return Some(text.to_owned());
    }
    if split(text).iter().any(is_fixed) {
        return None;
    }
    let mut plain = String::with_capacity(text.len());
    for (at, c) in text.char_indices() {
        if sms::non_gsm(c.encode_utf8(&mut [0; 4])).is_empty() {
            plain.push(c);
            continue;
        }
        let instead = compliance::instead(c);
        if !sms::non_gsm(&instead).is_empty() {
            // A control character has no replacement.
            continue;
        }
        if instead.is_empty() && c.is_alphanumeric() {
            return None;
        }
        plain += &instead;
        let is_amount =
            text[at..].chars().nth(1).is_some_and(|next| next.is_ascii_digit() || next == '{');
        if c == '₵' && is_amount {
            plain.push(' ');
        }
    }
    Some(tidy(&plain))
}

/// True if another spelling would change the destination.
fn is_fixed(piece: &Piece) -> bool {
    match piece {
        Piece::Kept(kept) => kept.contains(['/', '@']) && !sms::non_gsm(kept).is_empty(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn replaces_or_removes_characters_that_force_ucs2() {
        let text = "Yɛn “sale” – from ₵5…  \u{1f389}\u{fe0f} {{name}}!";
        assert_eq!(plain(text).as_deref(), Some("Yen \"sale\" - from GHS 5... {{name}}!"));
        assert_eq!(plain("Plain @ 5 €").as_deref(), Some("Plain @ 5 €"));
    }

    #[test]
    fn a_text_in_another_script_is_left_alone() {
        assert_eq!(plain("您好 {{name}}"), None);
        assert_eq!(plain("“https://x.gh/ɛ”"), None);
        assert_eq!(plain("“https://x.gh/e”").as_deref(), Some("\"https://x.gh/e\""));
    }

    proptest! {
        #[test]
        fn a_plain_text_is_in_gsm7(text in r"[a-zɛɔ’–…₵5😀\t\u{1}\u{a0}{} ]*|\PC*") {
            if let Some(plain) = plain(&text) {
                prop_assert!(sms::non_gsm(&plain).is_empty(), "{plain:?}");
            }
        }
    }
}
