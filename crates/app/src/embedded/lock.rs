//! Lock that reserves a data directory for one process.

use std::{
    fs::{self, File, OpenOptions, TryLockError},
    io::Write,
    path::Path,
    process, thread,
    time::Duration,
};

use super::EmbeddedError;

const NAME: &str = "lock";

/// Held lock. It is released when dropped, or when the process ends.
#[derive(Debug)]
pub(super) struct Lock {
    _file: File,
}

impl Lock {
    /// Takes the lock of `folder` and writes our process id into it. Fails with
    /// [`EmbeddedError::InUse`] if another process holds it.
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

    /// True if a process holds the lock of `folder`.
    pub(super) fn is_held(folder: &Path) -> bool {
        File::open(folder.join(NAME))
            .is_ok_and(|file| matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)))
    }
}

/// Returns true if the lock was taken. Retries for slightly longer than [`Lock::is_held`] of
/// another process can block it.
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
    fn only_one_process_holds_the_lock() {
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
