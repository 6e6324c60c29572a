//! The lock that keeps a data directory to one process.

use std::{
    fs::{self, File, OpenOptions, TryLockError},
    io::Write,
    path::Path,
    process, thread,
    time::Duration,
};

use super::EmbeddedError;

const NAME: &str = "lock";

/// Held as long as it lives, and at most as long as the process lives.
#[derive(Debug)]
pub(super) struct Lock {
    _file: File,
}

impl Lock {
    /// Takes the lock of `folder` and leaves our process id in it. Fails with
    /// [`EmbeddedError::InUse`] if another process has it.
    pub(super) fn acquire(folder: &Path) -> Result<Self, EmbeddedError> {
        let path = folder.join(NAME);
        let mut file = OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path)
            .map_err(EmbeddedError::at(&path))?;
        if !try_lock(&file).map_err(EmbeddedError::at(&path))? {
            let holder = fs::read_to_string(&path).unwrap_or_default();
            let pid = holder.trim().parse().ok();
            return Err(EmbeddedError::InUse { data_dir: folder.to_owned(), pid });
        }
        file.set_len(0)
            .and_then(|()| writeln!(file, "{}", process::id()))
            .map_err(EmbeddedError::at(&path))?;
        Ok(Self { _file: file })
    }

    /// Whether some process holds the lock of `folder`.
    pub(super) fn is_held(folder: &Path) -> bool {
        File::open(folder.join(NAME))
            .is_ok_and(|file| matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)))
    }
}

/// Whether the lock was taken. Tries a little longer than [`Lock::is_held`] of
/// another process can be in the way.
fn try_lock(file: &File) -> std::io::Result<bool> {
    for _ in 0..5 {
        match file.try_lock() {
            Ok(()) => return Ok(true),
            Err(TryLockError::WouldBlock) => thread::sleep(Duration::from_millis(20)),
            Err(TryLockError::Error(error)) => return Err(error),
        }
    }
    Ok(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_one_has_it() {
        let folder = tempfile::tempdir().unwrap();
        assert!(!Lock::is_held(folder.path()));

        let lock = Lock::acquire(folder.path()).unwrap();
        assert!(Lock::is_held(folder.path()));
        let refused = Lock::acquire(folder.path()).unwrap_err();
        assert!(
            matches!(refused, EmbeddedError::InUse { pid, .. } if pid == Some(process::id())),
            "{refused}"
        );

        drop(lock);
        Lock::acquire(folder.path()).unwrap();
    }
}
