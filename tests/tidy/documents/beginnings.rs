//! Rule that a page begins with a title, and then says for whom it is.

use super::page::{Page, all_pages};
use crate::tree::assert_none;

/// Beginnings of what is no sentence: headings, tables, blocks, lists, comments and quotations.
const NO_SENTENCES: [&str; 7] = ["#", "|", "```", "- ", "* ", "<", ">"];

#[test]
fn each_page_begins_with_a_title_and_a_sentence() {
    let pages = all_pages();
    // Decisions have sections of their own, and a list of changes begins with the newest.
    let is_other =
        |page: &str| page.starts_with("docs/decisions/0") || page.ends_with("CHANGELOG.md");
    let faults = pages.iter().filter(|page| !is_other(&page.name)).filter_map(fault);
    assert_none(&faults.collect::<Vec<_>>(), "a page begins with a title and a paragraph");
}

/// Returns the reason why a page begins in another way; `None` if it begins well.
fn fault(page: &Page) -> Option<String> {
    let mut lines = page.text.lines();
    let title = lines.next().and_then(|line| line.strip_prefix("# "));
    if title.is_none_or(|title| title.trim().is_empty()) {
        return Some(format!("{}: the first line is no title", page.name));
    }
    let mut lines = lines.skip_while(|line| line.is_empty()).take_while(|line| !line.is_empty());
    let first = lines.next().unwrap_or_default();
    let last = lines.last().unwrap_or(first).trim_end();
    let is_sentence = !NO_SENTENCES.iter().any(|beginning| first.starts_with(*beginning));
    let is_ended = last.ends_with(['.', ':']);
    (!is_sentence || !is_ended).then(|| format!("{}: no sentence follows the title", page.name))
}

#[test]
fn a_page_without_a_title_or_a_sentence_is_named() {
    let named = |text: &str| fault(&Page::of("a.md", text));
    assert_eq!(named("# A title\n\nThis page is for all.\n\n## A heading\n"), None);
    assert_eq!(named("# A title\n\nThis page is\nfor [all](b.md).\n"), None);
    assert_eq!(named("A sentence.\n").as_deref(), Some("a.md: the first line is no title"));
    let others =
        ["# A\n", "# A\n\n## B\n\nA sentence.", "# A\n\n| b |\n", "# A\n\n- b.\n", "# A\n\nWords"];
    for text in others {
        assert_eq!(named(text).as_deref(), Some("a.md: no sentence follows the title"), "{text}");
    }
}
