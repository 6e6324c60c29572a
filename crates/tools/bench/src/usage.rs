//! Use of the machine by processes, as Linux reports it.

use std::{error::Error, fs};

use crate::{harness::Database, report::number};

/// Microseconds of a tick of processor time: `sysconf(_SC_CLK_TCK)` is 100 on every Linux.
const MICROS_PER_TICK: f64 = 10_000.0;

/// Processor time used so far, in microseconds.
#[derive(Clone, Copy)]
pub(crate) struct Processor {
    pub(crate) service: f64,
    pub(crate) postgres: f64,
}

/// Processor time of a message, in microseconds.
#[derive(Clone, Copy)]
pub(crate) struct Cost {
    pub(crate) service: f64,
    pub(crate) postgres: f64,
}

impl Cost {
    /// Returns what each of the messages cost between two moments.
    pub(crate) fn of((before, after): (Processor, Processor), messages: u64) -> Self {
        let messages = number(messages);
        Self {
            service: (after.service - before.service) / messages,
            postgres: (after.postgres - before.postgres) / messages,
        }
    }

    /// Returns the sum.
    pub(crate) fn both(self) -> f64 {
        self.service + self.postgres
    }
}

impl Processor {
    /// Returns the processor time of the service and of the server of its database.
    pub(crate) async fn now(service: u32, database: &Database) -> Result<Self, Box<dyn Error>> {
        Ok(Self { service: ticks(service)? * MICROS_PER_TICK, postgres: postgres(database).await? })
    }
}

/// Returns the processor time of the server of a database.
pub(crate) async fn postgres(database: &Database) -> Result<f64, Box<dyn Error>> {
    let postmaster = postmaster(database).await?;
    let mut postgres = ticks(postmaster)?;
    for entry in fs::read_dir("/proc")?.flatten() {
        let pid = entry.file_name().to_str().and_then(|name| name.parse::<u32>().ok());
        // A process may end while it is read.
        if let Some(pid) = pid
            && let Ok(parent) = field(pid, "PPid:")
            && parent.parse() == Ok(postmaster)
        {
            postgres += ticks(pid).unwrap_or_default();
        }
    }
    Ok(postgres * MICROS_PER_TICK)
}

/// Returns the process id of the server of a database.
pub(crate) async fn postmaster(database: &Database) -> Result<u32, Box<dyn Error>> {
    let backend = database.number("SELECT pg_backend_pid()::bigint").await?;
    Ok(field(u32::try_from(backend)?, "PPid:")?.parse()?)
}

/// Returns the present memory of a process, in MB of 2²⁰ bytes.
pub(crate) fn resident(pid: u32) -> Result<f64, Box<dyn Error>> {
    megabytes(pid, "VmRSS:")
}

/// Returns the peak memory of a process, in MB of 2²⁰ bytes.
pub(crate) fn peak(pid: u32) -> Result<f64, Box<dyn Error>> {
    megabytes(pid, "VmHWM:")
}

/// Lets the peak memory of a process begin anew.
pub(crate) fn forget_peak(pid: u32) -> Result<(), Box<dyn Error>> {
    Ok(fs::write(format!("/proc/{pid}/clear_refs"), "5")?)
}

fn megabytes(pid: u32, name: &str) -> Result<f64, Box<dyn Error>> {
    Ok(field(pid, name)?.parse::<f64>()? / 1_024.0)
}

/// Returns the first word after `name` in the status of a process.
fn field(pid: u32, name: &str) -> Result<String, Box<dyn Error>> {
    let status = fs::read_to_string(format!("/proc/{pid}/status"))?;
    let line = status.lines().find_map(|line| line.strip_prefix(name)).ok_or("no such field")?;
    Ok(line.split_whitespace().next().unwrap_or_default().to_owned())
}

/// Returns the processor time of a process and of its children that have ended, in ticks.
fn ticks(pid: u32) -> Result<f64, Box<dyn Error>> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat"))?;
    // The name of the program, in brackets, may contain anything.
    let (_, rest) = stat.rsplit_once(')').ok_or("no name")?;
    let fields: Vec<f64> =
        rest.split_whitespace().skip(11).take(4).filter_map(|it| it.parse().ok()).collect();
    Ok(fields.iter().sum())
}
