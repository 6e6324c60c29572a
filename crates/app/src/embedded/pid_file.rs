//! Contents of `postmaster.pid`.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

/// Relevant parts of the file.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct PidFile {
    /// Process id of the server that wrote it.
    pub(super) pid: u32,
    /// Folder of the server's socket.
    pub(super) socket_folder: PathBuf,
    /// True if the server accepted connections when it last wrote the file.
    pub(super) ready: bool,
}

/// Current owner of the process id.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Owner {
    /// The server of the cluster.
    Postmaster,
    /// Another program, which got the number after the server had ended.
    Stranger,
    /// No process.
    Nobody,
}

impl PidFile {
    /// Returns the path in the folder of a cluster.
    pub(super) fn path(cluster: &Path) -> PathBuf {
        cluster.join("postmaster.pid")
    }

    /// Reads the file of a cluster; `None` if there is no complete one.
    pub(super) fn read(cluster: &Path) -> Option<Self> {
        Self::parse(&fs::read_to_string(Self::path(cluster)).ok()?)
    }

    fn parse(text: &str) -> Option<Self> {
        let lines: Vec<&str> = text.lines().collect();
        Some(Self {
            pid: lines.first()?.trim().parse().ok()?,
            socket_folder: lines.get(4).copied().unwrap_or_default().into(),
            ready: lines.get(7).is_some_and(|status| status.trim() == "ready"),
        })
    }

    /// Returns the current owner of the process id. The name alone does not suffice: the machine
    /// may run a server of its own, which must not be mistaken for ours.
    pub(super) fn owner(&self, cluster: &Path) -> Owner {
        match arguments_of(self.pid) {
            None => Owner::Nobody,
            Some(arguments) if contains(&arguments, cluster) => Owner::Postmaster,
            Some(_) => Owner::Stranger,
        }
    }
}

/// Returns the command line of a process, its parts separated by one byte each; `None` if there is
/// no such process.
fn arguments_of(pid: u32) -> Option<Vec<u8>> {
    if Path::new("/proc/self/cmdline").exists() {
        return fs::read(format!("/proc/{pid}/cmdline")).ok();
    }
    let mut ps = Command::new("ps");
    let output = ps.args(["-ww", "-o", "command=", "-p"]).arg(pid.to_string()).output().ok()?;
    output.status.success().then_some(output.stdout)
}

/// True if `path` is one of the arguments.
fn contains(arguments: &[u8], path: &Path) -> bool {
    let path = path.as_os_str().as_encoded_bytes();
    arguments.windows(path.len() + 1).any(|window| {
        window.starts_with(path) && matches!(window.last(), Some(b'\0' | b' ' | b'\n'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_file_of_a_ready_server() {
        let text = "42\n/data\n1700000000\n5432\n/tmp/atumpan-1\n\n  5432001   32768\nready   \n";
        let expected = PidFile { pid: 42, socket_folder: "/tmp/atumpan-1".into(), ready: true };
        assert_eq!(PidFile::parse(text), Some(expected));
    }

    #[test]
    fn reads_the_file_of_a_starting_server() {
        let text = "42\n/data\n1700000000\n5432\n/tmp/atumpan-1\n\n  5432001   32768\nstarting\n";
        assert!(!PidFile::parse(text).unwrap().ready);
        assert!(!PidFile::parse("42\n/data\n").unwrap().ready);
        assert_eq!(PidFile::parse(""), None);
    }

    #[test]
    fn a_path_is_found_as_a_whole() {
        let arguments = b"/usr/bin/postgres\0-D\0/a/postgres\0-p\0";
        assert!(contains(arguments, Path::new("/a/postgres")));
        assert!(!contains(arguments, Path::new("/a/post")));
    }

    #[test]
    fn another_program_is_a_stranger() {
        let pid = std::process::id();
        let file = PidFile { pid, socket_folder: PathBuf::new(), ready: true };
        assert_eq!(file.owner(Path::new("/no/such/cluster")), Owner::Stranger);
    }
}
