//! Rule that links between pages lead to files, and their anchors to headings.

use super::{
    page::{Page, all_pages},
    targets::Targets,
};
use crate::tree::{assert_none, root};

#[test]
fn a_link_between_pages_leads_to_a_file_and_a_heading() {
    let broken = broken(&all_pages(), |file: &str| root().join(file).exists());
    assert_none(&broken, "links between pages lead to files, and their anchors to headings");
}

/// Returns the links that lead nowhere, each with its page and the reason.
fn broken(pages: &[Page], exists: impl Fn(&str) -> bool) -> Vec<String> {
    let targets = Targets::new(pages, exists);
    let mut broken = Vec::new();
    for page in pages {
        for link in page.links() {
            broken.extend(targets.fault(&link).map(|fault| format!("{}: {fault}", page.name)));
        }
    }
    broken
}

#[test]
fn links_to_missing_files_and_headings_are_named() {
    let text = "# A title\n\n[a](#a-title) [b](b.md#b) [c](b.md#c) [d](d.md) [e](e/)\n";
    let pages = [Page::of("docs/a.md", text), Page::of("docs/b.md", "# B\n")];

    let found = broken(&pages, |file| ["docs/a.md", "docs/b.md", "docs/e"].contains(&file));

    assert_eq!(
        found,
        ["docs/a.md: docs/b.md has no heading #c", "docs/a.md: docs/d.md is missing"]
    );
}
