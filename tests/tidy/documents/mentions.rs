//! Rule that pages are there which others than pages name: code, help texts, log lines, alerts, scripts and
//! files of deployments.

use std::{
    fs,
    path::{Path, PathBuf},
};

use super::{
    page::{Link, all_pages},
    targets::Targets,
};
use crate::tree::{assert_none, root, shown};

const FOLDER: &str = "docs/";
/// Files, and folders with files, that may name pages.
const SOURCES: [&str; 9] = [
    ".ci",
    "Cargo.toml",
    "clients",
    "crates",
    "docs/deploy",
    "docs/openapi.json",
    "justfile",
    "migrations",
    "tests",
];
/// Folders of what is installed or built.
const MADE: [&str; 5] = ["__pycache__", "build", "dist", "node_modules", "vendor"];
/// Folder of rules, whose own tests name pages that are missing.
const RULES: &str = "tests/tidy/";
/// Ending of a file that a recipe writes before it replaces another.
const UNFINISHED: &str = ".new";

#[test]
fn a_page_that_code_names_is_there() {
    let targets = Targets::new(&all_pages(), |file: &str| root().join(file).exists());
    let paths = SOURCES.iter().flat_map(|source| sources(&root().join(source)));
    let mut broken = Vec::new();
    for path in paths {
        let name = shown(&path);
        let is_page = path.extension().is_some_and(|extension| extension == "md");
        if is_page || name.starts_with(RULES) {
            continue;
        }
        // Pictures and the like are no texts.
        let Ok(text) = fs::read_to_string(&path) else { continue };
        for (line, link) in mentions(&text) {
            broken.extend(targets.fault(&link).map(|fault| format!("{name}:{line}: {fault}")));
        }
    }
    assert_none(&broken, "what code, texts and scripts name in docs/ is there");
}

/// Returns the files below a path, without those that were installed or built.
fn sources(path: &Path) -> Vec<PathBuf> {
    if path.is_file() {
        return vec![path.to_owned()];
    }
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    if MADE.contains(&name) {
        return Vec::new();
    }
    let entries = fs::read_dir(path).into_iter().flatten().flatten();
    let mut found: Vec<_> = entries.flat_map(|entry| sources(&entry.path())).collect();
    found.sort();
    found
}

/// Returns the files in `docs` that a text names, each with its line.
fn mentions(text: &str) -> Vec<(usize, Link)> {
    let mut found = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let starts = line.match_indices(FOLDER).map(|(at, _)| line.split_at(at));
        for (_, rest) in starts.filter(|(before, _)| is_start(before)) {
            let end = rest.find(|letter: char| !is_of_path(letter)).unwrap_or(rest.len());
            let path = rest[..end].trim_end_matches(['.', '#', '-', '/']);
            if !path.ends_with(UNFINISHED) {
                found.push((index + 1, Link::from_top(path)));
            }
        }
    }
    found
}

/// True if a path can begin after this text: it is not the path of an address on the web.
fn is_start(before: &str) -> bool {
    before.ends_with("../") || !before.ends_with(is_of_path)
}

fn is_of_path(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || ['/', '.', '-', '_', '#'].contains(&letter)
}

#[test]
fn names_of_pages_are_found_in_code_and_not_in_addresses() {
    let text = "// See docs/a.md.\nconst B: &str = \"../../docs/b/c.md#d-e\";\n<https://f.org/docs/g.md>\n\
                cp x docs/h.json.new\nformat!(\"docs/i.md#{code}\")";

    let found = mentions(text).into_iter().map(|(line, link)| format!("{line}: {}", link.file));

    let expected = ["1: docs/a.md", "2: docs/b/c.md", "5: docs/i.md"];
    assert_eq!(found.collect::<Vec<_>>(), expected);
    assert_eq!(mentions(text)[1].1.anchor.as_deref(), Some("d-e"));
}

#[test]
fn a_page_that_was_renamed_is_missed_where_it_is_named() {
    let targets = Targets::new(&[], |file: &str| file == "docs/new.md");
    let found = mentions("docs/new.md\n# See docs/old.md.");
    let faults: Vec<_> = found.iter().filter_map(|(_, link)| targets.fault(link)).collect();
    assert_eq!(faults, ["docs/old.md is missing"]);
}
