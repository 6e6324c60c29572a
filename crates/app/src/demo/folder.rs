//! Folder of the demonstration, which holds nothing else.

use std::{
    fs::{self, DirBuilder},
    io::{self, ErrorKind},
    os::unix::fs::DirBuilderExt,
    path::{Path, PathBuf},
};

use thiserror::Error;

use crate::embedded::EmbeddedPostgres;

/// File that marks the folder, and says how far its making got.
const MARK: &str = "demo";
const BEGUN: &str = "begun\n";
const COMPLETE: &str = "complete\n";

/// Folder of a demonstration.
#[derive(Debug)]
pub(super) struct Folder {
    path: PathBuf,
    is_complete: bool,
}

/// Reason why a folder cannot hold the demonstration.
#[derive(Debug, Error)]
pub(super) enum FolderError {
    /// The folder holds something else.
    #[error("{} holds something that is no demo; name another folder with --data-dir", .0.display())]
    Foreign(PathBuf),
    /// Another process uses it.
    #[error("a demo that is running uses {}; stop it first", .0.display())]
    InUse(PathBuf),
    /// It cannot be read or written.
    #[error("{}: {}", .0.display(), .1)]
    Io(PathBuf, io::Error),
}

impl Folder {
    /// Opens a folder, and creates it if it is missing. A demonstration whose making was interrupted, or
    /// any if `is_fresh`, is removed first.
    pub(super) fn open(path: &Path, is_fresh: bool) -> Result<Self, FolderError> {
        let failed = |error| FolderError::Io(path.to_owned(), error);
        match fs::read_to_string(path.join(MARK)) {
            Ok(mark) if mark == COMPLETE && !is_fresh => {
                return Ok(Self { path: path.to_owned(), is_complete: true });
            }
            Ok(_) if EmbeddedPostgres::is_used(path) => {
                return Err(FolderError::InUse(path.to_owned()));
            }
            Ok(_) => fs::remove_dir_all(path).map_err(failed)?,
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(failed(error)),
            Err(_) if path.exists() && !is_empty(path).map_err(failed)? => {
                return Err(FolderError::Foreign(path.to_owned()));
            }
            Err(_) => {}
        }
        DirBuilder::new().recursive(true).mode(0o700).create(path).map_err(failed)?;
        let folder = Self { path: path.to_owned(), is_complete: false };
        folder.mark(BEGUN)?;
        Ok(folder)
    }

    /// True if it holds a whole demonstration.
    pub(super) const fn is_complete(&self) -> bool {
        self.is_complete
    }

    /// Marks the demonstration as whole.
    pub(super) fn complete(&self) -> Result<(), FolderError> {
        self.mark(COMPLETE)
    }

    fn mark(&self, text: &str) -> Result<(), FolderError> {
        let written = fs::write(self.path.join(MARK), text);
        written.map_err(|error| FolderError::Io(self.path.clone(), error))
    }
}

fn is_empty(path: &Path) -> io::Result<bool> {
    Ok(fs::read_dir(path)?.next().is_none())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_whole_demo_is_kept_and_an_interrupted_one_is_made_anew() {
        let parent = tempfile::tempdir().unwrap();
        let path = parent.path().join("demo");
        let made = path.join("made");

        let folder = Folder::open(&path, false).unwrap();
        assert!(!folder.is_complete());
        fs::write(&made, "").unwrap();
        assert!(!Folder::open(&path, false).unwrap().is_complete());
        assert!(!made.exists(), "it was interrupted");

        fs::write(&made, "").unwrap();
        folder.complete().unwrap();
        assert!(Folder::open(&path, false).unwrap().is_complete());
        assert!(made.exists());
        assert!(!Folder::open(&path, true).unwrap().is_complete());
        assert!(!made.exists(), "it was asked to begin anew");
    }

    #[test]
    fn a_folder_with_anything_else_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("letter");
        fs::write(&file, "Dear Esi").unwrap();

        for is_fresh in [false, true] {
            let error = Folder::open(folder.path(), is_fresh).unwrap_err();
            assert!(matches!(error, FolderError::Foreign(_)), "{error}");
        }

        assert!(file.exists());
    }
}
