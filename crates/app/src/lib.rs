//! Parts of a process of the service: configuration, wiring, server, workers and the embedded
//! `PostgreSQL`. The binary `atumpan` is a thin command line over it.

pub mod command_line;
pub mod config;
mod demo;
pub mod doctor;
pub mod embedded;
mod export_folder;
mod local_health;
pub mod logging;
mod plain_text;
pub mod provider_kinds;
pub mod providers_file;
pub mod rate_limits;
pub mod secrets;
pub mod service;
mod service_manager;
pub mod signals;
mod toml_error;
mod version;
pub mod webhook_pool;

pub use runtime::{background, clock, delivery_pool, report_relay, supervisor};
