//! Beginnings of long texts.

/// Returns a text, or the first `most` characters of a longer one with a mark.
pub(crate) fn beginning(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_is_cut() {
        assert_eq!(beginning("Akwaaba", 7), "Akwaaba");
        assert_eq!(beginning(&"é".repeat(8), 7), "é".repeat(7) + "…");
    }
}
