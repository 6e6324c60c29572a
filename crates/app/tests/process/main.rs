//! Rules of the process as a whole: starts, signals, crashes. Each test runs the real program with
//! a database of its own.

#![expect(clippy::unwrap_used, reason = "a test reports by panicking")]

mod admins;
mod audit_log;
mod browser;
mod campaigns;
mod checkout;
mod closings;
mod configuration;
mod connections;
mod contact_jobs;
mod counters;
mod crash;
mod database;
mod demo;
mod doctor;
mod exports;
mod graceful_stop;
mod health_command;
mod imports;
#[cfg(target_os = "linux")]
mod instances;
mod json_log;
mod ledger;
mod locked_wallet;
mod log_exports;
mod log_lines;
mod lost_claims;
mod manuals;
mod metrics;
mod monitoring;
mod outages;
mod production;
mod program;
mod published_events;
mod redis_tls;
mod registration;
mod reload;
mod request_keys;
mod resends;
mod restore;
mod retention;
mod rolling_restarts;
mod schemathesis;
mod secrets;
mod service_manager;
mod signals;
#[cfg(target_os = "linux")]
mod silent_database;
#[cfg(target_os = "linux")]
mod slow_readers;
mod starts;
#[cfg(target_os = "linux")]
mod system;
mod triggers;
mod vendor;
mod versions;
mod waiting_start;
