//! What must hold for the process as a whole: starts, signals, crashes. Each test runs the real
//! program with a database of its own.

#![expect(clippy::unwrap_used, reason = "a test reports by panicking")]

#[path = "process/admins.rs"]
mod admins;
#[path = "process/crash.rs"]
mod crash;
#[path = "process/json_log.rs"]
mod json_log;
#[path = "process/metrics.rs"]
mod metrics;
#[path = "process/production.rs"]
mod production;
#[path = "process/program.rs"]
mod program;
#[path = "process/secrets.rs"]
mod secrets;
#[path = "process/signals.rs"]
mod signals;
#[path = "process/starts.rs"]
mod starts;
