//! Processes as Linux shows them.

use std::fs;

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
