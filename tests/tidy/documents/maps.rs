//! Rule that each page is on the maps of its readers.

use std::collections::BTreeSet;

use super::page::{Page, all_pages};
use crate::tree::assert_none;

const MAP: &str = "docs/README.md";
const DECISIONS: &str = "docs/decisions/README.md";

/// Maps, each with the beginning of the paths of the pages that are on it.
const MAPS: [(&str, &str); 4] = [
    (MAP, "docs/"),
    ("docs/operations.md", "docs/operations/"),
    ("docs/guide/README.md", "docs/guide/"),
    (DECISIONS, "docs/decisions/"),
];

#[test]
fn each_page_is_on_the_map_of_its_readers() {
    let pages = all_pages();
    let missing: Vec<_> = MAPS.iter().flat_map(|(map, of)| missing(&pages, map, of)).collect();
    assert_none(&missing, "maps list all pages");
}

/// Returns the pages that begin with `of` and to which a map has no link. Decisions are on a map of their own.
fn missing(pages: &[Page], map: &str, of: &str) -> Vec<String> {
    let Some(page) = pages.iter().find(|page| page.name == map) else {
        return vec![format!("{map} is missing")];
    };
    let listed: BTreeSet<_> = page.links().into_iter().map(|link| link.file).collect();
    let names = pages.iter().map(|page| page.name.as_str()).filter(|name| name.starts_with(of));
    let is_decision = |name: &str| name.starts_with("docs/decisions/") && name != DECISIONS;
    let wanted = names.filter(|name| *name != map && (map == DECISIONS || !is_decision(name)));
    let missing = wanted.filter(|name| !listed.contains(*name));
    missing.map(|name| format!("{map} has no link to {name}")).collect()
}

#[test]
fn a_page_to_which_a_map_has_no_link_is_named() {
    let pages = [
        Page::of(MAP, "[a](a.md) [decisions](decisions/README.md)"),
        Page::of("docs/a.md", ""),
        Page::of("docs/b.md", ""),
        Page::of(DECISIONS, "[1](0001-one.md)"),
        Page::of("docs/decisions/0001-one.md", ""),
        Page::of("docs/decisions/0002-two.md", ""),
    ];
    assert_eq!(missing(&pages, MAP, "docs/"), ["docs/README.md has no link to docs/b.md"]);
    let expected = ["docs/decisions/README.md has no link to docs/decisions/0002-two.md"];
    assert_eq!(missing(&pages, DECISIONS, "docs/decisions/"), expected);
    assert_eq!(missing(&pages, "docs/c.md", "docs/"), ["docs/c.md is missing"]);
}
