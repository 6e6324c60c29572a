//! The store, in `PostgreSQL`. Diesel stays inside this crate.

mod api_keys;
mod batching;
mod billing;
mod callbacks;
mod connections;
mod contacts;
mod counters;
mod delivery_logs;
mod error;
mod health;
mod instance;
mod intake;
mod jobs;
mod journal;
mod json;
mod known;
mod maintenance;
mod migrations;
mod minutes;
mod organizations;
mod providers;
mod purse;
mod schema;
mod session;
mod statement;
mod templates;
mod users;

pub use callbacks::PgCallbacks;
pub use connections::ConfigError;
pub use instance::PgInstance;
pub use intake::{IntakeParts, PgIntake};
pub use jobs::PgJobs;
pub use migrations::{MigrationError, migrate};
pub use session::PgStore;
