//! User account that the server runs under.

use std::{
    env, fs, io,
    os::unix::{fs::MetadataExt, process::CommandExt},
    path::Path,
    process::{Command, Output, Stdio},
};

use super::EmbeddedError;

/// Accounts that root may run the server under, the preferred first.
const UNPRIVILEGED: [&str; 3] = ["postgres", "_postgres", "nobody"];

/// Variables that programs inherit. The others are withheld: some are secrets, and the `PG…` ones
/// would change the behaviour of the server.
const ENVIRONMENT: [&str; 3] = ["PATH", "HOME", "LD_LIBRARY_PATH"];

/// Account that owns the cluster and runs its programs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Account {
    uid: u32,
    /// Group of an account that is not our own, so that programs must switch to it.
    gid: Option<u32>,
}

impl Account {
    /// Returns our own account, or as root the preferred unprivileged one.
    pub(super) fn for_new_cluster() -> Result<Self, EmbeddedError> {
        let uid = own_uid()?;
        if uid != 0 {
            return Ok(Self { uid, gid: None });
        }
        let path = "/etc/passwd";
        let passwd = fs::read_to_string(path).map_err(EmbeddedError::at(path))?;
        UNPRIVILEGED
            .iter()
            .find_map(|name| ids_of(name, &passwd))
            .map(|(uid, gid)| Self { uid, gid: Some(gid) })
            .ok_or(EmbeddedError::NoAccount)
    }

    /// Returns the account that created the cluster in `folder`.
    pub(super) fn owner_of(folder: &Path) -> Result<Self, EmbeddedError> {
        let owner = fs::metadata(folder).map_err(EmbeddedError::at(folder))?;
        match (own_uid()?, owner.uid()) {
            (own, uid) if uid == own && own != 0 => Ok(Self { uid, gid: None }),
            (0, uid) if uid != 0 => Ok(Self { uid, gid: Some(owner.gid()) }),
            (_, uid) => Err(EmbeddedError::ForeignCluster { folder: folder.to_owned(), uid }),
        }
    }

    /// Returns the user id.
    pub(super) fn uid(&self) -> u32 {
        self.uid
    }

    /// Returns a command that runs `program` under this account, in `/`, without input.
    pub(super) fn command(&self, program: impl AsRef<Path>) -> Command {
        let mut command = Command::new(program.as_ref());
        // The account may not have access to our working directory.
        command.current_dir("/").stdin(Stdio::null()).env_clear().env("LC_ALL", "C");
        command.envs(ENVIRONMENT.iter().filter_map(|name| Some((name, env::var_os(name)?))));
        if let Some(gid) = self.gid {
            command.uid(self.uid).gid(gid);
        }
        command
    }

    /// Gives a file or folder that we created to this account.
    pub(super) fn give(&self, path: &Path) -> Result<(), EmbeddedError> {
        match self.gid {
            Some(_) => std::os::unix::fs::chown(path, Some(self.uid), self.gid)
                .map_err(EmbeddedError::at(path)),
            None => Ok(()),
        }
    }

    /// True if this account may enter `folder`.
    pub(super) fn can_enter(&self, folder: &Path) -> Result<bool, EmbeddedError> {
        let mut command = self.command("sh");
        command.args(["-c", "cd \"$1\"", "sh"]).arg(folder);
        Ok(command.output().map_err(EmbeddedError::at("sh"))?.status.success())
    }

    /// True if this account is not our own, and we are root.
    pub(super) fn is_switched(&self) -> bool {
        self.gid.is_some()
    }
}

/// True if this process runs as root.
pub(super) fn is_root() -> Result<bool, EmbeddedError> {
    Ok(own_uid()? == 0)
}

/// Returns the output of a program. Fails with its name and output if the program failed.
pub(super) fn check(program: &Path, output: io::Result<Output>) -> Result<String, EmbeddedError> {
    let output = output.map_err(EmbeddedError::at(program))?;
    let printed = String::from_utf8_lossy(&output.stdout);
    if output.status.success() {
        return Ok(printed.into_owned());
    }
    let errors = String::from_utf8_lossy(&output.stderr);
    Err(EmbeddedError::Program {
        program: program.display().to_string(),
        output: format!("{}\n{} ({})", printed.trim(), errors.trim(), output.status),
    })
}

/// Returns the effective user id of this process. The standard library does not provide it.
fn own_uid() -> Result<u32, EmbeddedError> {
    let printed = check(Path::new("id"), Command::new("id").arg("-u").output())?;
    printed.trim().parse().map_err(|_| EmbeddedError::Program {
        program: "id".to_owned(),
        output: format!("no number: {printed}"),
    })
}

/// Returns the user and group id of `name` in the text of a passwd file.
fn ids_of(name: &str, passwd: &str) -> Option<(u32, u32)> {
    passwd.lines().find_map(|line| {
        let mut fields = line.split(':');
        if fields.next() != Some(name) {
            return None;
        }
        let uid = fields.nth(1)?.parse().ok()?;
        let gid = fields.next()?.parse().ok()?;
        (uid != 0).then_some((uid, gid))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_found_by_the_whole_name() {
        let passwd = "root:x:0:0::/root:/bin/sh\npostgresql:x:7:8:::\npostgres:x:101:104:::\n";
        assert_eq!(ids_of("postgres", passwd), Some((101, 104)));
        assert_eq!(ids_of("nobody", passwd), None);
    }

    #[test]
    fn a_root_by_another_name_is_refused() {
        assert_eq!(ids_of("postgres", "postgres:x:0:0:::"), None);
    }
}
