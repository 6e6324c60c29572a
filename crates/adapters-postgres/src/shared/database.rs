//! Connections to the database, and transactions on them.

pub(crate) mod address;
pub(crate) mod borrowers;
pub(crate) mod composite_types;
pub(crate) mod config_error;
pub(crate) mod connection;
pub(crate) mod connection_budget;
pub(crate) mod connections;
pub(crate) mod database_checks;
mod heartbeats;
pub(crate) mod hosts;
pub(crate) mod instance;
pub(crate) mod migrations;
pub(crate) mod parameters;
pub(crate) mod partitions;
pub(crate) mod places;
pub(crate) mod reach;
pub(crate) mod server_version;
pub(crate) mod session;
pub(crate) mod share;
pub(crate) mod start_options;
pub(crate) mod target;
pub(crate) mod tls;
