//! Processes as the system shows them.

use std::{fs, io, process::Command};

/// Sends a process a signal. Returns false if the process is gone.
pub fn signal(process: u32, signal: &str) -> io::Result<bool> {
    let sent = Command::new("kill").args(["-s", signal, &process.to_string()]).output()?;
    Ok(sent.status.success())
}

/// Returns the children of a process; empty where there is no `/proc`.
pub fn children(parent: u32) -> Vec<u32> {
    let tasks = fs::read_dir(format!("/proc/{parent}/task")).into_iter().flatten().flatten();
    let lists = tasks.filter_map(|task| fs::read_to_string(task.path().join("children")).ok());
    let ids = lists.collect::<Vec<_>>().join(" ");
    ids.split_whitespace().filter_map(|id| id.parse().ok()).collect()
}
