//! Rule that files of the repository which pages for users and operators name are there.

use super::page::{Page, all_pages};
use crate::tree::{assert_none, root};

/// Folders of the repository that begin a path.
const FOLDERS: [&str; 6] = [".ci/", "clients/", "crates/", "docs/", "migrations/", "tests/"];
/// Letters of a place in a path for which readers put something of their own.
const OPEN: [char; 4] = ['<', '*', '{', '…'];

#[test]
fn a_file_that_a_page_names_is_there() {
    let mut pages = all_pages();
    pages.retain(|page| is_for_users(&page.name));
    let missing = missing(&pages, |path| root().join(path).exists());
    assert_none(&missing, "pages for users and operators name files that are there");
}

/// True for pages of those who use the service. Others name files as they were when they were written, or as seen
/// from a crate.
fn is_for_users(page: &str) -> bool {
    let folders = ["docs/guide/", "docs/operations/"];
    let pages = ["README.md", "docs/README.md", "docs/configuration.md", "docs/operations.md"];
    pages.contains(&page) || folders.iter().any(|folder| page.starts_with(*folder))
}

/// Returns the paths of the repository that pages name between words and that are missing.
fn missing(pages: &[Page], exists: impl Fn(&str) -> bool) -> Vec<String> {
    let mut missing = Vec::new();
    for page in pages {
        for code in page.inline_code() {
            let paths = code.split_whitespace().map(certain);
            let own = paths.filter(|path| FOLDERS.iter().any(|folder| path.starts_with(*folder)));
            let broken = own.filter(|path| !exists(path));
            missing.extend(broken.map(|path| format!("{}: {path} is missing", page.name)));
        }
    }
    missing
}

/// Returns a path up to the folder before the first open place in it.
fn certain(path: &str) -> &str {
    let path = path.split_once('#').map_or(path, |(file, _)| file);
    let Some((before, _)) = path.split_once(OPEN) else { return path };
    before.rsplit_once('/').map_or(before, |(folder, _)| folder)
}

#[test]
fn missing_files_of_a_page_are_named() {
    let text = "`docs/a.md` and `docs/b.md`, `cp crates/c/<name>.rs /etc/docs/d.md`, docs/e.md\n\n\
                ```sh\ncat docs/f.md\n```\n";
    let page = Page::of("docs/guide/a.md", text);
    let found = missing(&[page], |path| ["docs/a.md", "crates/x"].contains(&path));
    let expected =
        ["docs/guide/a.md: docs/b.md is missing", "docs/guide/a.md: crates/c is missing"];
    assert_eq!(found, expected);
}
