//! Processes as Linux shows them.

use std::{fs, process::Command};

/// Returns the children of a process.
pub(crate) fn children(parent: u32) -> Vec<u32> {
    let tasks = fs::read_dir(format!("/proc/{parent}/task")).unwrap().flatten();
    let lists = tasks.filter_map(|task| fs::read_to_string(task.path().join("children")).ok());
    let ids = lists.collect::<Vec<_>>().join(" ");
    ids.split_whitespace().map(|id| id.parse().unwrap()).collect()
}

/// Returns the name of the process's program.
pub(crate) fn name(process: u32) -> String {
    let name = fs::read_to_string(format!("/proc/{process}/comm")).unwrap_or_default();
    name.trim().to_owned()
}

/// Returns the memory of the process, in kB.
pub(crate) fn resident_kilobytes(process: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap();
    let resident = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    resident.trim().trim_end_matches(" kB").parse().unwrap()
}

/// Sends the process a signal. The process may be gone.
pub(crate) fn signal(process: u32, signal: &str) {
    let mut kill = Command::new("kill");
    kill.args(["-s", signal, &process.to_string()]).status().unwrap();
}
