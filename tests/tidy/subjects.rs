//! Subjects: the folders into which each crate is divided, and the direction of their dependencies.

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    modules::Crate,
    tree::{assert_none, entries, rust_files},
};

/// Subjects, each with the subjects that it may import. `docs/architecture.md` draws them.
pub(crate) const SUBJECTS: &[(&str, &[&str])] = &[
    ("shared", &[]),
    ("identity", &["shared"]),
    ("webhooks", &["shared", "identity"]),
    ("money", &["shared", "identity", "webhooks"]),
    ("content", &["shared", "identity", "money"]),
    ("providers", &["shared", "identity"]),
    ("messaging", &["shared", "identity", "money", "content", "webhooks", "providers"]),
    ("audience", &["shared", "identity", "webhooks", "messaging"]),
    (
        "outreach",
        &[
            "shared",
            "identity",
            "money",
            "content",
            "webhooks",
            "providers",
            "messaging",
            "audience",
        ],
    ),
    (
        "platform",
        &[
            "shared",
            "identity",
            "money",
            "content",
            "webhooks",
            "providers",
            "messaging",
            "audience",
            "outreach",
        ],
    ),
];

/// Folders divided into subjects, each with the other modules in it.
const DIVIDED: &[(&str, &[&str])] = &[
    ("crates/domain/src", &[]),
    ("crates/ports/src", &[]),
    ("crates/usecases/src", &[]),
    ("crates/adapters-memory/src", &[]),
    ("crates/adapters-postgres/src", &[]),
    ("crates/adapters-http/src/inbound", &["tests"]),
    ("tests/acceptance", &["dashboard"]),
    ("tests/repositories", &[]),
];

/// Files that import every subject by their nature: doubles of all ports, and rows of all tables.
const LISTS: [&str; 1] = ["crates/ports/src/shared/mock.rs"];

#[test]
fn subjects_depend_in_one_direction() {
    let mut earlier = BTreeSet::new();
    let mut broken = Vec::new();
    for (subject, allowed) in SUBJECTS {
        let later = allowed.iter().filter(|other| !earlier.contains(*other));
        broken
            .extend(later.map(|other| format!("{subject} may import {other}, which comes later")));
        earlier.insert(subject);
    }
    assert_none(&broken, "SUBJECTS in tests/tidy has no circle");
}

#[test]
fn a_root_holds_subjects_only() {
    let mut broken = Vec::new();
    for (root, beside) in DIVIDED {
        for entry in entries(root) {
            let name = entry.strip_suffix(".rs").unwrap_or(&entry);
            let is_root = ["lib", "main"].contains(&name);
            let is_subject = SUBJECTS.iter().any(|(subject, _)| *subject == name);
            if !is_root && !is_subject && !beside.contains(&name) {
                broken.push(format!("{root}/{entry}"));
            }
        }
    }
    assert_none(&broken, "modules lie in the folder of their subject");
}

#[test]
fn subjects_import_only_allowed_subjects() {
    let files = rust_files();
    let may: BTreeMap<_, _> = SUBJECTS.iter().copied().collect();
    let divided = DIVIDED.iter().filter(|(root, _)| root.starts_with("crates/"));
    let roots: Vec<_> = divided.map(|(root, _)| format!("{root}/")).collect();
    let subject_of = |file: &str| {
        let rest = roots.iter().find_map(|root| file.strip_prefix(root.as_str()))?;
        let name = rest.split(['/', '.']).next()?;
        SUBJECTS.iter().find(|(subject, _)| *subject == name).map(|(subject, _)| *subject)
    };
    let mut broken = Vec::new();
    for all in Crate::all(&files) {
        for (index, module) in all.modules.iter().enumerate() {
            let Some(subject) = subject_of(module.file) else { continue };
            if LISTS.contains(&module.file) || is_for_tests(module.file) {
                continue;
            }
            for (used, path) in all.used_by(index) {
                let Some(other) = subject_of(all.modules[used].file) else { continue };
                if other != subject && !may[subject].contains(&other) {
                    broken.push(format!("{}: {path} ({subject} imports {other})", module.file));
                }
            }
        }
    }
    assert_none(&broken, "subjects import what SUBJECTS in tests/tidy lists");
}

fn is_for_tests(file: &str) -> bool {
    file.ends_with("tests.rs") || file.contains("/tests/") || file.contains("/fixtures")
}
