//! Rules of the process as a whole: starts, signals, crashes. Each test runs the real program with
//! a database of its own.

#![expect(clippy::unwrap_used, reason = "a test reports by panicking")]

mod admins;
mod audit_log;
mod browser;
mod campaigns;
mod checkout;
mod closings;
mod connections;
mod contact_jobs;
mod counters;
mod crash;
mod database;
mod demo;
mod graceful_stop;
mod imports;
mod json_log;
mod ledger;
mod locked_wallet;
mod log_exports;
mod log_lines;
mod lost_claims;
mod metrics;
mod outages;
mod production;
mod program;
mod redis_tls;
mod registration;
mod request_keys;
mod resends;
mod retention;
mod schemathesis;
mod secrets;
mod signals;
#[cfg(target_os = "linux")]
mod silent_database;
#[cfg(target_os = "linux")]
mod slow_readers;
mod starts;
#[cfg(target_os = "linux")]
mod system;
mod triggers;
#[cfg(target_os = "linux")]
mod trio;
mod vendor;
mod versions;
mod webhooks;
