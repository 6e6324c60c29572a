//! Faults, each with the limits within which the service must recover.

mod clients;
mod clock;
mod database;
mod disk;
mod instances;
mod providers;
mod redis;
mod standby;

use std::{
    hash::{BuildHasher, RandomState},
    time::Duration,
};

use clap::ValueEnum;

use crate::{failure::Result, load::Demand, report::Row, stage::Plan};

/// Time within which the service must accept again.
const RECOVERED: Duration = Duration::from_secs(5);

/// Demand during a short fault, which leaves time for others beside it.
const SLIGHT: Demand = Demand { clients: 6, pause: Duration::from_millis(20), has_codes: true };

/// Fault around the service.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Fault {
    /// The service is killed at random moments
    Kill,
    /// The service is stopped, and started again
    Stop,
    /// One of three instances is killed, then the next
    Instances,
    /// PostgreSQL is shut down in order, and started again
    Restart,
    /// PostgreSQL ends at once, and recovers
    Crash,
    /// PostgreSQL is paused for 15 seconds
    Freeze,
    /// All connections with PostgreSQL are ended, each second
    Terminate,
    /// The primary is killed or paused, and its synchronous standby takes its place
    Standby,
    /// Redis is killed, and comes back
    Redis,
    /// The provider takes three seconds for each message
    SlowProvider,
    /// The provider breaks its connections, and refuses new ones
    DeadProvider,
    /// The provider gives false answers and reports
    LyingProvider,
    /// The disk of PostgreSQL is full
    FullDisk,
    /// The clock of the service jumps forward and back
    Clock,
    /// 2,000 connections at once
    Connections,
    /// Clients send slowly, or read nothing
    SlowClients,
}

/// Extent of a fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scale {
    /// Short, for each change of the code.
    Short,
    /// Whole.
    Full,
}

impl Fault {
    /// Returns the name on the command line.
    pub(crate) fn name(self) -> String {
        self.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
    }

    /// Returns what this machine lacks to make the fault.
    pub(crate) fn missing(self) -> Option<String> {
        match self {
            Self::FullDisk => disk::missing(),
            Self::Clock => clock::missing(),
            Self::Redis | Self::Instances => testkit::missing("redis-server"),
            _ => None,
        }
    }

    /// Makes the fault, and measures its effects.
    pub(crate) async fn make(self, scale: Scale) -> Result<Row> {
        match self {
            Self::Kill => instances::kill(scale).await,
            Self::Stop => instances::stop(scale).await,
            Self::Instances => instances::kill_one_of_three(scale).await,
            Self::Restart => database::restart(scale).await,
            Self::Crash => database::crash(scale).await,
            Self::Freeze => database::freeze().await,
            Self::Terminate => database::terminate(scale).await,
            Self::Standby => standby::promote(scale).await,
            Self::Redis => redis::kill(scale).await,
            Self::SlowProvider => providers::slow(scale).await,
            Self::DeadProvider => providers::dead(scale).await,
            Self::LyingProvider => providers::lying(scale).await,
            Self::FullDisk => disk::fill(scale).await,
            Self::Clock => clock::jump(scale).await,
            Self::Connections => clients::many(scale).await,
            Self::SlowClients => clients::slow(scale).await,
        }
    }
}

impl Scale {
    /// Returns the usual plan, with less demand during a short fault.
    fn plan(self) -> Plan {
        match self {
            Self::Short => Plan { demand: SLIGHT, ..Plan::default() },
            Self::Full => Plan::default(),
        }
    }

    fn rounds(self, short: usize, full: usize) -> usize {
        match self {
            Self::Short => short,
            Self::Full => full,
        }
    }

    fn seconds(self, short: u64, full: u64) -> Duration {
        Duration::from_secs(match self {
            Self::Short => short,
            Self::Full => full,
        })
    }
}

/// Returns a random time between the two.
fn random(least: Duration, most: Duration) -> Duration {
    let share = RandomState::new().hash_one(()) % 1_000;
    least + most.saturating_sub(least) * u32::try_from(share).unwrap_or_default() / 1_000
}
