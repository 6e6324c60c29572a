//! Terms of searches.
//!
//! ```
//! use domain::shared::search::sought;
//!
//! assert_eq!(sought("Ama"), "Ama");
//! ```

/// Minimum number of digits that count as a phone number in any text.
const WHOLE_NUMBER: usize = 9;
/// Minimum number of digits that count as the beginning of a number.
const BEGINNING: usize = 4;

/// Returns the text to search for: a phone number, or the beginning of one, in the form of E.164,
/// in which numbers are stored; any other text unchanged.
pub fn sought(text: &str) -> String {
    phone(text).unwrap_or_else(|| text.to_owned())
}

/// Returns the part of a number in E.164 that a text is, in any notation. Without a country, the
/// leading zero is dropped.
fn phone(text: &str) -> Option<String> {
    let text = text.trim().replace("(0)", "");
    let is_separator =
        |c: char| c.is_whitespace() || matches!(c, '-' | '.' | '(' | ')' | '/' | '+');
    if !text.chars().all(|c| c.is_ascii_digit() || is_separator(c)) {
        return None;
    }
    let digits: String = text.chars().filter(char::is_ascii_digit).collect();
    let is_international = text.starts_with('+');
    let is_number = digits.len() >= WHOLE_NUMBER
        || digits.len() >= BEGINNING && (is_international || text.starts_with(['0', '(']));
    if !is_number {
        return None;
    }
    Some(match (is_international, digits.strip_prefix("00")) {
        (true, _) => format!("+{digits}"),
        (false, Some(international)) => format!("+{international}"),
        (false, None) => digits.strip_prefix('0').map_or(digits.clone(), str::to_owned),
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_number_is_found_in_any_notation(national in "[235][0-9]{8}", separator in "[ .-]?") {
            let kept = format!("+233{national}");
            let (a, rest) = national.split_at(2);
            let (b, c) = rest.split_at(3);
            for written in [
                format!("0{a}{separator}{b}{separator}{c}"),
                format!("(0{a}) {b}{separator}{c}"),
                format!("{a}{separator}{b}{separator}{c}"),
                format!("233{separator}{a}{separator}{b}{separator}{c}"),
                format!("+233{separator}{a}{separator}{b}{separator}{c}"),
                format!("+233 (0){a}{separator}{b}{separator}{c}"),
                format!("00233{separator}{a}{separator}{b}{separator}{c}"),
                format!("0{a}{separator}{b}"),
                format!("+233{separator}{a}"),
            ] {
                prop_assert!(kept.contains(&sought(&written)), "{} is {}", written, sought(&written));
            }
        }
    }

    #[test]
    fn other_texts_are_searched_for_unchanged() {
        for text in ["Ama", "0%", "055", "12-3456", "2026-11-23", "ama0551002995@example.com", "_"]
        {
            assert_eq!(sought(text), text);
        }
    }
}
