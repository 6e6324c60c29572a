//! Texts from vendors: identifiers, codes, reasons. Their content is unknown, so they are cleaned
//! and cut before they are stored or logged. Times from vendors may be wrong, too.
//!
//! ```
//! use domain::shared::vendor_text::{clean, is_clean};
//!
//! assert!(is_clean(&clean("bad\0number".to_owned())));
//! ```

/// Maximum length of such a text, in characters.
pub const MAX_CHARACTERS: usize = 255;

/// Returns the text without control characters, cut to [`MAX_CHARACTERS`].
#[must_use]
pub fn clean(text: String) -> String {
    if is_clean(&text) {
        return text;
    }
    text.chars().filter(|c| !c.is_control()).take(MAX_CHARACTERS).collect()
}

/// True if a text can be stored unchanged.
pub fn is_clean(text: &str) -> bool {
    is_short(text) && !text.chars().any(char::is_control)
}

/// True if a text has no more than [`MAX_CHARACTERS`].
pub fn is_short(text: &str) -> bool {
    text.len() <= MAX_CHARACTERS || text.chars().nth(MAX_CHARACTERS).is_none()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn control_characters_are_removed_and_the_rest_is_cut() {
        for (text, cleaned) in [
            ("SM-17", "SM-17"),
            ("a\0b", "ab"),
            ("line\r\n\u{1b}[31mred\u{7f}\u{85}", "line[31mred"),
            ("\0", ""),
            ("Twi: ɛ ɔ", "Twi: ɛ ɔ"),
        ] {
            assert_eq!(clean(text.to_owned()), cleaned);
        }
        assert_eq!(clean("ɔ".repeat(MAX_CHARACTERS)), "ɔ".repeat(MAX_CHARACTERS));
        assert_eq!(clean("ɔ".repeat(MAX_CHARACTERS + 1)), "ɔ".repeat(MAX_CHARACTERS));
    }

    proptest! {
        #[test]
        fn cleaned_text_is_clean(text in any::<String>()) {
            let cleaned = clean(text);
            prop_assert!(is_clean(&cleaned));
            prop_assert_eq!(clean(cleaned.clone()), cleaned);
        }
    }
}
