//! Rule that pages are short enough to be read.

use super::page::{Page, all_pages};
use crate::tree::assert_none;

/// Maximum lengths, in lines: of the page of the project, a page of the guide, another page, and the page of a
/// crate.
const FRONT: usize = 150;
const TASK: usize = 200;
const PAGE: usize = 300;
const CRATE: usize = 40;

#[test]
fn each_page_is_short_enough_to_read() {
    assert_none(&too_long(&all_pages()), "pages are short");
}

/// Returns the pages that are too long, with their lengths.
fn too_long(pages: &[Page]) -> Vec<String> {
    let mut broken = Vec::new();
    for page in pages {
        let lines = page.text.lines().count();
        let limit = limit(&page.name).filter(|limit| lines > *limit);
        broken
            .extend(limit.map(|limit| format!("{}: {lines} lines, more than {limit}", page.name)));
    }
    broken
}

/// Returns the maximum length of a page; `None` for lists that grow.
fn limit(page: &str) -> Option<usize> {
    let is_free = page.ends_with("CHANGELOG.md") || page.starts_with("docs/decisions/");
    match page {
        _ if is_free => None,
        "README.md" => Some(FRONT),
        page if page.starts_with("docs/guide/") => Some(TASK),
        page if page.starts_with("docs/") || page.starts_with("clients/") => Some(PAGE),
        page if page.starts_with("crates/") => Some(CRATE),
        _ => None,
    }
}

#[test]
fn a_page_that_is_too_long_is_named() {
    let pages =
        ["README.md", "docs/guide/a.md", "docs/b/c.md", "docs/CHANGELOG.md", "crates/d/README.md"]
            .map(|name| Page::of(name, &"x\n".repeat(151)));
    let found = too_long(&pages);
    assert_eq!(
        found,
        ["README.md: 151 lines, more than 150", "crates/d/README.md: 151 lines, more than 40",]
    );
    assert_eq!(too_long(&[Page::of("docs/guide/a.md", &"x\n".repeat(201))]).len(), 1);
    assert_eq!(too_long(&[Page::of("docs/a.md", &"x\n".repeat(301))]).len(), 1);
}
