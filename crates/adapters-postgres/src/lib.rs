//! The store, on `PostgreSQL`. Diesel stays inside this crate.

mod audience;
mod content;
mod identity;
mod messaging;
mod money;
mod outreach;
mod platform;
mod providers;
mod shared;
mod webhooks;

pub use self::{
    audience::segments::PgSegments,
    messaging::callbacks::PgCallbacks,
    messaging::intake::{IntakeDeps, PgIntake},
    messaging::jobs::PgJobs,
    messaging::scheduled_messages::PgScheduledMessages,
    platform::counter_check::{CounterDifference, CounterTotals, CountersChecked},
    platform::health::PgMonitor,
    shared::database::address::{DatabaseAddress, Safety},
    shared::database::config_error::ConfigError,
    shared::database::connection_budget::ConnectionBudget,
    shared::database::instance::PgInstance,
    shared::database::migrations::{MigrationError, migrate},
    shared::database::server_version::{NEWEST_VERSION, OLDEST_VERSION, TooOld},
    shared::database::session::{PgStore, PoolUsage},
    shared::database::share::PgShare,
    shared::database::target::PgTarget,
    shared::database::tls::TlsError,
    shared::task::Task,
    webhooks::webhook_queue::PgWebhookQueue,
};
