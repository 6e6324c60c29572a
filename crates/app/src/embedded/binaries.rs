//! Server binaries of the machine.

use std::{
    cmp::Reverse,
    env, fs,
    path::{Path, PathBuf},
};

use super::{
    EmbeddedError, OLDEST_VERSION,
    account::{self, Account},
    install,
};

/// Folders in which distributions put `<prefix><version>/bin`.
const FOLDERS: [(&str, &str); 8] = [
    ("/usr/lib/postgresql", ""),
    ("/usr", "pgsql-"),
    ("/usr/lib", "postgresql"),
    ("/opt/homebrew/opt", "postgresql"),
    ("/usr/local/opt", "postgresql"),
    ("/usr/local", "pgsql"),
    ("/Applications/Postgres.app/Contents/Versions", ""),
    ("/opt/local/lib", "postgresql"),
];

/// Programs of one installation.
#[derive(Clone, Debug)]
pub(super) struct Binaries {
    folder: PathBuf,
    /// Major version.
    pub(super) version: u32,
}

impl Binaries {
    /// Finds the installation for a cluster: of the `required` major version, or for a new cluster
    /// the first that is recent enough.
    pub(super) fn find(
        account: &Account,
        required: Option<Required>,
    ) -> Result<Self, EmbeddedError> {
        if let Some(Required { folder, version }) = &required
            && *version < OLDEST_VERSION
        {
            return Err(EmbeddedError::OldCluster { folder: folder.clone(), version: *version });
        }
        let mut too_old = None;
        for folder in candidates() {
            let Some(version) = version_of(&folder, account) else { continue };
            let suits = match &required {
                Some(required) => version == required.version,
                None => version >= OLDEST_VERSION,
            };
            if suits {
                return Ok(Self { folder, version });
            }
            too_old = too_old.max(Some(version));
        }
        Err(match required {
            Some(Required { folder, version }) => EmbeddedError::MissingVersion { folder, version },
            None => EmbeddedError::MissingBinaries { too_old, install: install::command() },
        })
    }

    /// Returns the path of a program.
    pub(super) fn path(&self, program: &str) -> PathBuf {
        self.folder.join(program)
    }
}

/// Cluster that binaries are searched for, and the major version that it needs.
#[derive(Debug)]
pub(super) struct Required {
    pub(super) folder: PathBuf,
    pub(super) version: u32,
}

/// Returns all folders with a complete set of programs, the preferred first.
fn candidates() -> Vec<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let of_path = env::split_paths(&path).flat_map(|folder| {
        // The link of a lone program leads to the folder of its siblings.
        let target = folder.join("postgres").canonicalize().ok();
        let siblings = target.and_then(|program| Some(program.parent()?.to_owned()));
        siblings.into_iter().chain([folder])
    });
    let of_distributions = FOLDERS.iter().flat_map(|(parent, prefix)| versions(parent, prefix));
    of_path.chain(of_distributions).filter(|folder| is_complete(folder)).collect()
}

/// Returns the `bin` folders under `parent` whose own name starts with `prefix`, the newest version
/// first.
fn versions(parent: impl AsRef<Path>, prefix: &str) -> Vec<PathBuf> {
    let mut found: Vec<(Reverse<u32>, PathBuf)> = fs::read_dir(parent)
        .into_iter()
        .flatten()
        .filter_map(|entry| {
            let entry = entry.ok()?;
            let name = entry.file_name().into_string().ok()?;
            let version = name.strip_prefix(prefix)?.trim_start_matches(['-', '@']);
            Some((Reverse(leading_number(version).unwrap_or(0)), entry.path().join("bin")))
        })
        .collect();
    found.sort();
    found.into_iter().map(|(_, folder)| folder).collect()
}

fn is_complete(folder: &Path) -> bool {
    folder.is_absolute()
        && ["postgres", "initdb", "pg_ctl"].iter().all(|program| folder.join(program).is_file())
}

/// Returns the major version of the binaries in `folder`, if the account can run them.
fn version_of(folder: &Path, account: &Account) -> Option<u32> {
    let program = folder.join("postgres");
    let output = account.command(&program).arg("--version").output();
    major_version(&account::check(&program, output).ok()?)
}

/// Returns the major version in the output of `postgres --version`.
fn major_version(printed: &str) -> Option<u32> {
    leading_number(printed.split_once("(PostgreSQL)")?.1.trim_start())
}

/// Returns the number at the start of `text`.
pub(super) fn leading_number(text: &str) -> Option<u32> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    text[..end].parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_versions_of_releases_and_betas() {
        let debian = "postgres (PostgreSQL) 15.13 (Debian 15.13-0+deb12u1)\n";
        assert_eq!(major_version(debian), Some(15));
        assert_eq!(major_version("postgres (PostgreSQL) 18beta1\n"), Some(18));
        assert_eq!(major_version("postgres (PostgreSQL) 9.6.24\n"), Some(9));
        assert_eq!(major_version("something else"), None);
    }

    #[test]
    fn the_newest_version_comes_first() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["postgresql@9", "postgresql@16", "postgresql@14", "mysql"] {
            fs::create_dir(folder.path().join(name)).unwrap();
        }
        let names = ["postgresql@16", "postgresql@14", "postgresql@9"];
        let expected: Vec<_> =
            names.iter().map(|name| folder.path().join(name).join("bin")).collect();
        assert_eq!(versions(folder.path(), "postgresql"), expected);
    }
}
