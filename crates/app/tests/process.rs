//! What must hold for the process as a whole: starts, signals, crashes. Each test runs the real
//! program with a database of its own.

#![expect(clippy::unwrap_used, reason = "a test reports by panicking")]

#[path = "process/admins.rs"]
mod admins;
#[path = "process/crash.rs"]
mod crash;
#[path = "process/database.rs"]
mod database;
#[path = "process/graceful_stop.rs"]
mod graceful_stop;
#[path = "process/json_log.rs"]
mod json_log;
#[path = "process/locked_wallet.rs"]
mod locked_wallet;
#[path = "process/lost_claims.rs"]
mod lost_claims;
#[path = "process/metrics.rs"]
mod metrics;
#[path = "process/outages.rs"]
mod outages;
#[cfg(target_os = "linux")]
#[path = "process/pair.rs"]
mod pair;
#[path = "process/production.rs"]
mod production;
#[path = "process/program.rs"]
mod program;
#[path = "process/secrets.rs"]
mod secrets;
#[path = "process/signals.rs"]
mod signals;
#[cfg(target_os = "linux")]
#[path = "process/silent_database.rs"]
mod silent_database;
#[cfg(target_os = "linux")]
#[path = "process/slow_readers.rs"]
mod slow_readers;
#[path = "process/starts.rs"]
mod starts;
#[cfg(target_os = "linux")]
#[path = "process/system.rs"]
mod system;
#[path = "process/vendor.rs"]
mod vendor;
