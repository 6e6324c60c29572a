//! Limits of this machine: disk, rights and open files.

use std::path::Path;

use rustix::{
    fs::{Access, StatVfs, access, statvfs},
    process::{Resource, getrlimit},
};

use super::{
    check::Finding,
    checks::{DATA_DIRECTORY, DISK_SPACE, FILE_DESCRIPTORS},
    is_production,
};
use crate::config::Config;

const GIB: u64 = 1 << 30;
/// Room below which the disk is nearly full: both of these.
const LOW_ROOM: u64 = 2 * GIB;
const LOW_PERCENT: u64 = 10;
/// Room below which the database may stop at any time.
const NO_ROOM: u64 = GIB / 4;
/// Files of the process beside those of clients and messages: the database, logs and timers.
const OWN_FILES: u64 = 256;

/// Examines this machine.
pub(super) fn examine(config: &Config) -> Vec<Finding> {
    vec![disk(&config.storage.data_dir), data_directory(config), descriptors(config)]
}

/// Returns the folder itself, or the nearest one above that exists.
fn existing(folder: &Path) -> &Path {
    let found = folder.ancestors().find(|it| !it.as_os_str().is_empty() && it.exists());
    found.unwrap_or(Path::new("."))
}

fn disk(data_dir: &Path) -> Finding {
    let folder = existing(data_dir);
    match statvfs(folder) {
        Ok(disk) => judge_disk(&Room::of(&disk), &folder.display().to_string()),
        Err(error) => DISK_SPACE.warn(format!("{} cannot be examined: {error}", folder.display())),
    }
}

/// Room on a disk.
#[derive(Debug, Clone, Copy)]
struct Room {
    bytes: u64,
    free_bytes: u64,
    files: u64,
    free_files: u64,
}

impl Room {
    fn of(disk: &StatVfs) -> Self {
        Self {
            bytes: disk.f_blocks.saturating_mul(disk.f_frsize),
            free_bytes: disk.f_bavail.saturating_mul(disk.f_frsize),
            files: disk.f_files,
            free_files: disk.f_favail,
        }
    }
}

fn judge_disk(room: &Room, folder: &str) -> Finding {
    // Some file systems count no inodes.
    let few_files = room.files > 0 && room.free_files < room.files / 100 * LOW_PERCENT / 2;
    let message = format!("{} MiB are free at {folder}", room.free_bytes >> 20);
    if room.free_bytes < NO_ROOM {
        DISK_SPACE.fail(message)
    } else if room.free_bytes < LOW_ROOM && room.free_bytes < room.bytes / 100 * LOW_PERCENT {
        DISK_SPACE.warn(message)
    } else if few_files {
        DISK_SPACE.warn(format!("{} inodes are free at {folder}", room.free_files))
    } else {
        DISK_SPACE.ok(message)
    }
}

fn data_directory(config: &Config) -> Finding {
    let is_needed = config.storage.database_url.is_none() || config.security.jwt_secret.is_none();
    if !is_needed {
        return DATA_DIRECTORY.skipped("the service keeps nothing in it");
    }
    let folder = existing(&config.storage.data_dir);
    if !folder.is_dir() {
        return DATA_DIRECTORY.fail(format!("{} is not a directory", folder.display()));
    }
    match access(folder, Access::WRITE_OK | Access::EXEC_OK) {
        Ok(()) => DATA_DIRECTORY.ok(format!("{} can be written", folder.display())),
        Err(error) => {
            DATA_DIRECTORY.fail(format!("{} cannot be written: {error}", folder.display()))
        }
    }
}

fn descriptors(config: &Config) -> Finding {
    let clients = config.server.clients.connections as u64;
    let needed = clients + config.delivery.workers as u64 + OWN_FILES;
    match getrlimit(Resource::Nofile).current {
        Some(limit) if limit < needed => {
            let message = format!(
                "{limit} files may be open, and {clients} clients may need {needed}; the service has \
                 another limit if its unit sets one"
            );
            if is_production(config) || limit < OWN_FILES {
                FILE_DESCRIPTORS.warn(message)
            } else {
                FILE_DESCRIPTORS.ok(message)
            }
        }
        Some(limit) => FILE_DESCRIPTORS.ok(format!("{limit} files may be open")),
        None => FILE_DESCRIPTORS.ok("any number of files may be open"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::Status;

    const USUAL: Room =
        Room { bytes: 100 * GIB, free_bytes: 50 * GIB, files: 1_000_000, free_files: 900_000 };

    fn judged(room: Room) -> Status {
        judge_disk(&room, "/data").status
    }

    #[test]
    fn a_disk_without_room_or_inodes_is_reported() {
        assert_eq!(judged(USUAL), Status::Ok);
        assert_eq!(judged(Room { free_bytes: 100 << 20, ..USUAL }), Status::Fail);
        assert_eq!(judged(Room { free_bytes: GIB, ..USUAL }), Status::Warn);
        assert_eq!(judged(Room { bytes: 4 * GIB, free_bytes: GIB, ..USUAL }), Status::Ok);
        assert_eq!(judged(Room { free_files: 10, ..USUAL }), Status::Warn);
        assert_eq!(judged(Room { files: 0, free_files: 0, ..USUAL }), Status::Ok);
    }

    #[test]
    fn a_missing_folder_is_judged_by_the_disk_that_it_would_be_on() {
        let folder = tempfile::tempdir().unwrap();
        let inner = folder.path().join("a/b");

        assert_eq!(existing(&inner), folder.path());
        assert_eq!(existing(Path::new("nothing-here")), Path::new("."));
        assert!(Room::of(&statvfs(existing(&inner)).unwrap()).bytes > 0);
    }
}
