//! Rights of files that contain secrets.

use std::{fs, os::unix::fs::PermissionsExt, path::PathBuf};

use super::{check::Finding, checks::FILES_PRIVATE};
use crate::config::{Config, Source};

const READ: u32 = 0o004;
const WRITE: u32 = 0o002;
/// Folder of the secrets of a container, which no other account enters.
const OF_CONTAINER: &str = "/run/secrets";

/// Examines the files that the settings name.
pub(super) fn examine(source: &Source, config: &Config) -> Finding {
    let mut files = source.secret_files();
    if source.has_secrets_in_file() {
        files.push(PathBuf::from("atumpan.toml"));
    }
    files.extend(config.delivery.providers.clone());
    let (mut written, mut read) = (Vec::new(), Vec::new());
    for file in files.iter().filter(|file| !file.starts_with(OF_CONTAINER)) {
        let Ok(metadata) = fs::metadata(file) else { continue };
        let (mode, file) = (metadata.permissions().mode(), file.display().to_string());
        if mode & WRITE != 0 {
            written.push(file);
        } else if mode & READ != 0 {
            read.push(file);
        }
    }
    if !written.is_empty() {
        return FILES_PRIVATE.fail(format!("everybody may write {}", written.join(", ")));
    }
    if !read.is_empty() {
        return FILES_PRIVATE.warn(format!("everybody may read {}", read.join(", ")));
    }
    match files.len() {
        0 => FILES_PRIVATE.ok("no file with secrets is named"),
        _ => FILES_PRIVATE.ok("others may not read the files with secrets"),
    }
}
