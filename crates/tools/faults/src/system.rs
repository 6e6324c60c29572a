//! Processes as Linux shows them, and waiting for them.

use std::{
    fs,
    process::{self, Command},
    time::{Duration, Instant},
};

use crate::failure::Result;

const POLL: Duration = Duration::from_millis(20);
/// Most open files: enough for both ends of some thousand connections.
const OPEN_FILES: u32 = 16_384;

/// Waits until the condition holds.
pub(crate) async fn until(
    what: &str,
    limit: Duration,
    mut is_so: impl AsyncFnMut() -> Result<bool>,
) -> Result<()> {
    let began = Instant::now();
    while !is_so().await? {
        if began.elapsed() > limit {
            return Err(format!("not in {limit:?}: {what}").into());
        }
        tokio::time::sleep(POLL).await;
    }
    Ok(())
}

/// Sends a signal to a process, which may be gone.
pub(crate) fn signal(process: u32, signal: &str) -> Result<()> {
    Command::new("kill").args(["-s", signal, &process.to_string()]).output()?;
    Ok(())
}

/// Returns the children of a process.
pub(crate) fn children(parent: u32) -> Vec<u32> {
    let tasks = fs::read_dir(format!("/proc/{parent}/task")).into_iter().flatten().flatten();
    let lists = tasks.filter_map(|task| fs::read_to_string(task.path().join("children")).ok());
    let ids = lists.collect::<Vec<_>>().join(" ");
    ids.split_whitespace().filter_map(|id| id.parse().ok()).collect()
}

/// Returns the peak memory of a process, in MB; `None` if the process is gone.
pub(crate) fn peak_memory(process: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: u64 = peak.trim().trim_end_matches(" kB").parse().ok()?;
    Some(kilobytes / 1_024)
}

/// Raises the limit of open files of this process, and of processes that it starts from now on.
pub(crate) fn allow_open_files() -> Result<()> {
    let limit = format!("--nofile={OPEN_FILES}:");
    let output =
        Command::new("prlimit").args(["--pid", &process::id().to_string(), &limit]).output()?;
    if output.status.success() {
        return Ok(());
    }
    Err(format!("prlimit {limit}: {}", String::from_utf8_lossy(&output.stderr).trim()).into())
}
