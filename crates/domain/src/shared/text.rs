//! Checks of texts that people write.
//!
//! ```
//! use domain::shared::text::{fold, line};
//!
//! assert_eq!(line(" Ama ", 10).unwrap(), "Ama");
//! assert_eq!(fold("ƐDAN"), "ɛdan");
//! ```

/// Maximum length of a subject, in characters (RFC 5322 limits a header line to 998).
pub const MAX_SUBJECT: usize = 998;

/// Checks a required text: one line of at most `longest` characters. Returns it without the spaces
/// around it.
pub fn line(text: &str, longest: usize) -> Result<String, String> {
    let text = text.trim();
    if text.is_empty() {
        return Err("must not be empty".to_owned());
    }
    optional_line(text, longest).map(|()| text.to_owned())
}

/// Checks an optional text: one line of at most `longest` characters.
pub fn optional_line(text: &str, longest: usize) -> Result<(), String> {
    if text.chars().count() > longest {
        return Err(format!("must have at most {longest} characters"));
    }
    if text.chars().any(char::is_control) {
        return Err("must not contain control characters".to_owned());
    }
    Ok(())
}

/// Checks a required text of one or more lines, of at most `longest` characters.
pub fn lines(text: String, longest: usize) -> Result<String, String> {
    if text.trim().is_empty() {
        return Err("must not be empty".to_owned());
    }
    without_nul(&text)?;
    if text.chars().nth(longest).is_some() {
        return Err(format!("must have at most {longest} characters"));
    }
    Ok(text)
}

/// Returns a text whose lines all end with LF. Some carriers read a lone CR as the end of a line
/// and others do not: the text after it could pass for something else.
pub fn with_plain_line_breaks(text: String) -> String {
    if text.contains('\r') { text.replace("\r\n", "\n").replace('\r', "\n") } else { text }
}

/// Checks a text of one or more lines. PostgreSQL stores every character but NUL.
pub fn without_nul(text: &str) -> Result<(), String> {
    if text.contains('\0') {
        return Err("must not contain the character NUL".to_owned());
    }
    Ok(())
}

/// Folds the case of a text: each character is lowercased by itself, so that a part of a text,
/// folded, is a part of the folded text.
pub fn fold(text: &str) -> String {
    // Nearly all texts are ASCII, and a large file has hundreds of thousands of them.
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    text.chars().flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_line_has_something_in_it_and_no_control_characters() {
        assert_eq!(line(" Ama ", 3).unwrap(), "Ama");
        assert!(line(" ", 3).is_err() && line("Kofi", 3).is_err() && line("a\tb", 3).is_err());
        assert!(optional_line("", 3).is_ok());
    }

    proptest! {
        #[test]
        fn a_part_of_a_text_is_part_of_the_folded_text(before: String, part: String, after: String) {
            let whole = format!("{before}{part}{after}");
            prop_assert!(fold(&whole).contains(&fold(&part)));
        }

        #[test]
        fn a_folded_text_stays_as_it_is(text: String) {
            prop_assert_eq!(fold(&fold(&text)), fold(&text));
        }
    }

    #[test]
    fn case_no_longer_matters_in_a_folded_text() {
        assert_eq!(fold("ƐDAN Σ Ama"), "ɛdan σ ama");
    }

    #[test]
    fn a_text_has_no_nul() {
        assert!(without_nul("Akwaaba\nOsagyefo").is_ok());
        assert!(without_nul("Akwaaba\0").is_err());
    }
}
