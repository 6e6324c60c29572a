//! Folder that contains the cluster: the data directory, or a stand-in if the account of the server
//! cannot enter it.

use std::{
    ffi::OsString,
    fs::{self, Permissions},
    io::ErrorKind,
    os::unix::{
        ffi::{OsStrExt, OsStringExt},
        fs::PermissionsExt,
    },
    path::{Path, PathBuf},
};

use super::{
    Durability, EmbeddedError,
    account::{self, Account},
};

/// Folder of the stand-ins.
const STAND_INS: &str = "/var/lib/atumpan";

/// File in the data directory that contains the path of its stand-in.
const POINTER: &str = "postgres.location";

/// Creates the data directory if it is missing, and returns its absolute path.
pub(super) fn create(data_dir: &Path, durability: Durability) -> Result<PathBuf, EmbeddedError> {
    let is_root = account::is_root()?;
    if !data_dir.exists() {
        // The account of a server that root runs must pass, though not look around.
        create_dir(data_dir, if is_root { 0o711 } else { 0o700 })?;
    } else if is_root && durability == Durability::None {
        let mode = fs::metadata(data_dir).map_err(EmbeddedError::at(data_dir))?.permissions();
        set_mode(data_dir, mode.mode() | 0o711)?;
    }
    data_dir.canonicalize().map_err(EmbeddedError::at(data_dir))
}

/// Returns the folder of the cluster in its home.
pub(super) fn cluster_folder(home: &Path) -> PathBuf {
    home.join("postgres")
}

/// Returns the home that an earlier start chose.
pub(super) fn known(data_dir: &Path) -> Result<Option<PathBuf>, EmbeddedError> {
    let pointer = data_dir.join(POINTER);
    match fs::read(&pointer) {
        Ok(path) => Ok(Some(OsString::from_vec(path.trim_ascii_end().to_owned()).into())),
        Err(error) if error.kind() != ErrorKind::NotFound => Err(EmbeddedError::at(pointer)(error)),
        Err(_) => Ok(cluster_folder(data_dir).exists().then(|| data_dir.to_owned())),
    }
}

/// Chooses the home of a new cluster, once and for all.
pub(super) fn choose(
    data_dir: &Path,
    account: &Account,
    durability: Durability,
) -> Result<PathBuf, EmbeddedError> {
    if !account.is_switched() || account.can_enter(data_dir)? {
        return Ok(data_dir.to_owned());
    }
    if durability == Durability::None {
        let folder = data_dir.to_owned();
        return Err(EmbeddedError::Unreachable { folder, uid: account.uid() });
    }
    let home = Path::new(STAND_INS).join(hash(data_dir));
    for folder in [Path::new(STAND_INS), &home] {
        if !folder.exists() {
            create_dir(folder, 0o711)?;
        }
    }
    let pointer = data_dir.join(POINTER);
    fs::write(&pointer, home.as_os_str().as_bytes()).map_err(EmbeddedError::at(&pointer))?;
    tracing::info!(
        data_dir = %data_dir.display(), home = %home.display(), uid = account.uid(),
        "the account of the server cannot enter the data directory: the database is kept elsewhere"
    );
    Ok(home)
}

/// Returns sixteen hexadecimal digits that stand for a path: FNV-1a, which unlike the hasher of the
/// standard library is the same in every release.
pub(super) fn hash(path: &Path) -> String {
    let hash = path.as_os_str().as_bytes().iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    });
    format!("{hash:016x}")
}

/// Creates a folder and its parents with this mode, regardless of the umask.
pub(super) fn create_dir(folder: &Path, mode: u32) -> Result<(), EmbeddedError> {
    fs::create_dir_all(folder).map_err(EmbeddedError::at(folder))?;
    set_mode(folder, mode)
}

fn set_mode(folder: &Path, mode: u32) -> Result<(), EmbeddedError> {
    fs::set_permissions(folder, Permissions::from_mode(mode)).map_err(EmbeddedError::at(folder))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_is_the_published_one() {
        assert_eq!(hash(Path::new("foobar")), "85944171f73967e8");
    }

    #[test]
    fn finds_a_home_by_its_pointer_or_its_cluster() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(known(folder.path()).unwrap(), None);

        fs::create_dir(cluster_folder(folder.path())).unwrap();
        assert_eq!(known(folder.path()).unwrap().as_deref(), Some(folder.path()));

        fs::write(folder.path().join(POINTER), "/var/lib/atumpan/1\n").unwrap();
        assert_eq!(known(folder.path()).unwrap(), Some("/var/lib/atumpan/1".into()));
    }
}
