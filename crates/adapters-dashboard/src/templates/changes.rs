//! Differences between the versions of a text.

use crate::formats::beginning;

/// Maximum number of characters that are shown beside a change.
const CONTEXT: usize = 160;
/// Maximum number of characters that are shown of what was added or removed.
const MAX_CHANGED: usize = 1_000;

/// Part of a text that changed, with what is around it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Change {
    pub(crate) before: String,
    pub(crate) removed: String,
    pub(crate) added: String,
    pub(crate) after: String,
}

/// Returns the change from the old text to the new one, in whole words: from the first word that
/// differs to the last one. `None` if they are the same.
pub(crate) fn change(old: &str, new: &str) -> Option<Change> {
    if old == new {
        return None;
    }
    let (old, new) = (words(old), words(new));
    let same_before = old.iter().zip(&new).take_while(|(old, new)| old == new).count();
    let left = old.len().min(new.len()) - same_before;
    let backwards = old.iter().rev().zip(new.iter().rev()).take(left);
    let same_after = backwards.take_while(|(old, new)| old == new).count();
    let changed = |words: &[&str]| {
        let changed = words.get(same_before..words.len() - same_after).unwrap_or_default();
        beginning(&changed.concat(), MAX_CHANGED)
    };
    let before = new.get(..same_before).unwrap_or_default();
    let after = new.get(new.len() - same_after..).unwrap_or_default();
    Some(Change {
        before: ending(&before.concat()),
        removed: changed(&old),
        added: changed(&new),
        after: beginning(&after.concat(), CONTEXT),
    })
}

/// Returns the words of a text, each with the blank after it.
fn words(text: &str) -> Vec<&str> {
    text.split_inclusive(char::is_whitespace).collect()
}

fn ending(text: &str) -> String {
    match text.char_indices().rev().nth(CONTEXT - 1) {
        Some((start, _)) if start > 0 => format!("…{}", text.get(start..).unwrap_or_default()),
        _ => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(old: &str, new: &str) -> [String; 4] {
        let Change { before, removed, added, after } = change(old, new).unwrap();
        [before, removed, added, after]
    }

    #[test]
    fn a_change_is_in_whole_words_with_what_is_around_it() {
        for (old, new, expected) in [
            ("Your order is in.", "Your order waits.", ["Your order ", "is in.", "waits.", ""]),
            ("Hello Ama", "Hello dear Ama", ["Hello ", "", "dear ", "Ama"]),
            ("to to you", "to you", ["to ", "to ", "", "you"]),
            ("", "Hello", ["", "", "Hello", ""]),
        ] {
            assert_eq!(parts(old, new), expected, "{old:?} to {new:?}");
        }
        assert_eq!(change("same", "same"), None);
    }

    #[test]
    fn long_texts_are_shown_around_the_change_only() {
        let long = "word ".repeat(100);
        let [before, removed, added, after] =
            parts(&format!("{long}old {long}"), &format!("{long}new {long}"));
        assert_eq!((removed.as_str(), added.as_str()), ("old ", "new "));
        assert_eq!((before.chars().count(), after.chars().count()), (CONTEXT + 1, CONTEXT + 1));
        assert!(before.starts_with('…') && after.ends_with('…'));
    }
}
