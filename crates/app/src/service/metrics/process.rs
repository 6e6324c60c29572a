//! Use of the machine by the process, read from `/proc`. On systems other than Linux nothing is
//! recorded.

use std::{fs, sync::OnceLock};

/// Ticks of `/proc/…/stat` per second, on every architecture that Rust supports.
const TICKS: u32 = 100;

/// Records the current figures.
pub(super) fn note() {
    let status = read("/proc/self/status");
    let stat = Stat::of(&read("/proc/self/stat"));
    let set = |name: &'static str, value: Option<f64>| {
        if let Some(value) = value {
            metrics::gauge!(name).set(value);
        }
    };
    let kilobytes = field(&status, "VmRSS:");
    set("process_resident_memory_bytes", kilobytes.map(|kilobytes| kilobytes * 1_024.0));
    set("process_threads", field(&status, "Threads:"));
    if let Some(stat) = &stat {
        metrics::counter!("process_cpu_seconds_total").absolute(stat.cpu);
    }
    set("process_start_time_seconds", stat.and_then(|stat| Some(booted()? + stat.began)));
    set("process_open_fds", open_files());
    set("process_max_fds", max_files(&read("/proc/self/limits")));
}

/// Fields of `/proc/self/stat`, in seconds.
#[derive(Debug, PartialEq)]
struct Stat {
    /// Processor time.
    cpu: u64,
    /// Start of the process, since the start of the machine.
    began: f64,
}

impl Stat {
    /// Parses the text. The second field is the name in parentheses, which may contain anything.
    fn of(text: &str) -> Option<Self> {
        let fields: Vec<_> = text.rsplit_once(')')?.1.split_whitespace().collect();
        let ticks = |field: usize| fields.get(field)?.parse::<u64>().ok();
        let cpu = (ticks(11)? + ticks(12)?) / u64::from(TICKS);
        Some(Self { cpu, began: fields.get(19)?.parse::<f64>().ok()? / f64::from(TICKS) })
    }
}

/// Returns the start of the machine, in seconds since 1970.
fn booted() -> Option<f64> {
    static BOOTED: OnceLock<Option<f64>> = OnceLock::new();
    *BOOTED.get_or_init(|| field(&read("/proc/stat"), "btime"))
}

fn open_files() -> Option<f64> {
    // One entry is the folder that is being read.
    let entries = fs::read_dir("/proc/self/fd").ok()?.count().saturating_sub(1);
    u32::try_from(entries).ok().map(f64::from)
}

fn max_files(limits: &str) -> Option<f64> {
    let line = limits.lines().find_map(|line| line.strip_prefix("Max open files"))?;
    line.split_whitespace().next()?.parse().ok()
}

/// Returns the number after a name at the beginning of a line.
fn field(text: &str, name: &str) -> Option<f64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_whitespace().next()?.parse().ok()
}

fn read(path: &str) -> String {
    fs::read_to_string(path).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_found_behind_a_name_with_parentheses() {
        let text =
            "4242 (a (b) c) S 1 4242 4242 0 -1 4194560 10 0 0 0 250 50 0 0 20 0 9 0 123400 1";
        assert_eq!(Stat::of(text), Some(Stat { cpu: 3, began: 1_234.0 }));
        assert_eq!(field("Name:\tx\nVmRSS:\t  39000 kB\n", "VmRSS:"), Some(39_000.0));
        let limits = "Limit  Soft  Hard\nMax open files            1024  524288  files\n";
        assert_eq!(max_files(limits), Some(1_024.0));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn this_process_is_measured() {
        let stat = Stat::of(&read("/proc/self/stat")).unwrap();
        assert!(stat.began > 0.0 && booted().unwrap() > 1e9);
        assert!(field(&read("/proc/self/status"), "VmRSS:").unwrap() > 100.0);
        assert!(open_files().unwrap() >= 1.0);
        assert!(max_files(&read("/proc/self/limits")).unwrap() >= 1.0);
    }
}
