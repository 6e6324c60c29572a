//! Files of the repository.

use std::{
    fs,
    path::{Path, PathBuf},
};

/// Program that the packages contain.
pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_atumpan");

/// Returns a path from the top of the repository.
pub(crate) fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(name)
}

/// Returns the text of a file.
#[track_caller]
pub(crate) fn read(name: &str) -> String {
    fs::read_to_string(path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Returns a text with a part replaced that must be in it.
#[track_caller]
pub(crate) fn replaced(text: &str, part: &str, by: &str) -> String {
    assert!(text.contains(part), "{part}");
    text.replace(part, by)
}
