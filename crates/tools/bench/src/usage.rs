//! What processes take of the machine, as Linux tells it.

use std::{error::Error, fs};

use crate::harness::Database;

/// How long a tick of processor time is: `sysconf(_SC_CLK_TCK)` is 100 on every Linux.
const MICROS_PER_TICK: f64 = 10_000.0;

/// Processor time that was used so far, in microseconds.
#[derive(Clone, Copy)]
pub(crate) struct Processor {
    pub(crate) service: f64,
    pub(crate) postgres: f64,
}

impl Processor {
    /// What the service and the server of its database have used.
    pub(crate) async fn now(service: u32, database: &Database) -> Result<Self, Box<dyn Error>> {
        Ok(Self { service: ticks(service)? * MICROS_PER_TICK, postgres: postgres(database).await? })
    }
}

/// What the server of a database has used.
pub(crate) async fn postgres(database: &Database) -> Result<f64, Box<dyn Error>> {
    let backend = database.number("SELECT pg_backend_pid()::bigint").await?;
    let postmaster: u32 = field(u32::try_from(backend)?, "PPid:")?.parse()?;
    let mut postgres = ticks(postmaster)?;
    for entry in fs::read_dir("/proc")?.flatten() {
        let pid = entry.file_name().to_str().and_then(|name| name.parse::<u32>().ok());
        // A process may end while it is looked at.
        if let Some(pid) = pid
            && let Ok(parent) = field(pid, "PPid:")
            && parent.parse() == Ok(postmaster)
        {
            postgres += ticks(pid).unwrap_or_default();
        }
    }
    Ok(postgres * MICROS_PER_TICK)
}

/// The memory that a process has now, in MB of 2²⁰ bytes.
pub(crate) fn resident(pid: u32) -> Result<f64, Box<dyn Error>> {
    megabytes(pid, "VmRSS:")
}

/// The most memory that a process ever had, in MB of 2²⁰ bytes.
pub(crate) fn peak(pid: u32) -> Result<f64, Box<dyn Error>> {
    megabytes(pid, "VmHWM:")
}

fn megabytes(pid: u32, name: &str) -> Result<f64, Box<dyn Error>> {
    Ok(field(pid, name)?.parse::<f64>()? / 1_024.0)
}

/// The first word after `name` in the status of a process.
fn field(pid: u32, name: &str) -> Result<String, Box<dyn Error>> {
    let status = fs::read_to_string(format!("/proc/{pid}/status"))?;
    let line = status.lines().find_map(|line| line.strip_prefix(name)).ok_or("no such field")?;
    Ok(line.split_whitespace().next().unwrap_or_default().to_owned())
}

/// The processor time of a process and of its children that have ended.
fn ticks(pid: u32) -> Result<f64, Box<dyn Error>> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat"))?;
    // The name of the program, in brackets, may hold anything.
    let (_, rest) = stat.rsplit_once(')').ok_or("no name")?;
    let fields: Vec<f64> =
        rest.split_whitespace().skip(11).take(4).filter_map(|it| it.parse().ok()).collect();
    Ok(fields.iter().sum())
}
