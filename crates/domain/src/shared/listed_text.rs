//! Long texts in lists: an item shows the beginning of its text.
//!
//! ```
//! use domain::shared::listed_text::cut;
//!
//! let mut text = "a".repeat(10_001);
//! assert!(cut(&mut text));
//! assert_eq!(text.len(), 10_000);
//! ```

/// Maximum number of characters of a text that an item of a list shows.
pub const MAX_LISTED_TEXT: u16 = 10_000;
/// Maximum number of characters of a text that a list reads: one more than it shows, as a sign that
/// there is more.
pub const LISTED_TEXT_READ: u16 = MAX_LISTED_TEXT + 1;

/// Cuts a text to the length that a list shows. Returns true if the text was longer.
pub fn cut(text: &mut String) -> bool {
    truncate(text, MAX_LISTED_TEXT)
}

/// Cuts a text to the length that a list reads.
pub fn cut_as_read(text: &mut String) {
    truncate(text, LISTED_TEXT_READ);
}

fn truncate(text: &mut String, characters: u16) -> bool {
    let Some((end, _)) = text.char_indices().nth(usize::from(characters)) else { return false };
    text.truncate(end);
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_of_more_than_ten_thousand_characters_is_cut() {
        for (characters, is_longer) in [(0, false), (10_000, false), (10_001, true), (30_000, true)]
        {
            let whole = "ɛ".repeat(characters);
            let mut text = whole.clone();

            assert_eq!(cut(&mut text), is_longer, "{characters}");

            assert!(whole.starts_with(&text));
            assert_eq!(text.chars().count(), characters.min(10_000));
        }
    }

    #[test]
    fn a_text_cut_as_read_still_shows_that_there_is_more() {
        for (characters, is_longer) in [(10_000, false), (10_001, true), (30_000, true)] {
            let mut text = "ɛ".repeat(characters);

            cut_as_read(&mut text);

            assert_eq!(text.chars().count(), characters.min(10_001));
            assert_eq!(cut(&mut text), is_longer, "{characters}");
        }
    }
}
