#![doc = include_str!("../README.md")]

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
    messaging::journal::poster::PgJournalPoster,
    messaging::scheduled_messages::PgScheduledMessages,
    money::payment_figures::PaymentFigures,
    platform::counter_check::{CounterDifference, CounterTotals, CountersChecked},
    platform::diagnosis::{
        Archiving, JobsTable, MigrationState, MissingPartition, Replica, ReplicationSlot, Rights,
        ServerState,
    },
    platform::health::PgMonitor,
    platform::reconciliations::PgReconciliations,
    platform::server_figures::ServerFigures,
    shared::database::address::{DatabaseAddress, Safety},
    shared::database::config_error::ConfigError,
    shared::database::connection_budget::ConnectionBudget,
    shared::database::instance::PgInstance,
    shared::database::migrations::{MigrationError, SCHEMA_RELEASE, migrate},
    shared::database::reach::absence,
    shared::database::server_version::{NEWEST_VERSION, OLDEST_VERSION, TooOld},
    shared::database::session::{PgStore, PoolUsage},
    shared::database::share::PgShare,
    shared::database::target::PgTarget,
    shared::database::tls::TlsError,
    shared::task::Task,
    webhooks::webhook_queue::PgWebhookQueue,
};
