//! Private folder of the server's socket.

use std::{
    fmt::Write,
    fs::{self, DirBuilder},
    io::ErrorKind,
    os::unix::{
        ffi::OsStrExt,
        fs::{DirBuilderExt, MetadataExt},
    },
    path::{Path, PathBuf},
};

use super::{EmbeddedError, account::Account, cluster::NAME, home};

/// Folder that only the account of the server and root can enter. It is not in the data directory,
/// because the path of a socket is limited to 107 bytes. Removed when dropped.
#[derive(Debug)]
pub(super) struct SocketFolder {
    path: PathBuf,
}

impl SocketFolder {
    /// Creates the folder for the cluster in `home`, and replaces one that a dead server has left.
    pub(super) fn create(home: &Path, account: &Account) -> Result<Self, EmbeddedError> {
        let path = Path::new("/tmp").join(format!("atumpan-{}", home::hash(home)));
        match fs::symlink_metadata(&path) {
            Ok(old) if old.uid() == account.uid() || (old.uid() == 0 && account.is_switched()) => {
                fs::remove_dir_all(&path).map_err(EmbeddedError::at(&path))?;
            }
            Ok(old) => return Err(EmbeddedError::ForeignSocket { folder: path, uid: old.uid() }),
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(EmbeddedError::at(path)(error)),
        }
        DirBuilder::new().mode(0o700).create(&path).map_err(EmbeddedError::at(&path))?;
        let folder = Self { path };
        account.give(&folder.path)?;
        Ok(folder)
    }

    /// Returns the path of the folder.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for SocketFolder {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_dir_all(&self.path) {
            tracing::debug!(%error, folder = %self.path.display(), "socket folder not removed");
        }
    }
}

/// Returns the URL of our database on the server whose socket is in `folder`.
pub(super) fn url(folder: &Path) -> String {
    let mut url = format!("postgres://{NAME}@/{NAME}?host=");
    for &byte in folder.as_os_str().as_bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            url.push(char::from(byte));
        } else {
            // Writing to a string cannot fail.
            let _ = write!(url, "%{byte:02X}");
        }
    }
    url
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_folder_is_escaped_in_the_url() {
        assert_eq!(
            url(Path::new("/tmp/a b-1")),
            "postgres://atumpan@/atumpan?host=%2Ftmp%2Fa%20b-1"
        );
    }

    #[test]
    fn the_path_of_the_socket_is_short_however_deep_the_home_is() {
        let deep = "/deep".repeat(100);
        let folder = format!("/tmp/atumpan-{}", home::hash(Path::new(&deep)));
        assert!(folder.len() + "/.s.PGSQL.5432".len() <= 107);
    }
}
