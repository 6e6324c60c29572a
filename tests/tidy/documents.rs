//! Rules of the documentation: every page is on the map, every setting on its page, and links lead to
//! files.

#![expect(clippy::unwrap_used, reason = "a test reports by panicking")]

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use crate::tree::{assert_none, files, root, shown};

const MAP: &str = "docs/README.md";
const ENTRY: &str = "docs/operations.md";
const SETTINGS: &str = "docs/operations/settings.md";
const TABLE: &str = "crates/app/src/config/settings.rs";
/// Maximum length of a page for operators, in lines.
const MAX_PAGE: usize = 300;
/// Rows that are no settings of the service: the filter of the log, and what a build reads.
const OTHER_ROWS: [&str; 2] = ["ATUMPAN_COMMIT", "RUST_LOG"];

#[test]
fn each_page_is_on_the_map_of_its_readers() {
    let pages = pages(&root().join("docs"));
    let map = targets(MAP);
    // Decisions are grouped in `docs/architecture.md`.
    let is_decision = |page: &&String| page.starts_with("docs/decisions/");
    let missing: Vec<_> = pages
        .iter()
        .filter(|page| *page != MAP && !is_decision(page) && !map.contains(*page))
        .collect();
    assert_none(&missing, &format!("{MAP} lists every page"));

    let entry = targets(ENTRY);
    let of_operators = pages.iter().filter(|page| page.starts_with("docs/operations/"));
    let missing: Vec<_> = of_operators.filter(|page| !entry.contains(*page)).collect();
    assert_none(&missing, &format!("{ENTRY} lists every page for operators"));
}

#[test]
fn each_decision_is_in_the_list_of_decisions() {
    let list = targets("docs/architecture.md");
    let decisions = pages(&root().join("docs/decisions"));
    let missing: Vec<_> = decisions.iter().filter(|page| !list.contains(*page)).collect();
    assert_none(&missing, "docs/architecture.md groups all decisions");
}

#[test]
fn a_link_between_pages_leads_to_a_file() {
    let pages = pages(&root().join("docs")).into_iter().chain(["README.md".to_owned()]);
    let broken: Vec<_> = pages
        .flat_map(|page| targets(&page).into_iter().map(move |target| (page.clone(), target)))
        .filter(|(_, target)| !root().join(target).exists())
        .map(|(page, target)| format!("{page}: {target}"))
        .collect();
    assert_none(&broken, "links lead to files");
}

#[test]
fn a_page_for_operators_is_short_enough_to_read() {
    let pages = pages(&root().join("docs/operations")).into_iter().chain([ENTRY.to_owned()]);
    let long = pages.map(|page| (read(&page).lines().count(), page));
    let broken: Vec<_> = long
        .filter(|(lines, _)| *lines > MAX_PAGE)
        .map(|(lines, page)| format!("{page}: {lines} lines, more than {MAX_PAGE}"))
        .collect();
    assert_none(&broken, "pages for operators are short");
}

#[test]
fn each_setting_has_a_row_on_its_page() {
    let table = read(TABLE);
    let known: BTreeSet<_> = settings(&table).collect();
    assert!(known.len() > 40, "{known:?}");
    let page = read(SETTINGS);
    let rows = page.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next());
    let rows: BTreeSet<_> = rows.filter(|row| !OTHER_ROWS.contains(row)).collect();

    let difference: Vec<_> = known.symmetric_difference(&rows).collect();
    assert_none(&difference, &format!("{SETTINGS} has the settings of {TABLE}"));
}

/// Returns the names of settings, which are the literals of capital letters in the table.
fn settings(table: &str) -> impl Iterator<Item = &str> {
    let is_letter = |letter: u8| letter.is_ascii_uppercase() || letter == b'_';
    let is_name = move |name: &&str| !name.is_empty() && name.bytes().all(is_letter);
    table.split('"').skip(1).step_by(2).filter(is_name)
}

/// Returns the pages below a folder, as seen from the top.
fn pages(folder: &Path) -> Vec<String> {
    let is_page = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "md");
    files(folder).into_iter().filter(is_page).map(|path| shown(&path)).collect()
}

fn read(page: &str) -> String {
    fs::read_to_string(root().join(page)).unwrap()
}

/// Returns the files to which a page links, as seen from the top, without blocks of code.
fn targets(page: &str) -> BTreeSet<String> {
    let text = read(page);
    let prose = text.split("```").step_by(2).flat_map(|part| part.split("](").skip(1));
    let links = prose.filter_map(|rest| rest.split([')', '#', ' ']).next());
    let own = links.filter(|link| !link.is_empty() && !link.contains(':'));
    let folder = Path::new(page).parent().unwrap_or(Path::new(""));
    own.map(|link| plain(&folder.join(link))).collect()
}

/// Returns a path without `..`.
fn plain(path: &Path) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.iter().filter_map(|part| part.to_str()) {
        match part {
            ".." => {
                parts.pop();
            }
            "." => {}
            part => parts.push(part),
        }
    }
    parts.join("/")
}

#[test]
fn finds_links_outside_of_blocks_and_names_of_settings() {
    assert_eq!(plain(Path::new("docs/operations/../README.md")), "docs/README.md");
    let found: Vec<_> = settings(r#"("ATUMPAN_LOG", "x"), "***", ("DATABASE_URL""#).collect();
    assert_eq!(found, ["ATUMPAN_LOG", "DATABASE_URL"]);
}
