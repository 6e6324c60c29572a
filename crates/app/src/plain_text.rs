//! Texts of the documentation as a terminal shows them.

/// Returns a text in Markdown without back quotes and without the targets of links. A link that is
/// parenthesised by itself is left out.
pub(crate) fn plain(markdown: &str) -> String {
    let mut text = String::with_capacity(markdown.len());
    let mut rest = markdown;
    while let Some((before, label, after)) = next_link(rest) {
        match (before.strip_suffix(" ("), after.strip_prefix(')')) {
            (Some(before), Some(after)) => {
                text.push_str(before);
                rest = after;
            }
            _ => {
                text.push_str(before);
                text.push_str(label);
                rest = after;
            }
        }
    }
    text.push_str(rest);
    text.replace('`', "")
}

/// Returns the text before the first link, the text of the link, and the text after it.
fn next_link(text: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = text.split_once('[')?;
    let (label, rest) = rest.split_once("](")?;
    let (_, after) = rest.split_once(')')?;
    Some((before, label, after))
}

/// Returns a text in lines of at most `width` characters, broken between words.
pub(crate) fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_lose_their_targets_and_references_are_left_out() {
        let text = "limits `on` ([fraud](fraud.md)), as [decision 1](a.md#b) says";
        assert_eq!(plain(text), "limits on, as decision 1 says");
        assert_eq!(plain("an [array] (of two)"), "an [array] (of two)");
    }

    #[test]
    fn lines_are_broken_between_words() {
        assert_eq!(wrapped("one two  three four", 9), ["one two", "three", "four"]);
        assert_eq!(wrapped("unbreakable", 4), ["unbreakable"]);
    }
}
