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
