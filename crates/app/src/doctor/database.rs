//! The database: the server, the role, the log and the schema.

mod log;
mod schema;
mod server;

use adapters_postgres::{ConnectionBudget, DatabaseAddress, PgStore, ServerState};
use ports::shared::{clock::Clock, store::StoreError};

use super::{
    check::{Check, Finding},
    checks::{
        ADMINISTRATORS, DATABASE_ARCHIVE, DATABASE_CLOCK, DATABASE_COMMITS, DATABASE_CONNECTIONS,
        DATABASE_DURABLE, DATABASE_ENCODING, DATABASE_ENCRYPTED, DATABASE_OPTIONS,
        DATABASE_REACHABLE, DATABASE_REPLICAS, DATABASE_RIGHTS, DATABASE_SLOTS,
        DATABASE_TRANSACTIONS, DATABASE_VERSION, DATABASE_WRITABLE, JOBS_COMPACT,
        MIGRATIONS_APPLIED, PARTITIONS_AHEAD,
    },
    is_production, skip, within_limit,
};
use crate::{
    clock::SystemClock,
    config::Config,
    service::{self, Database},
};

/// Checks that ask the server.
const OF_SERVER: [Check; 18] = [
    DATABASE_VERSION,
    DATABASE_WRITABLE,
    DATABASE_ENCODING,
    DATABASE_RIGHTS,
    DATABASE_DURABLE,
    DATABASE_COMMITS,
    DATABASE_ENCRYPTED,
    DATABASE_OPTIONS,
    DATABASE_CONNECTIONS,
    DATABASE_CLOCK,
    DATABASE_REPLICAS,
    DATABASE_SLOTS,
    DATABASE_ARCHIVE,
    DATABASE_TRANSACTIONS,
    MIGRATIONS_APPLIED,
    PARTITIONS_AHEAD,
    JOBS_COMPACT,
    ADMINISTRATORS,
];

/// Examines the database as it is. Returns the number of instances that run, too, if it is known.
pub(super) async fn examine(config: &Config) -> (Vec<Finding>, Option<u64>) {
    let away = |finding: Finding, reason: &str| {
        let mut findings = skip(&OF_SERVER, reason);
        findings.push(finding);
        (findings, None)
    };
    let url = match Database::as_it_is(&config.storage) {
        Ok(Some(database)) => database.url().to_owned(),
        Ok(None) => {
            let reason = "the embedded database runs with the service only, which does not run";
            return away(DATABASE_REACHABLE.skipped(reason), reason);
        }
        Err(error) => {
            let finding = DATABASE_REACHABLE.fail(error.to_string());
            return away(finding, "the address of the database is not valid");
        }
    };
    match reach(&url).await {
        Ok(reached) => Box::pin(reached.examine(is_production(config))).await,
        Err(problem) => away(DATABASE_REACHABLE.fail(problem), "the database does not answer"),
    }
}

/// Database that answers.
struct Reached {
    url: String,
    address: DatabaseAddress,
    store: PgStore,
    server: ServerState,
}

/// Connects to the database. The error contains neither the user nor the password.
async fn reach(url: &str) -> Result<Reached, String> {
    let address = DatabaseAddress::of(url).map_err(|error| error.to_string())?;
    let problem = |error: &dyn std::fmt::Display| format!("{address}: {error}");
    let store = PgStore::connect(url, 1).map_err(|error| problem(&error))?;
    let answer = within_limit(store.server_state()).await;
    let answer = answer.ok_or_else(|| problem(&"there is no answer in time"))?;
    let server = answer.map_err(|error| problem(&error))?;
    Ok(Reached { url: url.to_owned(), address, store, server })
}

impl Reached {
    async fn examine(&self, is_production: bool) -> (Vec<Finding>, Option<u64>) {
        let mut findings = vec![DATABASE_REACHABLE.ok(format!("{} answers", self.address))];
        findings.extend(server::examine(&self.server, self.address.safety(), is_production));
        findings.push(server::rights(self.store.rights().await));
        findings.push(self.options().await);
        findings.push(self.clock().await);
        findings.push(log::replicas(self.store.replicas().await));
        findings.push(log::slots(self.store.replication_slots().await));
        findings.push(log::archive(self.store.archiving().await));
        findings.push(log::transactions(self.store.oldest_transaction().await));
        let migrations = self.store.migration_state().await;
        let has_schema = migrations.as_ref().is_ok_and(|state| state.missing.is_empty());
        let unfinished = if has_schema {
            // A failure shows in the next checks.
            self.store.unfinished_data_changes().await.unwrap_or_default()
        } else {
            Vec::new()
        };
        findings.push(schema::migrations(migrations, &unfinished));
        if !has_schema {
            let left = [DATABASE_CONNECTIONS, PARTITIONS_AHEAD, JOBS_COMPACT, ADMINISTRATORS];
            findings.extend(skip(&left, "the schema is not the one of this version"));
            return (findings, None);
        }
        findings.push(schema::partitions(self.store.missing_partitions().await));
        findings.push(schema::jobs(self.store.jobs_table().await));
        findings.push(schema::administrators(self.store.has_administrator().await));
        let budget = self.budget().await;
        let instances = budget.as_ref().ok().map(|budget| budget.instances);
        findings.push(server::connections(budget));
        (findings, instances)
    }

    /// Opens a connection for writers, whose settings a pooler may drop.
    async fn options(&self) -> Finding {
        let writers = match PgStore::connect_writers(&self.url, 1) {
            Ok(writers) => writers,
            Err(error) => return DATABASE_OPTIONS.warn(error.to_string()),
        };
        match writers.has_settings_of_writers().await {
            Ok(true) => DATABASE_OPTIONS.ok("connections have their settings"),
            Ok(false) => DATABASE_OPTIONS.warn("connections lack the settings of their start"),
            Err(error) => unanswered(DATABASE_OPTIONS, &error),
        }
    }

    /// Asks for the time of the server, on a connection that is open already.
    async fn clock(&self) -> Finding {
        let before = SystemClock.now();
        let server = self.store.server_state().await;
        let after = SystemClock.now();
        match server {
            Ok(server) => {
                let travel = (after - before) / 2;
                server::clock(server.clock - (before + travel), travel)
            }
            Err(error) => unanswered(DATABASE_CLOCK, &error),
        }
    }

    /// Compares the connections of all instances with those that the server allows.
    async fn budget(&self) -> Result<ConnectionBudget, StoreError> {
        let budget = self.store.connection_budget().await?;
        let of_each = service::planned_connections(&self.url).map_err(StoreError::Internal)?;
        Ok(ConnectionBudget { of_each, ..budget })
    }
}

/// Returns the finding for a question that the server refused.
fn unanswered(check: Check, error: &StoreError) -> Finding {
    check.warn(format!("it cannot be checked: {error}"))
}

/// Returns a number of bytes in words.
fn in_mebibytes(bytes: i64) -> String {
    format!("{} MiB", bytes >> 20)
}
