//! Files of the tree, and the report of broken rules.

use std::{
    fs,
    path::{Path, PathBuf},
};

use toml::Table;

pub(crate) struct RustFile {
    /// Path from the top.
    pub(crate) name: String,
    pub(crate) text: String,
}

pub(crate) fn rust_files() -> Vec<RustFile> {
    let mut found = Vec::new();
    for folder in ["crates", "tests"] {
        for path in files(&root().join(folder)) {
            if path.extension().is_some_and(|extension| extension == "rs") {
                let text = fs::read_to_string(&path);
                let text = text.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
                found.push(RustFile { name: shown(&path), text });
            }
        }
    }
    found
}

pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().map(Path::to_owned).unwrap_or_default()
}

/// Returns a path as seen from the top.
pub(crate) fn shown(path: &Path) -> String {
    path.strip_prefix(root()).unwrap_or(path).display().to_string()
}

pub(crate) fn read_toml(path: &str) -> Table {
    let text = fs::read_to_string(root().join(path));
    let text = text.unwrap_or_else(|error| panic!("{path}: {error}"));
    text.parse().unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Returns the names in a folder.
pub(crate) fn entries(folder: &str) -> Vec<String> {
    let entries = fs::read_dir(root().join(folder)).into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().into_string().ok()).collect()
}

/// Returns all files below a folder; empty if it does not exist.
pub(crate) fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut found = Vec::new();
    for path in entries.map(|entry| entry.path()) {
        if path.is_dir() {
            found.extend(files(&path));
        } else {
            found.push(path);
        }
    }
    found.sort();
    found
}

#[track_caller]
pub(crate) fn assert_none(broken: &[impl AsRef<str>], rule: &str) {
    let broken: Vec<_> = broken.iter().map(AsRef::as_ref).collect();
    assert!(broken.is_empty(), "the rule: {rule}. What breaks it:\n  {}", broken.join("\n  "));
}
