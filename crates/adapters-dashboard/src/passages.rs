//! Marked passages of a text.

use domain::content::compliance::Issue;

/// Maximum number of characters that a preview shows.
const MAX_SHOWN: usize = 4_000;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Piece {
    pub(crate) text: String,
    /// True if an issue is about it.
    pub(crate) is_marked: bool,
}

/// Returns the beginning of a text in parts: those that an issue is about, and those between them.
pub(crate) fn pieces(text: &str, issues: &[Issue]) -> Vec<Piece> {
    let Some((end, _)) = text.char_indices().nth(MAX_SHOWN) else {
        return all_pieces(text, issues);
    };
    let mut pieces = all_pieces(text.get(..end).unwrap_or_default(), issues);
    pieces.push(Piece { text: "…".to_owned(), is_marked: false });
    pieces
}

/// Returns a whole text in such parts.
pub(crate) fn all_pieces(text: &str, issues: &[Issue]) -> Vec<Piece> {
    let passage = |issue: &Issue| {
        let length = issue.found.as_ref()?.chars().count();
        Some((issue.position?, length))
    };
    let passages: Vec<_> = issues.iter().filter_map(passage).collect();
    let is_marked = |at: usize| {
        passages.iter().any(|(start, length)| at >= *start && at < start.saturating_add(*length))
    };
    let mut pieces: Vec<Piece> = Vec::new();
    for (at, character) in text.chars().enumerate() {
        let is_marked = is_marked(at);
        match pieces.last_mut() {
            Some(last) if last.is_marked == is_marked => last.text.push(character),
            _ => pieces.push(Piece { text: character.to_string(), is_marked }),
        }
    }
    pieces
}

#[cfg(test)]
mod tests {
    use domain::content::compliance::Severity;

    use super::*;

    fn issue(found: &str, position: usize) -> Issue {
        Issue {
            code: "RULE".into(),
            severity: Severity::Low,
            message: "is a promise".into(),
            remedy: "Leave it out.".into(),
            found: Some(found.to_owned()),
            position: Some(position),
            weight: 10,
        }
    }

    fn shown(text: &str, issues: &[Issue]) -> Vec<(String, bool)> {
        pieces(text, issues).into_iter().map(|piece| (piece.text, piece.is_marked)).collect()
    }

    #[test]
    fn passages_are_marked_by_characters_even_where_they_overlap() {
        let text = "Akwaaba ₵5 free money now";
        let parts = shown(text, &[issue("free money", 11), issue("money now", 16), issue("₵5", 8)]);
        let parts: Vec<_> = parts.iter().map(|(text, mark)| (text.as_str(), *mark)).collect();
        assert_eq!(
            parts,
            [("Akwaaba ", false), ("₵5", true), (" ", false), ("free money now", true)]
        );
    }

    #[test]
    fn a_passage_beyond_the_text_marks_nothing_else() {
        assert_eq!(shown("Hello", &[issue("no", 9)]), [("Hello".to_owned(), false)]);
        assert_eq!(shown("", &[issue("no", 0)]), []);
    }

    #[test]
    fn a_long_text_is_cut() {
        let parts = shown(&"a".repeat(MAX_SHOWN + 1), &[]);
        assert_eq!(parts.last(), Some(&("…".to_owned(), false)));
        assert_eq!(shown(&"a".repeat(MAX_SHOWN), &[]).len(), 1);
    }
}
