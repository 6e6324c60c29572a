//! Tests of the list of checks and of its page.

use std::{collections::BTreeSet, fs, path::Path};

use super::*;

fn page() -> String {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/operations/doctor.md");
    fs::read_to_string(page).unwrap()
}

#[test]
fn codes_are_unique_and_fit_for_an_address() {
    let codes: BTreeSet<_> = ALL.iter().map(|check| check.code).collect();
    assert_eq!(codes.len(), ALL.len());
    assert!(ALL.len() >= 20);
    for code in codes {
        assert!(code.bytes().all(|it| it.is_ascii_lowercase() || it == b'-'), "{code}");
    }
}

#[test]
fn the_page_has_a_section_for_each_code_and_no_other() {
    let page = page();
    let sections: Vec<_> = page.lines().filter_map(|line| line.strip_prefix("### ")).collect();
    let codes: Vec<_> = ALL.iter().map(|check| check.code).collect();
    assert_eq!(sections, codes);
}
