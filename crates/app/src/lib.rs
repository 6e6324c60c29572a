//! Parts of a process of the service: configuration, wiring, server, workers and the embedded
//! `PostgreSQL`. The binary `atumpan` is a thin command line over it.

mod background;
pub mod clock;
pub mod command_line;
pub mod config;
pub mod delivery_pool;
mod demo;
pub mod embedded;
pub mod logging;
pub mod providers_file;
pub mod rate_limits;
pub mod report_relay;
pub mod secrets;
pub mod service;
pub mod signals;
pub mod supervisor;
mod toml_error;
pub mod webhook_pool;
